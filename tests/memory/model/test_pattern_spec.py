"""A pattern, its text form, its one line, and what is refused."""

import json
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.errors import InvalidRequestError
from everturn.memory.model.pattern_spec import MAX_ITEM_CHARS, MAX_ITEMS, PatternSpec, parse_spec
from everturn.values.go_json import JsonValue, dumps
from everturn.values.visible_text import is_blank, one_line
from memory.model.pattern_specs import pattern_specs
from strategies.json_values import json_values, loose_texts

RELEASE = PatternSpec(
    name="Release a build",
    trigger="a tag is pushed",
    preconditions=("CI is green", "on main"),
    steps=("run `make dist`", "upload dist/app-1.2.3.whl"),
    gotchas=("the cache is stale",),
    success_criteria=("pip finds it",),
)


def _refused(value: JsonValue, field: str = "spec") -> str | None:
    with pytest.raises(InvalidRequestError) as caught:
        parse_spec(value, field=field)
    return caught.value.field


@given(pattern_specs)
def test_a_pattern_is_read_as_it_was_encoded(spec: PatternSpec) -> None:
    assert parse_spec(spec.encode()) == spec


@given(pattern_specs)
def test_a_pattern_is_read_as_its_json(spec: PatternSpec) -> None:
    assert parse_spec(json.loads(dumps(spec.to_json()))) == spec


@given(pattern_specs)
def test_what_another_agent_encoded_is_read_as_the_same_pattern(spec: PatternSpec) -> None:
    assert parse_spec("neo.pattern.v1:" + json.dumps(spec.to_json())) == spec


def test_the_text_form_says_its_version() -> None:
    spec = PatternSpec("a<b", steps=("x", "y"))
    assert spec.encode() == 'everturn.pattern.v1:{"name":"a\\u003cb","steps":["x","y"]}'


@given(pattern_specs)
def test_json_leaves_out_what_is_empty(spec: PatternSpec) -> None:
    assert all(spec.to_json().values())
    held = [field.name for field in fields(spec) if getattr(spec, field.name)]
    assert list(spec.to_json()) == held


@given(st.text(max_size=20))
def test_a_plain_text_is_one_step(text: str) -> None:
    if is_blank(text):
        assert _refused(text) == "spec"
    else:
        assert parse_spec(text) == PatternSpec(steps=(text.strip(),))


@pytest.mark.parametrize("text", ["everturn.pattern.v2:{}", "pattern.v1:{}", "{}", "null"])
def test_a_text_without_our_prefix_is_plain(text: str) -> None:
    assert parse_spec(text) == PatternSpec(steps=(text,))


@given(loose_texts)
def test_a_step_is_its_own_line(text: str) -> None:
    assert PatternSpec(steps=(text,)).line == one_line(text)


@given(pattern_specs)
def test_a_line_holds_every_text(spec: PatternSpec) -> None:
    texts = [spec.name, spec.trigger]
    texts += [*spec.preconditions, *spec.steps, *spec.gotchas, *spec.success_criteria]
    assert all(one_line(text) in spec.line for text in texts)
    assert spec.line == one_line(spec.line) != ""


def test_a_line_says_when_what_first_how_and_what_to_watch() -> None:
    assert RELEASE.line == (
        "Release a build | when: a tag is pushed | first: CI is green; on main"
        " | steps: 1) run `make dist`; 2) upload dist/app-1.2.3.whl"
        " | watch out: the cache is stale | done when: pip finds it"
    )


def test_a_line_without_a_name_begins_with_the_trigger() -> None:
    assert PatternSpec(trigger="t", steps=("x",)).line == "when: t | steps: 1) x"


def test_steps_alone_are_numbered() -> None:
    assert PatternSpec(steps=("x", "y\nz")).line == "steps: 1) x; 2) y z"


@pytest.mark.parametrize(
    ("spec", "identity"),
    [
        (RELEASE, "Release a build"),
        (PatternSpec(trigger="t", steps=("x",)), "t"),
        (PatternSpec(steps=("x", "y")), "x\ny"),
        (PatternSpec(), ""),
    ],
)
def test_a_pattern_is_its_name_else_its_trigger_else_its_steps(
    spec: PatternSpec, identity: str
) -> None:
    assert spec.identity_text == identity


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ({"name": "n", "colour": "red"}, "spec.colour"),
        ({"name": "n", "x" * 900: 1}, "spec." + "x" * 64),
        ({"name": 7}, "spec.name"),
        ({"name": None}, "spec.name"),
        ({"name": " \u200b"}, "spec.name"),
        ({"name": "n" * 201}, "spec.name"),
        ({"name": "n", "trigger": ""}, "spec.trigger"),
        ({"trigger": "t" * 1_001}, "spec.trigger"),
        ({"steps": "one"}, "spec.steps"),
        ({"steps": {"1": "one"}}, "spec.steps"),
        ({"steps": None}, "spec.steps"),
        ({"steps": ["one", "two", " "]}, "spec.steps[2]"),
        ({"steps": ["one", ["two"]]}, "spec.steps[1]"),
        ({"steps": ["s" * 1_001]}, "spec.steps[0]"),
        ({"name": "n", "gotchas": ["g"] * 33}, "spec.gotchas"),
        ({"name": "n", "preconditions": [True]}, "spec.preconditions[0]"),
        ({"name": "n", "success_criteria": [1.5]}, "spec.success_criteria[0]"),
        ({}, "spec"),
        ({"steps": []}, "spec"),
        ({"gotchas": ["g"], "preconditions": ["p"]}, "spec"),
        ("", "spec"),
        ("s" * 1_001, "spec"),
        ("everturn.pattern.v1:", "spec"),
        ("everturn.pattern.v1:{", "spec"),
        ("everturn.pattern.v1:[]", "spec"),
        ("everturn.pattern.v1:null", "spec"),
        ("everturn.pattern.v1:{}", "spec"),
        ('everturn.pattern.v1:"neo.pattern.v1:{}"', "spec"),
        ('neo.pattern.v1:{"steps":[1]}', "spec.steps[0]"),
        ("neo.pattern.v1:" + "[" * 100_000, "spec"),
        ("neo.pattern.v1:" + "9" * 10_000, "spec"),
        (None, "spec"),
        (3, "spec"),
        (["a step"], "spec"),
    ],
)
def test_what_is_no_pattern_is_refused_with_its_path(value: JsonValue, field: str) -> None:
    assert _refused(value) == field
    assert _refused(value, "memories.0.spec") == f"memories.0.{field}"


@given(json_values | st.text(max_size=30).map("everturn.pattern.v1:".__add__))
def test_whatever_is_sent_is_read_or_refused(value: JsonValue) -> None:
    try:
        read = parse_spec(value)
    except InvalidRequestError:
        return
    assert not is_blank(read.identity_text)
    assert parse_spec(read.encode()) == read


def test_a_refusal_does_not_repeat_what_was_said() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        parse_spec({"steps": ["secret " * 200]})
    assert "secret" not in caught.value.message


def test_a_pattern_may_be_as_long_as_the_limits_say() -> None:
    longest: list[JsonValue] = ["x" * MAX_ITEM_CHARS] * MAX_ITEMS
    assert parse_spec({"name": "n" * 200, "steps": longest}).steps == tuple(longest)


def test_space_around_a_text_and_halves_of_characters_are_mended() -> None:
    value: JsonValue = {"name": " a \n", "steps": ["\t\ud800x"]}
    assert parse_spec(value) == PatternSpec("a", steps=("\ufffdx",))
