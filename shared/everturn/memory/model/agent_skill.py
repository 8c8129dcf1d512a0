"""A proven pattern as an Agent Skill: the `SKILL.md` of a folder that any agent can load."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from everturn.memory.model.pattern_spec import PatternSpec
from everturn.values.prompt_text import one_line
from everturn.values.visible_text import cut, is_blank

# https://agentskills.io/specification: 64 and 1,024 characters; a name is lower-case letters,
# digits and single hyphens, none of them first or last.
_MAX_NAME_CHARS = 64
_MAX_DESCRIPTION_CHARS = 1_024
# https://platform.claude.com/docs/en/agents-and-tools/agent-skills/overview#skill-structure
_RESERVED = re.compile("anthropic|claude")
_NO_NAME = re.compile("[^a-z0-9]+")
# YAML 1.1 reads these, and much that begins with a digit, as something else than a text.
# https://yaml.org/type/bool.html
_NO_TEXT = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})
_RID_CHARS = 8
_TITLE_CHARS = 80

# Noncharacters, which YAML refuses. https://yaml.org/spec/1.2.2/#51-character-set
_NO_YAML = re.compile("[\ufffe\uffff]")
# What opens a block in Markdown where an item begins: heading, quote, list, rule, and a link
# definition, which is hidden from who reviews the page. https://spec.commonmark.org/0.31.2/
_OPENS_BLOCK = re.compile(
    r"^(?:(?=#{1,6}(?:\s|$)|>|[-+*](?:\s|$)|([-*_])(?:\s*\1){2,}$|\[[^\]]*\]:)"
    r"|\d{1,9}(?=[.)](?:\s|$)))"
)
# What opens HTML, a fence or an image wherever it stands. An image is fetched when the page is
# shown, which tells its server; `!` before a code span runs it when some agents load the skill:
# https://code.claude.com/docs/en/skills#inject-dynamic-context
_OPENS_MORE = re.compile(r"<(?=[A-Za-z/!?])|!(?=[`\[])|`{3,}|~{3,}")
_HARMLESS = {"<": "&lt;", "!": "&#33;", "`": "\\`", "~": "\\~"}


@dataclass(frozen=True, slots=True)
class AgentSkill:
    """A skill folder: its name, and the text of its one file, `SKILL.md`."""

    name: str
    description: str
    text: str


def agent_skill(
    spec: PatternSpec, *, rid: str, sources: Sequence[str], coverage: int
) -> AgentSkill:
    """Return a pattern as a skill; the same for the same pattern.

    What the pattern says comes from conversations and is not to be trusted with the file's form:
    no word of it opens front matter, a heading, HTML, a code fence or a tag of a prompt.

    Args:
        spec: the pattern, with a name, a trigger or a step.
        rid: the id of its memory.
        sources: what it was learned from, one line each.
        coverage: how many different sources proved it.
    """
    name = _slug(spec.identity_text, rid)
    title = cut(_plain(spec.identity_text), _TITLE_CHARS) or name
    description = _description(spec, title)
    front = f"---\nname: {name}\ndescription: {_quoted(description)}\n---\n\n"
    body = "\n".join(_body(spec, title, coverage, (f"everturn://memory/pattern/{rid}", *sources)))
    return AgentSkill(name, description, f"{front}{body}\n")


def _slug(named: str, rid: str) -> str:
    """Return a name of the allowed form; a part of `rid` keeps apart what it cannot tell apart."""
    lowered = named.lower()
    slug = _NO_NAME.sub("-", _RESERVED.sub("-", _NO_NAME.sub("-", lowered))).strip("-")
    says_all = slug.replace("-", "") == "".join(filter(str.isalnum, lowered))
    is_text = slug[:1].isalpha() and slug not in _NO_TEXT
    if says_all and is_text and len(slug) <= _MAX_NAME_CHARS:
        return slug
    ending = f"-{rid[:_RID_CHARS]}"
    return (slug[: _MAX_NAME_CHARS - len(ending)].rstrip("-") or "pattern") + ending


def _description(spec: PatternSpec, title: str) -> str:
    """Return what the skill does and when to use it; no angle bracket, which could be a tag."""
    when = f"Use when: {spec.trigger}" if spec.trigger else "Use when this is what is to be done."
    text = _plain(f"{title.rstrip('.')}. {when}").replace("<", "&lt;").replace(">", "&gt;")
    return cut(text, _MAX_DESCRIPTION_CHARS - len("…"))


def _plain(text: str) -> str:
    """Return a text in one line that opens no HTML, no code fence and no tag of a prompt."""
    return _OPENS_MORE.sub(_spelled, one_line(_NO_YAML.sub("", text)))


def _spelled(opening: re.Match[str]) -> str:
    return "".join(_HARMLESS[char] for char in opening[0])


def _quoted(text: str) -> str:
    """Return a double-quoted YAML string; JSON's is one where characters stand as they are."""
    return json.dumps(text, ensure_ascii=False)


def _body(spec: PatternSpec, title: str, coverage: int, sources: Sequence[str]) -> Iterator[str]:
    yield f"# {_item(title)}"
    yield ""
    yield (
        f"Learned from earlier conversations; {coverage} sources bear it out. "
        "It is advice: what the user says now and the operator's rules win."
    )
    for heading, texts in (
        ("When to use", (spec.trigger or title,)),
        ("Preconditions", spec.preconditions),
        ("Steps", spec.steps),
        ("Gotchas", spec.gotchas),
        ("Success criteria", spec.success_criteria),
        ("Sources", sources),
    ):
        yield from _section(heading, texts)


def _section(heading: str, texts: Sequence[str]) -> Iterator[str]:
    items = [item for item in map(_item, texts) if not is_blank(item)]
    if items:
        yield from ("", f"## {heading}", "")
    for number, item in enumerate(items, 1):
        yield f"{number}. {item}" if heading == "Steps" else f"- {item}"


def _item(text: str) -> str:
    """Return a text in one line that opens nothing in Markdown, not even where it begins."""
    return _OPENS_BLOCK.sub(_escaped, _plain(text))


def _escaped(before: re.Match[str]) -> str:
    return f"{before[0]}\\"
