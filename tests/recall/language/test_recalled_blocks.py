"""What of a text was recalled into it, as matching knows it too."""

from hypothesis import given
from hypothesis import strategies as st

from everturn.recall.language.terms import matchable_text, outside_recalled
from strategies.hostile_texts import hostile_texts

_TAGS = (
    "<recalled_memory>",
    "</recalled_memory>",
    "<Recalled_Memory x>",
    "</recalled_memory >",
    "a",
)


@given(st.lists(st.sampled_from(_TAGS) | hostile_texts, max_size=8).map("".join))
def test_what_is_outside_is_what_is_matched(text: str) -> None:
    spans = list(outside_recalled(text))

    assert all(begin < end for begin, end in spans)
    assert spans == sorted(spans)
    assert " ".join(" ".join(text[slice(*span)] for span in spans).split()) == matchable_text(text)
