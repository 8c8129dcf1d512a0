"""JSON together with where each value stands."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.values.go_json import JsonObject, JsonValue, inside, items_of, members_of
from strategies.json_values import json_objects, json_values

indents = st.sampled_from([None, 0, 3])


@given(value=json_objects, indent=indents, ascii_only=st.booleans())
def test_every_member_is_read_and_stands_where_it_is_said_to(
    value: JsonObject, indent: int | None, *, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    members, spans = members_of(text)
    assert members == value
    assert {name: json.loads(text[slice(*span)]) for name, span in spans.items()} == value


@given(st.lists(json_values), indents)
def test_the_inside_of_an_array_comes_apart_into_its_values(
    values: list[JsonValue], indent: int | None
) -> None:
    text = json.dumps({"a": values}, indent=indent)
    _, spans = members_of(text)
    items = items_of(inside(text, spans["a"]))
    assert [value for _, value in items] == values
    assert [json.loads(raw) for raw, _ in items] == values


def test_of_a_name_that_occurs_twice_the_last_counts() -> None:
    members, spans = members_of('{"a":1,"a": 22 }')
    assert (members, spans) == ({"a": 22}, {"a": (12, 14)})


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"a"}', '{"a":}', '{"a":1,}', '{"a":1 "b":2}', "{}{}", '{"a":NaN}']
)
def test_what_is_not_one_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        members_of(text)
