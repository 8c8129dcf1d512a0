"""A text as it is sent to a model: well-formed, without NUL, no longer than the model takes."""

from everturn.values.visible_text import is_blank, well_formed


def sent_text(text: str, *, max_bytes: int) -> str:
    """Return the beginning of a text that a model can be asked about; "" if nothing is to see.

    The result is at most `max_bytes` of UTF-8 and ends between two characters. A lone surrogate
    becomes U+FFFD and NUL a blank: servers in C end a text there.
    """
    # No character takes less than a byte: only this much of a huge text is looked at.
    begun = well_formed(text[:max_bytes]).replace("\0", " ")
    cut = begun.encode()[:max_bytes].decode(errors="ignore")
    return "" if is_blank(cut) else cut
