"""What a reader sees of a text: blankness, one-line forms, cuts between grapheme clusters.

`sent_text` is a text as it is sent to a model: well-formed, without NUL, no longer than the model
takes.
"""

import re
import unicodedata

# Separators, controls and format characters show nothing. Unassigned code points count as visible:
# an older Unicode table must not hide a newer emoji.
_INVISIBLE_CATEGORIES = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf"})
# Letters and marks without ink, from Unicode's Default_Ignorable_Code_Point property, and the
# blank Braille pattern. https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point
_INVISIBLE_CHARS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
) | {chr(code) for code in (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))}
# Explicit bidirectional controls. https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_DROPPED = re.compile(f"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f{_BIDI}]")
_SPACES = re.compile(r"\s+")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def is_blank(text: str) -> bool:
    """Say whether a text has no visible character (a zero-width space is none)."""
    return not any(map(_is_visible, text))


def _is_visible(char: str) -> bool:
    if "!" <= char <= "~":
        return True
    return unicodedata.category(char) not in _INVISIBLE_CATEGORIES and char not in _INVISIBLE_CHARS


def well_formed(text: str) -> str:
    """Return a text with U+FFFD for each lone surrogate, which UTF-8 cannot hold."""
    return _LONE_SURROGATES.sub("\ufffd", text)


def one_line(text: str) -> str:
    """Return a text in one line: white space collapsed, controls and bidi controls dropped.

    Joiners (ZWJ, ZWNJ) stay: emoji and Persian need them.
    """
    return _SPACES.sub(" ", _DROPPED.sub("", well_formed(text))).strip()


def cut(text: str, limit: int) -> str:
    """Return at most `limit` code points of a text, and `…` if anything was left out.

    The cut moves back where it would split a grapheme cluster, unless that would leave nothing.
    """
    if len(text) <= limit:
        return text
    return text[: _cluster_start(text, limit)] + "…"


def _cluster_start(text: str, limit: int) -> int:
    """Return the last border between grapheme clusters at or before `limit`."""
    if text[: limit + 1].isascii():
        return limit
    import regex  # heavy, and only texts with other scripts need it

    # A cluster that ends behind the limit begins within this window, or is no real one.
    window = text[: limit + 64]
    last = 0
    for cluster in regex.finditer(r"\X", window):
        if cluster.start() > limit:
            break
        last = cluster.start()
    return last or limit


def sent_text(text: str, *, max_bytes: int) -> str:
    """Return the beginning of a text that a model can be asked about; "" if nothing is to see.

    The result is at most `max_bytes` of UTF-8 and ends between two characters. A lone surrogate
    becomes U+FFFD and NUL a blank: servers in C end a text there.
    """
    # No character takes less than a byte: only this much of a huge text is looked at.
    begun = well_formed(text[:max_bytes]).replace("\0", " ")
    cut = begun.encode()[:max_bytes].decode(errors="ignore")
    return "" if is_blank(cut) else cut
