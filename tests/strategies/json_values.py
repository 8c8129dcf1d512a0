"""What the property tests of the domain draw: hostile texts, JSON values, valid ids."""

from hypothesis import strategies as st

from everturn.values.go_json import JsonObject, JsonValue

LOOK_ALIKES = (
    '],"updated":"2026-01-01T00:00:00Z"}', '],"updated":"', '"turns":[', '"updated":"', '"}', "}]",
    "]", "{", '","', '"', "\\", "\\u0022", "<b>&", "\u2028\u2029", "\ufeff", "\x00", "\n",
)  # fmt: skip
"""Pieces of text that read like the end of a record, or like an escape."""

FIRST_NS, LAST_NS = 0, 4_133_980_800_000_000_000 - 1
"""The first and the last nanosecond of the years 1970 to 2100."""

times_ns = st.integers(FIRST_NS, LAST_NS)


def _joined(pieces: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(LOOK_ALIKES) | pieces, max_size=4).map("".join)


texts: st.SearchStrategy[str] = _joined(st.text(max_size=8))
"""Texts that UTF-8 can hold."""

loose_texts: st.SearchStrategy[str] = _joined(st.text(st.characters(), max_size=8))
"""Texts with lone surrogates among them."""


def values_of(strings: st.SearchStrategy[str]) -> st.SearchStrategy[JsonValue]:
    """Return JSON values of these strings, at any depth and as names."""
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    leaves: st.SearchStrategy[JsonValue] = st.none() | st.booleans() | numbers | strings
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strings, inner, max_size=3),
        max_leaves=6,
    )


json_values = values_of(texts)
json_objects: st.SearchStrategy[JsonObject] = st.dictionaries(texts, json_values, max_size=3)


def as_stored(value: JsonValue) -> JsonValue:
    """Return a value with U+FFFD for each lone surrogate, in names too."""
    if isinstance(value, str):
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in value)
    if isinstance(value, list):
        return [as_stored(inner) for inner in value]
    if isinstance(value, dict):
        return {str(as_stored(name)): as_stored(inner) for name, inner in value.items()}
    return value
