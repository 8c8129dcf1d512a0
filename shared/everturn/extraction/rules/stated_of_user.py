"""A statement of a model about a user: in the words of the rules, and of the kind that they give.

Where both find the same, it is one memory.
"""

import re
from typing import Final

from everturn.values.memory_kind import MemoryKind

_USER = re.compile(r"(?:the\s+)?user(?=['\u2019]s\b|\s)", re.IGNORECASE)
# A list of facts about one person often leaves out who he is.
_VERBS: Final = (
    "prefers|likes|loves|hates|dislikes|enjoys|lives|works|is|has|wants|owns|uses|speaks|moved"
    "|needs"
)
_WITHOUT_USER = re.compile(rf"(?:(?:{_VERBS})|(?:always|never) \w+s)\s", re.IGNORECASE)
_SHORT = re.compile(r"^The user (doesn|didn|can|isn|hasn|wasn|won)['\u2019]?t\b", re.IGNORECASE)
_LONG: Final = {
    "doesn": "does not", "didn": "did not", "can": "cannot", "isn": "is not", "hasn": "has not",
    "wasn": "was not", "won": "will not",
}  # fmt: skip
_ADVERB: Final = (
    r"(?:(?:really|generally|usually|always|also|much|strongly|personally|definitely|still"
    r"|typically|absolutely|totally|truly|simply|especially|mostly|often|normally|actually"
    r"|strictly) )*"
)
_TASTE: Final = r"(?:prefer|like|love|hate|dislike|enjoy|adore|loathe|favou?r)s"
_HABIT: Final = r"(?:eats|drinks|uses|wears|smokes|cooks with|flies with|flys with|buys|writes in"
_ANSWERS: Final = (
    r"answer|reply|replies|response|explanation|summary|summaries|output|message|code example"
    r"|to be (?:called|addressed)|(?:the )?assistant|you to"
)
_PREFERENCE = re.compile(
    rf"The user (?:{_ADVERB}(?:{_TASTE}\b|(?:does not|did not) {_ADVERB}(?:like|eat|drink|enjoy"
    rf"|want)\b|cannot stand\b|would (?:rather|prefer)\b)|(?:always|never) {_HABIT}|codes in"
    rf"|travels by)\b|is called\b|asks:"
    rf"|{_ADVERB}(?:wants|asks for|asked for|asks|asked|expects|needs|would like)\b"
    rf".{{0,60}}?\b(?:{_ANSWERS}))",
    re.IGNORECASE,
)


def is_about_user(statement: str) -> bool:
    """Say whether the user is the subject of a statement."""
    return _USER.match(statement.strip()) is not None


def user_statement(text: str) -> str:
    """Return a statement that a model made about the user as the rules word theirs."""
    line = text.strip()
    if _WITHOUT_USER.match(line):
        line = f"The user {line[0].lower()}{line[1:]}"
    line = _USER.sub("The user", line, count=1) if _USER.match(line) else line
    return _SHORT.sub(lambda short: f"The user {_LONG[short[1].lower()]}", line)


def user_kind(statement: str) -> MemoryKind:
    """Return `preference` for what the user likes or wants answers to be, else `fact`."""
    return "preference" if _PREFERENCE.match(statement) else "fact"
