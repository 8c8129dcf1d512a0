"""What makes two statements one memory: their identity, the id made of it, and names of sources.

Two statements are one where a reader sees the same words: case, spacing, a full stop at the end,
typographic quotes, and what nobody sees make no difference. In doubt two stay two, for a statement
taken for another is lost, and one that is kept twice is only read twice. So `Node.js` and `node.js`
are two, as `README.md` and `readme.md` are: both may be the name of a file.
"""

import hashlib
import re
import unicodedata
from itertools import chain, groupby, pairwise
from typing import Final, Literal

from everturn.values.go_json import JsonValue, dumps
from everturn.values.identifier_spans import identifier_spans
from everturn.values.visible_text import is_blank, well_formed

IDENTITY_VERSION: Final = 1
"""Part of every id: other rules make other ids, never the same one for another statement."""

_RID_CHARS: Final = 32
_REF_CHARS: Final = 16
_RID = re.compile(f"[0-9a-f]{{{_RID_CHARS}}}")
_REF = re.compile(f"[0-9a-f]{{{_REF_CHARS}}}")
# Full stops that end a sentence, of Arabic and Devanagari too; a question is another statement.
_FINAL: Final = ".!\u3002\u06d4\u0964 "
# What shows nothing: controls, soft hyphen, fillers, zero-width space, marks of direction and of
# variants. Tags are kept: the flags of England and Scotland differ in nothing else.
# https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
_UNSEEN: Final = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    "\U000e0100-\U000e01ef"
)
# Joiners part words in Persian and make one emoji of two; beside ASCII they show nothing.
_IDLE_JOINER: Final = r"(?<![^\x00-\x7f])[\u200c\u200d]+|[\u200c\u200d]+(?![^\x00-\x7f])"
_INVISIBLE = re.compile(f"[{_UNSEEN}]+|{_IDLE_JOINER}")
# A phone writes the quotes that a keyboard does not have; the pattern of Braille shows a space.
_QUOTES: Final = "\u2018\u2019\u201c\u201d\u2800"
_TYPED = str.maketrans(_QUOTES, "''\"\" ")
# Most texts hold nothing of all this, and one look tells.
_RARE = re.compile(f"[{_UNSEEN}{_QUOTES}\u200c\u200d\ud800-\udfff]")
# NFKC makes 102 of 10², and of 1½ what reads like eleven halves; these keep their form.
_TELLING_FORMS: Final = ("<super>", "<sub>", "<fraction>", "<circle>")


def identity_of(text: str) -> str:
    """Return what a statement has in common with all that are the same; "" where it says nothing.

    NFKC but for raised, lowered, circled and broken numbers; full case folding outside identifiers
    as `verbatim.identifier_spans` finds them; white space collapsed; what is invisible left out;
    the end without `.`, `!` and `。`. The identity of an identity is itself. Lone surrogates are
    U+FFFD, as they are stored. A later Unicode table gives the same for all characters that this
    one knows. https://www.unicode.org/policies/stability_policy.html
    """
    if text.isascii():
        return _folded(text)
    known = ""
    # Folding may make what has a form to be normalised, and the other way round; twice is common.
    while text != known:
        known, text = text, _folded(_compatible(text))
    return text


def _folded(text: str) -> str:
    line = " ".join(_seen(text).split()).rstrip(_FINAL)
    spans = identifier_spans(line)
    if not spans:
        # What is kept for the sake of its neighbours may have none.
        return "" if is_blank(line) else line.casefold()
    edges = [0, *chain.from_iterable(spans), len(line)]
    parts = [line[begin:end] for begin, end in pairwise(edges)]
    # Between two edges there is a word, then an identifier, then a word.
    parts[::2] = map(str.casefold, parts[::2])
    return "".join(parts)


def _seen(text: str) -> str:
    if not _RARE.search(text):
        return text
    return _INVISIBLE.sub("", well_formed(text).translate(_TYPED))


def _compatible(text: str) -> str:
    """Return NFKC of a text, with the numbers that it would change as they are.

    https://www.unicode.org/reports/tr15/
    """
    if unicodedata.is_normalized("NFKC", text):
        return text
    runs = ((stays, "".join(chars)) for stays, chars in groupby(text, _keeps_its_form))
    return "".join(run if stays else unicodedata.normalize("NFKC", run) for stays, run in runs)


def _keeps_its_form(char: str) -> bool:
    is_number = unicodedata.category(char) == "No"
    return is_number or unicodedata.decomposition(char).startswith(_TELLING_FORMS)


def rid_of(kind: str, subject: str, identity: str) -> str:
    """Return the id of a memory: 32 lower-case hex digits, 128 bits of SHA-256.

    Args:
        kind: one of `memory.KINDS`.
        subject: whom it is about, in any case and spacing.
        identity: what `identity_of` returns.
    """
    return _hashed([IDENTITY_VERSION, kind, identity_of(subject), identity], _RID_CHARS)


def is_rid(value: str) -> bool:
    """Say whether a text can be the id of a memory."""
    return _RID.fullmatch(value) is not None


def is_ref(value: str) -> bool:
    """Say whether a text can be the name of a source."""
    return _REF.fullmatch(value) is not None


def source_ref(kind: Literal["conversation", "key", "direct"], value: str) -> str:
    """Return the name of a source: 16 lower-case hex digits.

    Args:
        kind: a conversation, an Idempotency-Key, or neither.
        value: the id of the conversation, in any Unicode form, or the key; "" for neither.
    """
    return _hashed([kind, unicodedata.normalize("NFC", value)], _REF_CHARS)


def _hashed(value: JsonValue, chars: int) -> str:
    return hashlib.sha256(dumps(value).encode()).hexdigest()[:chars]
