r"""Where a text holds what must stay as it is: addresses, hashes, ids, paths, numbers, dates.

What counts is told by marks that case does not change: a digit, `_`, `/`, `\`, `@`, `::`, a dot
inside a name, eight hexadecimal letters. So the spans of a text are those of the same text in
other case. A word in camelCase alone is a word: nobody can tell `iPhone` from `parseRow`.
"""

import re
from typing import Final

# One run: letters, digits, accents that stand apart (file names of macOS), and what joins them.
# The ellipsis is one: a shortened hash must not pass for two parts that both occur somewhere.
_JOINS: Final = r"#@./\\:+~\u2026-"
_IN_RUN: Final = rf"[\w\u0300-\u036f{_JOINS}]"
# An address goes on to the next space, quote or bracket of another kind.
_IN_ADDRESS: Final = r"[^\s<>\"`\u3000-\u303f\uff00-\uff0f]"
_NAME_WITH_DOT: Final = r"\w\w\.[a-zA-Z]|\w\.[a-zA-Z]{2}|(?<![\w.])\.[a-zA-Z]{2}"
_HEXADECIMAL: Final = "[a-fA-F]{8}"
_TELLING: Final = (
    rf"\d|[^\W_]_|_[^\W_]|\w[/\\]|[/\\]\.?\w|@\w|\w::\w|{_HEXADECIMAL}|{_NAME_WITH_DOT}"
)
# Most texts hold none, and most runs are words: two looks that cost little spare the third.
_MAY_TELL = re.compile(rf"[\d_/\\@]|\.\w|::|{_HEXADECIMAL}")
_NO_WORD: Final = rf"(?:[^\W\d_]*+[\d_\u0300-\u036f{_JOINS}]|{_HEXADECIMAL})"
_SPAN = re.compile(
    rf"(?<!{_IN_RUN})(?={_NO_WORD})(?={_IN_RUN}*?(?:{_TELLING}))"
    # A comma belongs to a number only: 5,000.
    rf"(?:(?={_IN_RUN}*://){_IN_ADDRESS}+|{_IN_RUN}+(?:(?<=\d),\d{_IN_RUN}*)*)"
)
# Marks before a run belong to it where they change what it says: -5, +49, ~/x, ./x, .env, ::1.
_BEFORE = re.compile(
    r"[-+.:#~\u2026]*?(?=[\w@/\\]|[-+]\d|~[/\\]|(?<!\.)\.{1,2}[/\\]|(?<!\.)\.\w|(?<!:)::\w)"
)
_AFTER: Final = "#@.:+~\u2026-"
_AFTER_ADDRESS: Final = _AFTER + ",;!?'*_)]}\u2019\u201d"
_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}
# 5PM is the number 5, and 15th is 15: people write the letters as they like.
_NUMBER_IN_WORDS = re.compile(r"([-+]?\d+(?:[.:,]\d+)*)(?:st|[nr]d|th|[ap]m|s)", re.IGNORECASE)
# Scripts that are written without spaces, as in terms: a word clings to the name beside it.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    r"\U00020000-\U0003ffff]"
)


def identifier_spans(text: str) -> list[tuple[int, int]]:
    """Return where identifiers begin and end in a text, as indices of code points.

    The spans are in order, never empty, never overlap, and begin and end inside one word.
    """
    if not _MAY_TELL.search(text):
        return []
    plain = text if text.isascii() else _UNSPACED.sub(" ", text)
    return [span for found in _SPAN.finditer(plain) if (span := _trimmed(found))]


def _trimmed(found: re.Match[str]) -> tuple[int, int] | None:
    run = _without_end(found[0])
    before = _BEFORE.match(run)
    # An underscore is part of a word, and alone it is none.
    if before is None or not any(map(str.isalnum, run[before.end() :])):
        return None
    begin = before.end()
    number = _NUMBER_IN_WORDS.fullmatch(run, begin)
    end = number.end(1) if number else len(run)
    return found.start() + begin, found.start() + end


def _without_end(run: str) -> str:
    if "://" not in run:
        return run.rstrip(_AFTER)
    end = len(run)
    while end and run[end - 1] in _AFTER_ADDRESS and not _closes(run[:end]):
        end -= 1
    return run[:end]


def _closes(address: str) -> bool:
    """Say whether the last mark is the bracket to one inside: `/wiki/Go_(game)`."""
    opening = _BRACKETS.get(address[-1], "")
    return bool(opening) and address.count(opening) >= address.count(address[-1])
