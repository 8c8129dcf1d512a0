"""Under which names the fields of an extraction are known."""

import pytest

from everturn.extraction.answers.field_values import field_of, fields_of, is_extraction


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("facts", "facts"), ("Facts", "facts"), ("fact", "facts"), ("userFacts", "user_facts"),
        ("USER_FACTS", "user_facts"), ("User facts", "user_facts"), (" outcome ", "outcome"),
        ("user-fact", "user_facts"), ("factual", ""), ("name", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_field_is_known_by_its_name_in_any_spelling(name: str, field: str) -> None:
    assert field_of(name) == field


def test_the_first_of_two_names_of_a_field_counts_and_null_is_nothing() -> None:
    fields = fields_of({"fact": None, "facts": ["a"], "Facts": ["b"], "other": 1})

    assert fields == {"facts": ["a"]}


def test_a_schema_of_an_extraction_is_none() -> None:
    assert is_extraction({"facts": []})
    assert not is_extraction({"facts": [], "properties": {}})
    assert not is_extraction(["facts"])
