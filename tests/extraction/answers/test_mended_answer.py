"""What is kept of an answer that only a guess can read."""

import pytest
from hypothesis import given

from cpu_time import cpu_limit
from everturn.extraction.answers.locate_answer import mended
from everturn.values.go_json import JsonObject
from extraction.answers.model_answers import drawn_answers


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ('{"facts": ["a", "b", "user_facts": ["c"]}', {"facts": ["a", "b"], "user_facts": ["c"]}),
        ('{"facts": ["a", "b"}, "user_facts": ["c"]}', {"facts": ["a", "b"], "user_facts": ["c"]}),
        ('{"facts": ["a", "see ["x"] it", "user_facts": []}', {"facts": ["a"]}),
        ('{"facts": ["a", b c, "user_facts": ["d"]}', {"facts": ["a"], "user_facts": ["d"]}),
        ('{"facts": ["a" and "b", "c"}, "user_facts": []}', {"facts": ["c"]}),
        ('{"facts": ["said "x"; "y", "b"}, "user_facts": ["c"]}', None),
        ('{"facts": []', None),
        ('{"other": ["a", "b"', None),
        ("no object", None),
        ('{"facts": ["a"]' + " " * 5_000, None),
    ],
)
def test_brackets_are_mended_and_parts_of_strings_left_out(
    text: str, fields: JsonObject | None
) -> None:
    assert mended(text) == fields


@given(drawn_answers)
def test_each_text_stands_in_the_answer_between_quotes(text: str) -> None:
    found = mended(text) or {}

    for held in found.values():
        for item in held if isinstance(held, list) else []:
            assert not isinstance(item, str) or f'"{item}"' in text or "\\" in text


def test_what_stands_before_the_first_brace_is_not_looked_at() -> None:
    """Quadratic time would take minutes here."""
    with cpu_limit(10):
        assert mended('"a\\' * 60_000 + '{"facts": ["b", "c}') == {"facts": ["b"]}
