"""What an order to an assistant may go on with, and what is to be remembered by request."""

import re
from typing import Final

from everturn.extraction.rules.plain_values import is_whole

_ORDERS: Final = (
    "answer|reply|respond|use|write|address|format|include|avoid|provide|confirm|verify|highlight"
    r"|show (?:me|your|the)|explain|summari[sz]e|cite|list|convert|round|speak|translate|call me"
    r"|ask (?:me|before|for)|give (?:me|the|your|a|an|exact)|send (?:me|the)|tell me|remind me"
    "|suggest|recommend|mention|specify|offer|present|describe|add|keep (?:it|your|the|answers|repl"
    r"|responses)|make (?:sure|your)|start (?:with|your)|end (?:with|your)|begin (?:with|your)"
    r"|state"
    "|clarify|double-check|check|quote|prefix|schedule|book|order me|deploy|commit|push"
    "|run (?:the|all|my|a|tests)"
    r"|assume|delete|prioriti[sz]e|emphasi[sz]e|reference|note|break down|compare"
    "|comment|test|apply|calculate|report|display|label|refer to|indicate|detail|outline|review"
)
_AN_ORDER = re.compile(rf"(?:{_ORDERS})(?!\w)", re.IGNORECASE)
_NO_ORDER = re.compile(
    r"\b(?:ignore|disregard|override|bypass|forget)\b.*\b(?:instruction|rule|prompt|polic|guard"
    r"|safety"
    r"|previous|prior|above)\w*|\bsystem prompt\b|\bjailbreak\w*|\bnew rule\b|\bdeveloper mode\b"
    r"|\byour(?:self)?\b(?! (?:[\w-]+ )?(?:answers?|repl|respon|code|output|work|sources|tests"
    r"|changes|explanation|summary|messages|suggestion|reasoning|tone|commits?))",
    re.IGNORECASE,
)


# What is done to others or for good is no way to answer: who wants it says it when it is due.
_DEEDS: Final = (
    r"(?:send|forward|share|e-?mail|mail|post|delete|erase|wipe|remove|transfer|wire|pay|buy|order"
    r"|run|execute|install|upload|publish|submit|leak|text|tweet|message|notify"
    r"|call (?!me\b))(?!\w)"
)
_TESTS: Final = (
    r"run (?:(?:all|the|my|our|unit|full|whole|a|integration|those) ){0,3}"
    r"(?:tests?|test suite|suite|linters?|lint|formatter|checks|type checker|pytest)\b"
)
_IS_DONE = re.compile(rf"(?!{_TESTS}){_DEEDS}", re.IGNORECASE)
_IS_ALSO_DONE = re.compile(
    rf"(?:\b(?:and|then|plus)\b|[,;&:(\u2013\u2014]|\s-)\s*(?:(?:and|then|also|always|never"
    rf"|please|just"
    rf"|afterwards)\s+)*+(?!{_TESTS}){_DEEDS}(?! (?:formats?|addresses|drafts?|etiquette|dates?))",
    re.IGNORECASE,
)
_DESTROYS = re.compile(r"\brm -|\bsudo\b|\bmkfs\b|\bdrop table\b|\|\s*(?:ba|z)?sh\b", re.IGNORECASE)
# `Always use the force, Luke` is told to Luke.
_TO_LUKE = re.compile(r"[^,]*, (?:[A-Z][a-z]+|baby|babe|honey|dude|man|bro|my (?:friend|son|dear))")


def is_order(value: str) -> bool:
    """Say whether a value tells an assistant how to work, and not to drop its rules.

    Nor to do something to others: what is sent, shared, paid or deleted is no manner of working.
    """
    return is_ban(value) and not _IS_DONE.match(value)


def is_ban(value: str) -> bool:
    """Say whether a value can follow `never`: there what is not to be done may be a deed."""
    is_one = is_whole(value) and bool(_AN_ORDER.match(value)) and not _NO_ORDER.search(value)
    is_harmful = _IS_ALSO_DONE.search(value) or _DESTROYS.search(value)
    return is_one and not is_harmful and not _TO_LUKE.fullmatch(value)


_ANSWERS: Final = r"your (?:[\w-]+ )?(?:answers|replies|responses)"
_HOW: Final = (
    r"(?:short|brief|concise|crisp|terse|succinct|simple|plain|clear|formal|informal|casual"
    r"|friendly"
    r"|polite|direct|blunt|neutral|detailed|thorough|long|technical|practical|actionable"
    r"|focused|tight"
    r"|structured|precise|exact|complete|kind|gentle|funny|serious|professional|readable|compact"
    r"|minimal|light|honest|conversational|specific|accurate|snappy|rhyme|bulleted|free of"
    r"|jargon-free"
    r"|sweet|to the point|human|warm|dry)(?:er|r)?"
)
_IN_MANNER: Final = (
    r"in (?!(?:my|your|his|her|their|pen|person|time|advance|class|private|public|secret|order"
    r"|case)\b"
    r"|the (?!style|form|format|voice|tone|language|imperative|first|second|third|present|past)"
    r"|an? (?!\w+ (?:tone|style|format|list|table|voice|manner|way)|list|table|row|friendly"
    r"|formal))"
)
_MANNER = re.compile(
    rf"(?:.*\b(?:in|of|to|at|from|with|throughout) {_ANSWERS}"
    rf"|{_ANSWERS} (?:(?:all|always|as|more|less|very|really|too|so|rather|a bit|a little"
    rf"|reasonably"
    rf"|relatively|fairly|nice and|under|below|within|at most|no longer than|as) )*"
    rf"(?:{_HOW}\b.*|{_IN_MANNER}\S.*|(?:without|with|as) \S.*"
    rf"|(?:(?:under|below|within|to|at most|no longer than) )?(?:\d+|one|two|three|four|five"
    rf"|a (?:few|single"
    r"|couple|paragraph|sentence|line|page|maximum))\b.*))",
    re.IGNORECASE,
)
_WHEN_OR_WHERE = re.compile(
    r"\b(?:yet|by (?:noon|midnight|\d|the end|\w+day|tomorrow|tonight)|tomorrow|today|tonight|later"
    r"|deadline|desk|wall|paper|notebook|blackboard|whiteboard|envelope|teacher|secret|public"
    r"|private"
    r"|until|before|at once|right away|immediately|away)\b|^your [\w ]* to (?:the (?!point)|my"
    r"|him|her"
    r"|them|me\b|us\b|everyone|(?-i:[A-Z]))",
    re.IGNORECASE,
)


def is_manner(value: str) -> bool:
    """Say whether a value tells how answers are to be, not where to put them, nor when."""
    is_one = is_whole(value) and _MANNER.fullmatch(value) is not None
    is_other = _WHEN_OR_WHERE.search(value) or _NO_ORDER.search(value)
    return is_one and not is_other and not _IS_ALSO_DONE.search(value)


_FORBIDS = re.compile(r"\b(?:never|don't|do not|no longer|stop)\b", re.IGNORECASE)


def is_new_order(value: str) -> bool:
    """Say whether a value is such an order, or the wish for one."""
    wished = re.sub(
        r"^(?:,\s*|please\s+|i(?:'d| would) like you to |i want you to |you should |you must "
        r"|(?:always|never|don't|do not|only|no longer|stop|just)\s+)+",
        "", value, flags=re.IGNORECASE,
    )  # fmt: skip
    if _FORBIDS.search(value[: len(value) - len(wished)]):
        return is_ban(wished) or re.match(r"(?:us|answer|call|writ)ing\b", wished) is not None
    return is_order(wished)


_A_SUBJECT = re.compile(
    r"(?:(?i:i|i'm|i've|my|we|we're|our|the|a|an|all|every|each)\b|[A-Z][\w'-]*\b|\d)"
)
# A fact has more words than `my car`; one that begins so speaks of what was said before.
_LEAST_WORDS: Final = 3
_POINTERS: Final = (
    "it that this these those he she they you what when if how there sometimes anything "
    "everything nothing life"
)
_POINTING: Final = frozenset(_POINTERS.split())
_TO_SOMEBODY = re.compile(
    r"\b(?:love|miss|hate|adore|watching|trust|believe in|there for|proud of) you\b", re.IGNORECASE
)


def is_fact(value: str) -> bool:
    """Say whether what is to be remembered says what it is about."""
    words = value.split()
    is_long = len(words) >= _LEAST_WORDS and words[0].lower().strip("',") not in _POINTING
    stands = is_long and _A_SUBJECT.match(value) is not None and is_whole(value)
    return stands and not (_NO_ORDER.search(value) or _TO_SOMEBODY.search(value))
