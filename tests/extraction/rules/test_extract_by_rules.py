"""Rules find what users state of themselves, and nothing that they do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cpu_time import cpu_limit
from everturn.conversations.model.turn import Turn
from everturn.extraction.answers.findings import Extracted
from everturn.extraction.rules.extract_by_rules import MAX_PER_TURN, extract_by_rules
from everturn.extraction.rules.statement_rules import RULES
from everturn.memory.model.draft import new_memory
from everturn.values.go_json import JsonObject
from everturn.values.identifier_spans import identifier_spans
from extraction.rules.empty_traps import EMPTY_TRAPS
from extraction.rules.fact_traps import FACT_TRAPS
from extraction.rules.stated_facts import STATED_FACTS
from extraction.rules.stated_limits import LIMITED_FACTS
from extraction.rules.value_traps import VALUE_TRAPS


def said(text: str, *, role: str = "user", index: int = 0, **value: object) -> Turn:
    fields: JsonObject = {"role": role, "text": text, **value}  # type: ignore[dict-item]
    return Turn(index, role, text, None, fields)


def found_in(*texts: str) -> list[Extracted]:
    return list(extract_by_rules([said(text, index=at) for at, text in enumerate(texts)]))


def statements_in(*texts: str) -> list[str]:
    return [str(one.draft.statement) for one in found_in(*texts)]


ALL_TRAPS = FACT_TRAPS | EMPTY_TRAPS | VALUE_TRAPS
TRAPS = [(why, text) for why, texts in ALL_TRAPS.items() for text in texts]


@pytest.mark.parametrize(("why", "text"), TRAPS, ids=[text for _, text in TRAPS])
def test_what_only_looks_like_a_fact_is_none(why: str, text: str) -> None:
    assert statements_in(text) == [], why


FACTS = (*STATED_FACTS, *LIMITED_FACTS)


@pytest.mark.parametrize(("text", "kind", "statement"), FACTS, ids=[fact[0] for fact in FACTS])
def test_what_a_user_states_is_found(text: str, kind: str, statement: str) -> None:
    found = {str(one.draft.statement): one for one in found_in(text)}

    assert statement in found
    assert found[statement].draft.kind == kind


# One sentence each: what governs one says nothing of the next.
PLAIN_FACTS = [
    text
    for text, _, _ in FACTS
    if not any(mark in text[:-1] for mark in ("\n", "? ", "! ", ". ")) and not text.endswith("?")
]
FRAMES = {
    "in quotation marks": '"{}"', "in curly ones": "\u201c{}\u201d", "code": "```\n{}\n```",
    "quoted": "> {}", "recalled": "<recalled_memory>{}</recalled_memory>",
    "tagged": "<doc>{}</doc>",
    "hypothetical": "If {}", "supposed": "Suppose {}", "reported": "Bob told me that {}",
    "reported before": "Bob says: {}", "asked": "Is it true that {}", "pretended": "Pretend: {}",
    "to be translated": "Translate: {}", "to be mended": "Fix this text: {}",
    "a draft": "Here is my draft:\n{}", "a letter": "Dear Sir,\n{}", "a joke": "{} Just kidding!",
    "a mail": "See below.\nOn Mon, 4 May 2026, Bob wrote:\n{}", "a protocol": "Bob: {}\nAnn: Hi",
    "a lie": "Two truths and a lie. {}", "a story": "Write me a story. {}",
    "a play": "Role-play! {}",
}  # fmt: skip


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_fact_within_a_frame_is_none(frame: str) -> None:
    framed = {text: statements_in(frame.format(text)) for text in PLAIN_FACTS}

    assert {text: found for text, found in framed.items() if found} == {}


def test_most_traps_hold_the_words_of_a_fact() -> None:
    """A trap without them is none: a rule that is asked where nothing guards it finds one."""
    asked = [text for _, text in TRAPS if any(rule.begins.search(text) for rule in RULES)]

    assert len(asked) > 0.7 * len(TRAPS)


def test_the_tables_hold_enough() -> None:
    assert min(map(len, (TRAPS, FACTS))) >= 40
    assert len({text for _, text in TRAPS}) == len(TRAPS)


@pytest.mark.parametrize("text", [text for text, _, _ in FACTS])
def test_a_draft_is_a_memory_and_its_quote_stands_in_its_turn(text: str) -> None:
    for one in extract_by_rules([said(text, index=7)]):
        memory = new_memory(one.draft)

        assert (one.first_turn, one.last_turn) == (7, 7)
        assert one.quote
        assert one.quote in text
        assert memory.provenance == "observed"


@pytest.mark.parametrize("text", [text for text, _, _ in FACTS])
def test_no_rule_makes_a_constraint_or_a_hard_one(text: str) -> None:
    for one in found_in(text):
        assert one.draft.kind in {"fact", "preference"}
        assert not one.draft.hard
        assert not one.draft.pinned


@pytest.mark.parametrize("role", ["assistant", "system", "tool", "developer", "", "Dana"])
def test_only_users_state_facts_of_the_user(role: str) -> None:
    assert extract_by_rules([said("My name is Dana.", role=role)]) == ()


@pytest.mark.parametrize("role", ["user", "User", "human"])
def test_a_user_is_called_so_or_human(role: str) -> None:
    assert len(extract_by_rules([said("My name is Dana.", role=role)])) == 1


def test_results_of_tools_in_a_turn_of_the_user_are_not_his_words() -> None:
    content = [{"type": "tool_result", "content": "My name is Bob."}]

    assert extract_by_rules([said("My name is Bob.", content=content)]) == ()


def test_a_redacted_turn_states_nothing() -> None:
    assert extract_by_rules([said("My name is Dana.", redacted=True)]) == ()


def test_a_play_goes_on_until_somebody_ends_it() -> None:
    play = "Let's role-play: you sell coffee."
    order = "My name is Bob and I prefer oat milk."

    assert statements_in(play, order, order) == []
    assert statements_in(play, order, "End of the role-play, thanks.", "My name is Dana.") == [
        "The user's name is Dana"
    ]


def test_facts_of_one_sentence_are_several() -> None:
    text = "My name is Dana, I live in Oslo, and I'm allergic to nuts."

    assert statements_in(text) == [
        "The user's name is Dana", "The user lives in Oslo", "The user is allergic to nuts",
    ]  # fmt: skip


def test_who_states_very_much_in_one_turn_has_pasted_it() -> None:
    text = " ".join(f"I like tea of brand {number}." for number in range(100))

    assert len(found_in(text)) == MAX_PER_TURN


def test_a_turn_too_long_to_be_typed_states_nothing() -> None:
    assert found_in("I prefer tea. " + "Some words of a book. " * 1_000) == []


def test_a_line_that_a_program_broke_is_no_whole_statement() -> None:
    text = "Thanks for all of that, it really helps me a lot. I prefer meetings in\nthe morning."

    assert found_in(text) == []


def test_what_is_remembered_by_request_is_the_users_only_where_it_is_of_the_user() -> None:
    subjects = [one.draft.subject for one in found_in(
        "Remember that the port is 8081.", "Remember that I have two kids.",
    )]  # fmt: skip

    assert subjects == ["", "user"]


@pytest.mark.parametrize(
    "text",
    [
        "I prefer " * 20_000,
        "my name is " * 20_000,
        "<a>" * 30_000,
        '"' * 100_001,
        "'a " * 50_000,
        "a:\n" * 30_000,
        "I like tea, " * 20_000,
        "-" * 100_000,
        "Bob: hi\n" * 20_000,
        "please " * 20_000,
        "remember that " * 20_000,
        "\n" * 100_000,
        " " * 100_000,
        "( " * 50_000,
        "ha" * 50_000,
        "1 " * 50_000,
        "write a " * 20_000,
        "```" * 30_000,
        "<recalled_memory>" * 20_000,
        "translate" + "x" * 100_000,
        "and " * 30_000,
        "On " * 30_000,
        "call me " + "A " * 280,
        "my favorite " + "x " * 290,
        "hi " * 190 + "I prefer tea",
        "hi, " * 120 + "zebra I prefer tea",
        "please, remember, " * 30 + "zebra I prefer tea",
        "text " * 200_000,
        "; " * 300_000,
        "|x " * 100_000,
        "Dear a:\n\n> b\n" * 40_000,
        "\u2018" * 100_000,
        "\u2018a " * 50_000,
    ],
    ids=range(33),
)
def test_a_turn_made_to_be_slow_is_not(text: str) -> None:
    with cpu_limit(10):
        assert len(found_in(text)) <= MAX_PER_TURN


PIECES = [
    "My name is Dana", "I prefer tea", "I live in Oslo", "remember that the port is 8081", ". ",
    ", ", " and ", "\n", "\n\n", '"', "'", "\u201c", "\u201d", "`", "```", "<recalled_memory>",
    "</recalled_memory>", "<x>", "</x>", "> ", "- ", "if ", "not ", "? ", "! ", "Bob: ", "lol",
    "😂", "my email is a.b@c.example", "always use /srv/x_1", " ", "\u2028", "\ud800", "é", "李雷",
    "\x00",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12).map("".join))
def test_quotes_and_identifiers_are_those_of_the_turn(text: str) -> None:
    for one in found_in(text):
        statement = str(one.draft.statement)

        new_memory(one.draft)
        assert one.quote in text
        for begin, end in identifier_spans(statement):
            assert statement[begin:end] in text


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_nothing_comes_from_inside_a_recalled_block(inside: str) -> None:
    inside = inside.replace("<recalled_memory>", "").replace("</recalled_memory>", "")

    assert found_in(f"<recalled_memory>{inside}</recalled_memory>") == []
    assert found_in(f"<recalled_memory>{inside}") == []


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_extraction_is_the_same_each_time(text: str) -> None:
    assert found_in(text) == found_in(text)
