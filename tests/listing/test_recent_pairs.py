"""Questions with their answers: what is a pair, and that none is cut where a segment ends."""

import pytest

from everturn.conversations.model import sealing
from everturn.conversations.model.turn import TurnDraft
from everturn.errors import InvalidRequestError
from everturn.values.go_json import JsonValue
from listing.recent_calls import Pair, Recent, dice, draft, expected_pairs, paired, window
from listing.test_recent_turns import TINY
from scenarios.world import World


@pytest.fixture
def recent(world: World) -> Recent:
    return Recent(world)


def _said(world: World, *roles: str) -> None:
    drafts = [draft(role, at - 100) for at, role in enumerate(roles)]
    world.process().append_drafts(drafts, to="c")


RULES: dict[str, tuple[list[str], list[Pair]]] = {
    "one answer": (["user", "assistant"], [(("c", 0), (1,))]),
    "two answers": (["user", "assistant", "assistant"], [(("c", 0), (1, 2))]),
    "no answer": (["user"], [(("c", 0), ())]),
    "two questions in a row": (
        ["user", "user", "assistant"],
        [(("c", 1), (2,)), (("c", 0), ())],
    ),
    "tools, systems and others in between": (
        ["user", "assistant", "tool", "system", "Ann", "assistant", "user"],
        [(("c", 6), ()), (("c", 0), (1, 5))],
    ),
    "an answer without a question": (["assistant", "tool"], []),
    "an answer before the first question": (["assistant", "user", "assistant"], [(("c", 1), (2,))]),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_question_goes_with_the_answers_up_to_the_next_one(
    world: World, recent: Recent, rule: str
) -> None:
    roles, pairs = RULES[rule]
    _said(world, *roles)

    assert paired(recent.page(pairs=True).items) == pairs


def test_a_result_of_a_tool_is_no_question_and_a_mere_call_no_answer(
    world: World, recent: Recent
) -> None:
    """Anthropic and Bedrock bring results back in turns of the user."""
    call: JsonValue = [{"type": "tool_use", "id": "1", "name": "f", "input": {}}]
    result: list[JsonValue] = [{"type": "tool_result", "tool_use_id": "1", "content": "sunny"}]
    bedrock: JsonValue = [{"toolResult": {"toolUseId": "1", "content": [{"text": "sunny"}]}}]
    both: JsonValue = [*result, {"type": "text", "text": "And tomorrow?"}]
    drafts = [
        TurnDraft("user", "How is the weather?"),
        TurnDraft("assistant", content=call),
        TurnDraft("user", content=result),
        TurnDraft("assistant", content=call),
        TurnDraft("user", content=bedrock),
        TurnDraft("assistant", "Sunny."),
        TurnDraft("user", content=both),
        TurnDraft("assistant", "Rain."),
    ]
    world.process().append_drafts(drafts, to="c")

    assert paired(recent.page(pairs=True).items) == [(("c", 6), (7,)), (("c", 0), (5,))]


def test_a_pair_belongs_to_the_time_of_its_question(world: World, recent: Recent) -> None:
    _said(world, "user", "assistant", "user", "assistant")

    assert paired(recent.page(pairs=True, window=window(-100, -99)).items) == [(("c", 0), (1,))]
    assert paired(recent.page(pairs=True, window=window(-99, -98)).items) == []
    assert paired(recent.page(pairs=True, window=window(-99, None)).items) == [(("c", 2), (3,))]


def test_a_limit_counts_pairs(world: World, recent: Recent) -> None:
    _said(world, *["user", "assistant"] * 5)

    page = recent.page(2, pairs=True)

    assert paired(page.items) == [(("c", 8), (9,)), (("c", 6), (7,))]
    assert paired(recent.walk(2, pairs=True)) == paired(recent.page(pairs=True).items)


def test_roles_do_not_go_with_pairs(recent: Recent) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        recent.page(pairs=True, roles=["user"])
    assert caught.value.field == "roles"


def test_a_pair_above_the_size_of_an_answer_is_cut_and_says_so(
    world: World, recent: Recent
) -> None:
    process = world.process()
    process.append_drafts([draft("user", -9)], to="c")
    for number in range(5):
        process.append_drafts([draft("assistant", -8, str(number) * 900_000)], to="c")
    process.append_drafts([draft("user", -7)], to="c")

    newest, cut = recent.walk(50, pairs=True)

    assert paired([newest, cut]) == [(("c", 6), ()), (("c", 0), (1, 2, 3))]
    assert (newest.is_cut, cut.is_cut) == (False, True)


@pytest.mark.parametrize("seed", range(12))
def test_a_walk_shows_every_pair_once_and_whole(
    world: World, recent: Recent, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Wherever segments end: between a question and its answers, or among these."""
    monkeypatch.setattr(sealing, "LIMITS", TINY)
    chance = dice(seed)
    ids = [f"c{number}" for number in range(chance.randint(1, 8))]
    for id_ in (chance.choice(ids) for _ in range(60)):
        roles = chance.choices(["user", "assistant", "tool"], [2, 5, 1], k=chance.randint(1, 4))
        drafts = [draft(role, chance.randint(-90, 0)) for role in roles]
        world.process().append_drafts(drafts, to=id_)
    used = [row.conversation_id for row in world.process().walk(limit=1_000)]
    chosen = chance.choice([window(None, None), window(-60, -20)])

    found = recent.walk(chance.choice([1, 3, 1_000]), window=chosen, pairs=True)

    assert paired(found) == expected_pairs(world, used, window=chosen)
    assert not any(item.is_cut or item.is_open for item in found)
