"""Keep what the sender of a turn wrote: no code, quotation, quoted mail, recalled block, paste.

In doubt, words are another person's. A fact that is missed is said again; one that was only quoted
is stored for good.

A turn is left out whole if it is a play, an exercise, or about a text of others. What it says may
not be so, and rules cannot tell where a play or a text ends.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

HIDDEN: Final = "\ufffc"
"""Stands for what is quoted inside a line; the marks around it are kept, as straight ones."""

# A turn that is longer than this without code and quotations was hardly typed for the occasion.
_LONGEST_TYPED: Final = 6_000

_FENCE = re.compile(r"```|~~~")
_RECALLED_TAG = re.compile(r"<recalled_memory\b|</recalled_memory\s*>", re.IGNORECASE)
_TAG = re.compile(r"</?([A-Za-z][\w:.-]{0,40})\b[^<>\n]{0,300}>")
_VOID_TAGS: Final = frozenset({"br", "hr", "img", "p", "li", "b", "i", "em", "strong", "u"})

# From these on the rest of a turn is a mail, a letter, a document or a protocol of others.
_MAIL: Final = (
    r"[ \t]*On\b[^\n]{4,200}\bwrote:"
    r"|[ \t>*]*(?:From|Sent|To|Subject|Date|Cc|Bcc):[ \t]"
    r"|[ \t]*-{2,}[ \t]*(?i:original|forwarded)|[ \t]*(?i:begin forwarded message)"
)
_LETTER: Final = r"[ \t]*(?i:dear)[ \t]+\S[^\n]{0,60}|[ \t]*(?i:to whom it may concern)"
_DOCUMENT: Final = r"[ \t]*(?:#{1,6}[ \t]|\*\*[^*\n]+\*\*:?[ \t]*$|[=_*-]{3,}[ \t]*$)"
_REST_IS_OTHERS = re.compile(rf"^(?:{_MAIL}|{_LETTER}|{_DOCUMENT})", re.MULTILINE)
_GREETING_BELOW = re.compile(r"(?<=\n)[ \t]*(?:Hi|Hello|Hey)[ \t]+[A-Z][^\n,]{0,40},?[ \t]*(?=\n)")
# What a colon announces is a text; but for what one says of oneself.
_TEXTS: Final = (
    "text|bio|biography|draft|message|letter|post|tweet|poem|lyrics|song|quote|quotation|sentence"
    "|sentences|paragraph|essay|story|review|comment|question|prompt|transcript|chat|conversation"
    "|caption|line|lines|example|answer|reply|statement|headline|resume|cv|profile|summary|intro"
    "|introduction|script|dialogue|scene|speech|document|article|passage|snippet|log|logs|output"
    "|following|below|template|translate|translation|proofread|rewrite|rephrase|paraphrase"
    "|summarize|summarise|check|fix|edit|correct|(?:this|the|an|his|her|their|your) e?-?mail"
)
_ANNOUNCED = re.compile(rf"\b(?:{_TEXTS})\b[^.!?:\n]{{0,60}}:(?=\s)", re.IGNORECASE)
_LINE_WITH_COLON = re.compile(r"^[^\n]*:[ \t]*$", re.MULTILINE)
_OF_ONESELF = re.compile(
    r"\b(?:remember|note|notes|keep in mind|about me|about myself|fyi|facts|know|forget)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(
    r"^[ \t]*(?:[\[(]?\d[\d:./, -]{2,20}(?:[AaPp]\.?[Mm]\.?)?[\])]?[ \t-]*)?"
    r"(?!(?i:note|notes|ps|p\.s\.|fyi|remember|reminder|update|edit|important|correction|btw"
    r"|also)\b)(?:<?[A-Z][\w.'-]*(?:[ ][A-Z][\w.'-]*){0,2}>?"
    r"|(?i:me|you|user|assistant|human|ai|system|bot|customer|agent))[ \t]*:[ \t]+(?=\S)",
    re.MULTILINE,
)
_NO_PROSE_LINE: Final = r"[ \t]*[>|{}\[\]/\\$@]|(?:[ ]{4}|\t)|.*[;{}][ \t]*$|.*=>|.*\s[=!]=\s"
r"|[ \t]*(?:def|import|class)\b"
_NO_PROSE = re.compile(rf"^(?:{_NO_PROSE_LINE}).*$", re.MULTILINE)
# What follows a quoted line without a blank one between is part of the quotation.
# https://spec.commonmark.org/0.31.2/#laziness-clause
_QUOTED_LINES = re.compile(r"^[ \t]*>[^\n]*(?:\n[ \t]*\S[^\n]*)*", re.MULTILINE)
_BULLET = re.compile(r"^[ \t]*(?:[-*\u2022\u2013+]|\d{1,3}[.)])[ \t]+", re.MULTILINE)

_CURLY = re.compile(
    "\u201c[^\u201d]*\u201d?|\u00ab[^\u00bb]*\u00bb?|\u201e[^\u201c\u201d]*[\u201c\u201d]?"
    "|\u2018(?:[^\u2018\u2019\n]|\u2019(?=\\w))*\u2019|\u300c[^\u300d]*\u300d?|`[^`\n]+`"
)
_SINGLE = re.compile(r"(?<![\w'])'(?=[^\s'])(?:[^'\n]|(?<=\w)'(?=\w)){1,300}(?<=\S)'(?!\w)")
_STRAIGHT = re.compile(r'(?<!\d)"|(?<=\d)"(?!\s)')
_PARAGRAPH = re.compile(r"(?:[^\n]|\n(?![ \t]*\n))+")
_APOSTROPHES = str.maketrans("\u2019\u02bc\uff07", "'''")


def own_words(text: str) -> str:
    """Return a text of the same length in which only its sender's own words are left.

    Whole lines of others are line breaks, what is quoted within a line is `HIDDEN`, apostrophes
    are straight. An index of it is an index of the text.
    """
    own = text
    for others in (_recalled, _fenced, _tagged):
        own = _blanked(own, others(own))
    own = _blanked(own, ((found.start(), found.end()) for found in _QUOTED_LINES.finditer(own)))
    own = _blanked(own, [(begin, len(own)) for begin in [_first_of_others(own)]])
    own = _blanked(own, _labelled(own))
    own = _blanked(own, ((found.start(), found.end()) for found in _NO_PROSE.finditer(own)))
    own = _without_foreign_lists(own)
    own = _unquoted(own)
    return own if len(own.replace("\n", "")) <= _LONGEST_TYPED else ("\n" * len(own))


def _blanked(text: str, spans: Iterator[tuple[int, int]] | list[tuple[int, int]]) -> str:
    """Return a text with line breaks in the place of these spans, which are in order."""
    parts: list[str] = []
    at = 0
    for begin, end in spans:
        parts += [text[at:begin], "\n" * (end - begin)]
        at = max(at, end)
    return "".join((*parts, text[at:]))


def _recalled(text: str) -> Iterator[tuple[int, int]]:
    """Yield recalled blocks as `terms.matchable_text` knows them: nested, open to the end."""
    depth = begin = 0
    for tag in _RECALLED_TAG.finditer(text):
        if not tag[0].startswith("</"):
            begin = begin if depth else tag.start()
            depth += 1
        elif depth:
            depth -= 1
            if not depth:
                yield begin, tag.end()
    if depth:
        yield begin, len(text)


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    begin, fence = -1, ""
    for found in _FENCE.finditer(text):
        if begin < 0:
            begin, fence = found.start(), found[0]
        elif found[0] == fence:
            yield begin, found.end()
            begin = -1
    if begin >= 0:
        yield begin, len(text)


def _tagged(text: str) -> Iterator[tuple[int, int]]:
    """Yield what stands between a tag and its end; one that opens a line may have no end."""
    if "<" not in text:
        return
    tags = list(_TAG.finditer(text))
    ends: dict[str, list[int]] = {}
    for tag in tags:
        if tag[0].startswith("</"):
            ends.setdefault(tag[1].lower(), []).append(tag.end())
    at = 0
    for tag in tags:
        name = tag[1].lower()
        if tag.start() < at or tag[0].startswith("</") or name in _VOID_TAGS:
            continue
        closing = ends.get(name, [])
        place = bisect_left(closing, tag.end() + 1)
        if place < len(closing):
            at = closing[place]
        elif tag.start() == 0 or text[tag.start() - 1] == "\n":
            at = len(text)
        else:
            at = tag.end()
        yield tag.start(), at


def _first_of_others(text: str) -> int:
    """Return where a mail, a letter, a document or an announced text begins; the end for none."""
    found = [match.start() for match in [_REST_IS_OTHERS.search(text)] if match]
    if (greeting := _GREETING_BELOW.search(text)) and text[: greeting.start()].strip():
        found.append(greeting.start())
    announced = (*_ANNOUNCED.finditer(text), *_LINE_WITH_COLON.finditer(text))
    found += [one.end() for one in announced if not _is_of_oneself(text, one)]
    return min(found, default=len(text))


def _is_of_oneself(text: str, announced: re.Match[str]) -> bool:
    line = text.rfind("\n", 0, announced.end()) + 1
    return _OF_ONESELF.search(text, line, announced.end()) is not None


def _labelled(text: str) -> list[tuple[int, int]]:
    """Return lines of a protocol: `Bob: hi`. Two of them make all that follows a protocol."""
    labels = [found.start() for found in _LABEL.finditer(text)]
    if len(labels) > 1:
        return [(labels[0], len(text))]
    return [(begin, _paragraph_end(text, begin)) for begin in labels]


def _paragraph_end(text: str, at: int) -> int:
    found = _PARAGRAPH.match(text, at)
    return found.end() if found else at


def _without_foreign_lists(text: str) -> str:
    """Blank lists: but for the marks alone where they are announced as what to know of oneself."""
    if not (first := _BULLET.search(text)):
        return text
    spans = []
    for found in _BULLET.finditer(text):
        end = text.find("\n", found.end())
        spans.append((found.start(), len(text) if end < 0 else end))
    before = text[: first.start()].rstrip().rpartition("\n")[2]
    if before.endswith(":") and _OF_ONESELF.search(before):
        spans = [(found.start(), found.end()) for found in _BULLET.finditer(text)]
    return _blanked(text, spans)


def _unquoted(text: str) -> str:
    """Return a text with `HIDDEN` for what stands between quotation marks."""
    # Twice: a quotation within one is found first. In one go a row of marks would take for ever.
    text = _CURLY.sub(_hidden, _CURLY.sub(_hidden, text)).translate(_APOSTROPHES)
    return _without_straight(_SINGLE.sub(_hidden, text)) if '"' in text or "'" in text else text


def _hidden(found: re.Match[str]) -> str:
    inside = len(found[0]) - 2
    return f'"{HIDDEN * inside}"' if inside > 0 else HIDDEN * len(found[0])


def _without_straight(text: str) -> str:
    """Hide what is between straight marks: pairs of one paragraph.

    A mark without its other one quotes all up to the next paragraph that has such a mark.
    """
    parts: list[str] = []
    at, opened = 0, False
    for paragraph in _PARAGRAPH.finditer(text):
        marks = [found.start() for found in _STRAIGHT.finditer(text, *paragraph.span())]
        spans: list[tuple[int, int]] = list(zip(marks[::2], marks[1::2], strict=False))
        if opened or len(marks) % 2:
            begin = paragraph.start() if opened else marks[0]
            spans = [(begin, paragraph.end())]
            opened ^= len(marks) % 2 == 1
        for begin, end in spans:
            # The marks stay: a name may be said between them.
            parts += [text[at : begin + 1], HIDDEN * (end - begin - 1)]
            at = end
    return "".join((*parts, text[at:]))


# What makes the whole turn a play, an exercise or a text about somebody else.
_PLAY: Final = (
    r"role-?\s?play\w*|\bpretend\w*|\bin character\b|\blet'?s play\b|\byour name is\b"
    r"|\byou are (?:now )?(?:an?|the) (?!best|great)[\w-]+|\bact (?:as|like)\b|\bspeak as\b"
    r"|\bfrom the perspective of\b|\bi'm playing (?:an?|the)\b|\b(?:you|let me|i'll) be "
    r"(?:(?:an?|the)\b|(?-i:[A-Z]))"
    r"|\b(?:you're|you are|be) (?:now )?my (?:therapist|teacher|tutor|coach|boss|doctor|wife"
    r"|husband|girlfriend|boyfriend|mom|mum|dad|customer|client|interviewer|interviewee|dealer"
    r"|barista|butler|master|servant|enemy|rival|opponent)\b"
)
_PLAY_ENDS = re.compile(
    r"\b(?:(?:stop|end|enough|leave|quit|exit|no more|done with)\b[^.!?\n]{0,20}"
    r"\b(?:role-?\s?play\w*|pretend\w*|play\w*|character|game)|out of character|back to reality)\b",
    re.IGNORECASE,
)
_TASK: Final = (
    r"\b(?:translat\w+|proof-?read\w*|paraphras\w+|rephras\w+)\b"
    r"|\b(?:rewrite|reword|summari[sz]e|correct|fix|edit|improve|check|analy[sz]e|read) "
    r"(?:this|that|these|it|the following|the (?:text|sentence|paragraph|grammar))\b"
    r"|\b(?:the|this) (?:following|sentence|sentences|paragraph|poem|quote|lyrics|passage)\b"
    r"|\b(?:write|compose|draft|create|generate|invent|give|tell|make up|need)\b(?: \w+){0,2} an?\b"
    r"[^.!?\n]{0,40}\b(?:story|scene|poem|song|lyrics|dialogue|script|letter|e-?mail|bio|tweet|post"
    r"|caption|joke|sketch|essay|monologue|speech|message|character|sentence|example)\b"
    r"|\bimagine (?:that|you|i|i'm|we|a|an|if|being)\b|\bhypothetical\w*|\bsuppos(?:e|ing)\b"
    r"|\blet'?s (?:say|assume|imagine)\b|\bwhat if\b|\bfor (?:example|instance)\b|\be\.g\."
    r"|\bin (?:this|my|the|a) (?:story|novel|scenario|dream|screenplay|book|film|movie|game|song)\b"
    r"|\b(?:my|the) (?:main )?(?:character|protagonist|narrator|persona)\b"
    r"|\brepeat after me\b|\b(?:say|reply with|respond with|answer as if"
    r"|type)\b[^.!?\n]{0,10}\b(?:my|i|i'm)\b"
    r"|\b(?:sent|wrote|texted|emailed|e-mailed|forwarded) (?:me|us|this|in|back|to)\b"
    r"|\b(?:e-?mail|message|text|letter|note|review|comment|post) (?:i|we|he|she|they|someone"
    r"|somebody) (?:just )?(?:received|got|sent|wrote|left)\b"
    r"|\b(?:applicant|customer|client|candidate|reader|listener|guest|student|patient|user)"
    r" (?:writes|asks|wrote|asked)\b|\bwhat (?:should|could|can|do) i (?:answer|reply|respond)\b"
    r"|\bmock (?:interview|call|conversation|debate|trial)\b|\bpicture this\b"
    r"|\b(?:interview|conversation|dialogue|speaking) practice\b|\bexercise where\b"
    r"|\bgot (?:this|the following) from\b|\bknock,? knock\b|\btest message\b|\baffirmations?\b"
    r"|\b(?:thesis|mission|vision) statement\b"
    r"|\b(?:opposite|untrue|a lie|lied|lying|made(?: that)? up|yeah,? right|sarcas\w+"
    r"|april fool\w*)\b"
)
# Said anywhere in a turn it makes a jest of it.
_JEST: Final = (
    r"\b(?:just |only |totally )?(?:kidding|joking)\b(?! aside| apart)|\bj/?k\b|\byeah,? right\b"
    r"|\boh,? (?:how |just )?(?:great|joy|goody|wonderful|fantastic|lovely|yay|brilliant|fun)\b"
    r"|\bjust (?:great|perfect|brilliant|lovely|wonderful|what i needed)[,.!\u2026]|\bif only\b"
    r"|\bdream on\b|\bi(?:'m| am| was) (?:lying|messing with|pulling)\b|\blo+l,? (?:no|nope|not)\b"
    r"|\bnot really[.!]*(?:\n|$)|\b(?:as|yeah,?) if[.!]|\bsaid no ?(?:one|body)\b|\byou wish[.!]"
    r"|\bi wish(?: that was true)?[.!\u2026]*(?:\n|$)|\bgotcha\b|\bfooled you\b|\bi was kidding\b"
)
_NO_FACTS = re.compile(rf"{_PLAY}|{_TASK}|{_JEST}", re.IGNORECASE)
_PLAYED = re.compile(_PLAY, re.IGNORECASE)
# What is left of a long paste; to look at each of them would take a second a megabyte.
_LINE_BREAKS = re.compile(r"\n{2,}")


def tells_no_facts(own: str) -> bool:
    """Say whether a turn is a play, an exercise, or about a text: what it says may not be so."""
    return _NO_FACTS.search(_LINE_BREAKS.sub("\n", own)) is not None


def starts_a_play(own: str) -> bool:
    """Say whether from this turn on people may speak as somebody else."""
    return _PLAYED.search(_LINE_BREAKS.sub("\n", own)) is not None and not ends_a_play(own)


def ends_a_play(own: str) -> bool:
    """Say whether a turn ends that."""
    return _PLAY_ENDS.search(_LINE_BREAKS.sub("\n", own)) is not None
