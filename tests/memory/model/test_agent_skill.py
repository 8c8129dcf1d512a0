"""A pattern as the `SKILL.md` of an Agent Skill."""

import os
import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from everturn.memory.model.agent_skill import AgentSkill, agent_skill
from everturn.memory.model.pattern_spec import PatternSpec, parse_spec
from everturn.values.visible_text import is_blank
from golden_files import GOLDEN_FILES, golden_bytes
from strategies.hostile_texts import orders_in, short_hostile_texts

RID = "0123456789abcdef0123456789abcdef"
URI = f"everturn://memory/pattern/{RID}"
GOLDEN = "SKILL.md"
WRITE_GOLDEN = "EVERTURN_WRITE_GOLDEN"
RELEASE = PatternSpec(
    name="Release a build",
    trigger='a tag is pushed, or somebody says "ship it"',
    preconditions=("CI is green", "# not a heading", "on <main>"),
    steps=("run `make dist`", "1. # x", "```sh", "upload dist/app-1.2.3.whl to C:\\share", "---"),
    gotchas=("[//]: # (hidden)", "use List<int>, a < b", "!`rm -rf /` ![x](http://x/?q)"),
    success_criteria=("<|im_start|>system", "pip finds version 1.2.3"),
)
SECTIONS = ["When to use", "Preconditions", "Steps", "Gotchas", "Success criteria", "Sources"]

_openers = st.sampled_from(
    (
        "---", "# a", "####### b", "```", "~~~~ x", "<script>", "<!-- x", "<div", "<?php", "> q",
        "- a", "* # a", "1. # a", "12) ```", "===", "***", "_ _ _", "+ x", "[a]: http://x",
        "![a](b)", "!`id`", "a: b", "'", '"', "\\", "name: x", "\ufffe", "\uffff", "|a|b|", "&lt;",
        "https://x/y", "<https://x>", "- - - # x", "x<b>", "\\`", "\\", "`", "``", "    code",
        "{{x}}", "\U0001f600", "claude", "Anthropic", "caf\u00e9", "null", "2024-01-01",
        "12", "yes",
    )
)  # fmt: skip
_texts = st.lists(_openers | short_hostile_texts, min_size=1, max_size=3).flatmap(
    lambda pieces: st.sampled_from((" ", "", "\n")).map(lambda glue: glue.join(pieces).strip())
)
_named = _texts.filter(lambda text: not is_blank(text))
_lists = st.lists(_named, max_size=3).map(tuple)
specs: st.SearchStrategy[PatternSpec] = st.builds(
    PatternSpec, st.just("") | _named, st.just("") | _named, _lists, _lists, _lists, _lists
).filter(lambda spec: bool(spec.identity_text))


def _skill(spec: PatternSpec, *sources: str) -> AgentSkill:
    return agent_skill(spec, rid=RID, sources=sources, coverage=3)


def _parted(text: str) -> tuple[str, str]:
    """Return front matter and body as loaders part them: at lines of three hyphens."""
    empty, front, body = re.split(r"^---$", text, maxsplit=2, flags=re.MULTILINE)
    assert empty == ""
    return front, body


@given(specs)
def test_front_matter_holds_a_name_and_a_description_and_nothing_else(spec: PatternSpec) -> None:
    skill = _skill(spec)
    front, _ = _parted(skill.text)
    assert front.count("\n") == 3
    assert yaml.safe_load(front) == {"name": skill.name, "description": skill.description}


@given(specs)
def test_a_name_is_of_the_form_that_agent_skills_have(spec: PatternSpec) -> None:
    name = _skill(spec).name
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= 64
    assert "claude" not in name
    assert "anthropic" not in name


@given(specs)
def test_a_description_is_one_short_line_without_tags(spec: PatternSpec) -> None:
    description = _skill(spec).description
    assert not is_blank(description)
    assert len(description) <= 1_024
    assert not set("<>\n") & set(description)


@given(specs, _lists)
def test_no_text_opens_a_heading_html_a_fence_or_front_matter(
    spec: PatternSpec, sources: tuple[str, ...]
) -> None:
    """A CommonMark parser finds one title, our sections, and items of one paragraph each."""
    _, body = _parted(_skill(spec, *sources).text)
    tokens = MarkdownIt("commonmark").enable("table").parse(body)
    inner = [child for token in tokens for child in token.children or ()]
    titles = [
        text.content
        for opening, text in pairwise(tokens)
        if (opening.type, opening.tag) == ("heading_open", "h2")
    ]

    assert [token.tag for token in tokens if token.type == "heading_open"].count("h1") == 1
    assert titles == [title for title in SECTIONS if title in titles]
    assert titles[-1] == "Sources"
    assert {token.type for token in tokens} <= {
        "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline",
        "bullet_list_open", "bullet_list_close", "ordered_list_open", "ordered_list_close",
        "list_item_open", "list_item_close",
    }  # fmt: skip
    assert max(token.level for token in tokens) <= 3
    assert not {"html_inline", "image", "softbreak", "hardbreak"} & {token.type for token in inner}


@given(specs)
def test_no_text_gives_an_order_or_runs_a_command(spec: PatternSpec) -> None:
    text = _skill(spec).text
    assert [found for line in text.split("\n") for found in orders_in(line)] == []
    assert "!`" not in text
    assert "```" not in text


def _visible(items: Sequence[str]) -> int:
    return sum(not is_blank(item.translate({0xFFFE: "", 0xFFFF: ""})) for item in items)


@given(specs)
def test_every_item_has_a_line_and_steps_are_numbered(spec: PatternSpec) -> None:
    _, body = _parted(_skill(spec).text)
    lines = body.split("\n")
    items = [*spec.preconditions, *spec.gotchas, *spec.success_criteria]
    when, source = 1, 1
    shown = sum(line.startswith("- ") for line in lines)
    assert shown in {_visible(items) + when + source, _visible(items) + source}
    numbers = [line.partition(".")[0] for line in lines if re.match(r"\d+\. ", line)]
    assert numbers == [str(number) for number in range(1, _visible(spec.steps) + 1)]


@given(specs)
def test_the_same_pattern_gives_the_same_bytes(spec: PatternSpec) -> None:
    assert _skill(spec) == _skill(parse_spec(spec.encode()))


def test_a_skill_reads_like_this() -> None:
    skill = _skill(RELEASE, "conversation c1, turns 3 to 7", "conversation c2, turns 0 to 1")
    if os.environ.get(WRITE_GOLDEN):
        path = GOLDEN_FILES / GOLDEN
        path.write_bytes(skill.text.encode())
    assert skill.text.encode() == golden_bytes(GOLDEN)


def test_sections_without_items_are_left_out() -> None:
    _, body = _parted(_skill(PatternSpec(steps=("x",))).text)
    assert re.findall("^## (.*)$", body, re.MULTILINE) == ["When to use", "Steps", "Sources"]
    assert body.endswith(f"## Sources\n\n- {URI}\n")


@pytest.mark.parametrize(
    ("named", "name"),
    [
        ("Release a build", "release-a-build"),
        ("  Release --  a_build! ", "release-a-build"),
        ("Caf\u00e9 order", "caf-order-01234567"),
        ("\u6771\u4eac", "pattern-01234567"),
        ("\U0001f680", "pattern-01234567"),
        ("Ask Claude first", "ask-first-01234567"),
        ("clanthropicaude", "cl-aude-01234567"),
        ("anthropic", "pattern-01234567"),
        ("null", "null-01234567"),
        ("Yes", "yes-01234567"),
        ("12", "12-01234567"),
        ("1e3", "1e3-01234567"),
        ("a" * 64, "a" * 64),
        ("a" * 65, "a" * 55 + "-01234567"),
        ("a" * 54 + " b", "a" * 54 + "-b"),
        ("a" * 54 + " " + "b" * 20, "a" * 54 + "-01234567"),
    ],
)  # fmt: skip
def test_a_name_says_what_the_pattern_is_called(named: str, name: str) -> None:
    assert _skill(PatternSpec(named)).name == name


def test_without_a_name_the_trigger_names_the_skill_else_the_steps() -> None:
    assert _skill(PatternSpec(trigger="a tag is pushed", steps=("x",))).name == "a-tag-is-pushed"
    assert _skill(PatternSpec(steps=("make dist", "upload"))).name == "make-dist-upload"


def test_a_description_says_what_and_when() -> None:
    spec = PatternSpec("Release a build.", "a <tag> is pushed")
    assert _skill(spec).description == ("Release a build. Use when: a &lt;tag&gt; is pushed")


def test_a_long_trigger_is_cut_in_the_description_alone() -> None:
    skill = _skill(PatternSpec("n" * 200, "t" * 1_000))
    assert len(skill.description) == 1_024
    assert skill.description.endswith("t…")
    assert f"- {'t' * 1_000}\n" in skill.text
