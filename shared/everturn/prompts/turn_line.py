"""A turn as one line of a prompt: who said it, and what."""

from typing import Final

from everturn.conversations.model.turn import Turn
from everturn.recall.language.terms import matchable_text
from everturn.values.prompt_text import one_line

MAX_CHARS: Final = 2_000
"""A turn may be as long as a book; the whole of it is to be had by its number."""

# What has no ink goes: of a huge text so much is looked at.
_LOOKED_AT: Final = 4 * MAX_CHARS
# Whatever is longer is no word and no identifier: Chinese, Japanese and Thai have no blanks.
_LONGEST_WORD: Final = 400


def turn_line(turn: Turn) -> str:
    """Return a turn in one line of at most 2,000 characters and a mark where more follows.

    It ends between two words: a word may be an identifier. What was recalled into the turn is left
    out, for it is no more than was said before; where nothing else is in it, the line is "".
    """
    text = matchable_text(turn.text)
    if not text:
        return ""
    name = turn.value.get("name")
    speaker = name if isinstance(name, str) and name else turn.role
    line = one_line(f"{speaker}: {text[:_LOOKED_AT]}")
    if len(line) <= MAX_CHARS and len(text) <= _LOOKED_AT:
        return line
    # What was cut may be markup in another place than before.
    return one_line(f"{_whole_words(line[:MAX_CHARS])} …")


def _whole_words(line: str) -> str:
    words = line.rpartition(" ")[0]
    return words if len(line) - len(words) <= _LONGEST_WORD else line
