"""Another program writes the head that it read before turns were sealed: no sealed turn is lost."""

import json

import pytest

from everturn.conversations.model.write_ring import ring_of
from everturn.conversations.read_conversation import export_conversation
from everturn.values.go_json import JsonObject
from scenarios.process import CONVERSATION, SCOPE
from scenarios.sealed_world import (
    TS,
    fill,
    orphans,
    said,
    sealed_of,
    segments_there,
    stored_texts,
)
from scenarios.world import World
from transfer.export_calls import page_of
from upkeep.sweep_calls import DAY_S, HOUR_S, swept_after

READ_AT = 20

pytestmark = pytest.mark.usefixtures("small")


@pytest.fixture(params=[0, 60], ids=["equal times", "a minute apart"])
def seconds(request: pytest.FixtureRequest) -> float:
    """Return how far turns are apart."""
    assert isinstance(request.param, int)
    return request.param


def head_of(world: World) -> JsonObject:
    """Return what the other program reads."""
    head = json.loads(world.stored().body)
    assert isinstance(head, dict)
    return head


def go_writes(world: World, head: JsonObject, *texts: str) -> JsonObject:
    """Let it write what it read with turns of its own: no `sealed`, no metadata; what it wrote."""
    turns = head["turns"]
    assert isinstance(turns, list)
    new: list[JsonObject] = [{"role": "user", "text": text, "ts": TS} for text in texts]
    written: JsonObject = {
        "conversation_id": head["conversation_id"],
        "turns": [*turns, *new],
        "updated": "2026-07-07T07:07:07Z",
    }
    world.place(json.dumps(written, separators=(",", ":")).encode())
    return written


def exported(world: World) -> list[JsonObject]:
    """Return the turns of an export, which is of one line."""
    [line] = page_of(world).lines
    whole = export_conversation(store=world.data, scope=SCOPE, conversation_id=CONVERSATION)
    assert json.loads(line) == json.loads(whole)
    turns = json.loads(whole)["turns"]
    assert isinstance(turns, list)
    return turns


def read(world: World) -> list[str]:
    """Return all texts, whose numbers are their places."""
    page = world.process().page(0, limit=1_000)
    assert [turn.index for turn in page.turns] == list(range(len(page.turns)))
    return [turn.text for turn in page.turns]


@pytest.mark.parametrize("appended", [0, 5, 10, 12, 20, 30, 70])
def test_turns_sealed_since_keep_their_numbers_and_the_others_follow(
    world: World, seconds: float, appended: int
) -> None:
    """After no, one, two and more seals since it read."""
    process = world.process()
    fill(process, READ_AT, seconds=seconds)
    known = head_of(world)
    fill(process, appended, start=READ_AT, seconds=seconds)
    sealed = sealed_of(world)
    go_writes(world, known, "from go")

    kept = [said(number) for number in range(max(sealed.turns, READ_AT))]
    assert read(world) == [*kept, "from go"]
    [row] = world.process().list_page().rows
    assert (row.title, row.preview, row.turn_count) == (said(0), "from go", len(kept) + 1)

    outcome = world.process().append("mine")
    assert outcome.first_turn == len(kept) + 1
    assert stored_texts(world) == read(world) == [*kept, "from go", "mine"]
    for hours in (1, 25, 50):
        swept_after(world, hours * HOUR_S)
        assert read(world) == [*kept, "from go", "mine"]

    more = fill(world.process(), 30, start=500)
    swept_after(world, 2 * DAY_S)
    assert (orphans(world), stored_texts(world)) == ([], [*kept, "from go", "mine", *more])
    go_writes(world, head_of(world), "again")
    assert read(world) == [*kept, "from go", "mine", *more, "again"]


@pytest.mark.parametrize("days", [0, 4])
def test_it_may_do_so_again_and_again(world: World, seconds: float, days: int) -> None:
    """Each time with what it wrote itself, whether a sweep removed the older segments or not."""
    process = world.process()
    texts = fill(process, READ_AT, seconds=seconds)
    known = head_of(world)
    for turn in range(3):
        start = 100 * (turn + 1)
        texts += fill(process, 15, start=start, seconds=seconds)
        swept_after(world, days * DAY_S)
        sealed = sealed_of(world).turns
        known = go_writes(world, known, f"go {turn}")
        texts = [*texts[:sealed], f"go {turn}"]
        assert read(world) == texts
        process = world.process()
    process.append("mine")
    swept_after(world, 9 * DAY_S)
    assert stored_texts(world) == [*texts, "mine"]


@pytest.mark.parametrize("appended", [15, 35])
def test_a_head_of_which_all_was_sealed_since_adds_nothing(
    world: World, seconds: float, appended: int
) -> None:
    """A list shows the newest of all turns; a pop takes that one."""
    fill(world.process(), READ_AT, seconds=seconds)
    known = head_of(world)
    fill(world.process(), appended, start=READ_AT, seconds=seconds)
    count = sealed_of(world).turns
    go_writes(world, known)

    texts = [said(number) for number in range(count)]
    assert read(world) == texts
    [row] = world.process().list_page().rows
    assert (row.title, row.preview, row.turn_count) == (said(0), said(count - 1), count)
    assert exported(world)[-1]["text"] == said(count - 1)
    assert world.process().pop(expected=count).turn_count == count - 1
    world.process().append("mine")
    swept_after(world, 3 * DAY_S)
    assert stored_texts(world) == [*texts[:-1], "mine"]


def test_a_turn_that_was_redacted_after_it_read_stays_redacted(world: World) -> None:
    fill(world.process(), READ_AT, seconds=1)
    known = head_of(world)
    fill(world.process(), 15, start=READ_AT, seconds=1)
    assert world.process().redact(15).complete
    count = sealed_of(world).turns
    go_writes(world, known, "from go")

    texts = [said(number) for number in range(count)]
    assert read(world) == [*texts[:15], "", *texts[16:], "from go"]
    world.process().append("mine")
    assert said(15).encode() not in world.stored().body


def test_what_it_wrote_before_and_was_sealed_since_is_not_said_twice(world: World) -> None:
    """It writes from memory: turns that we added in between are unknown to it."""
    fill(world.process(), READ_AT, seconds=1)
    known = head_of(world)
    fill(world.process(), 12, start=READ_AT, seconds=1)
    known = go_writes(world, known, "go 0")
    texts = read(world)
    texts += fill(world.process(), 30, start=100, seconds=1)
    sealed = sealed_of(world).turns
    assert sealed > texts.index("go 0")
    go_writes(world, known, "go 1")

    assert read(world) == [*texts[:sealed], "go 1"]


def _strange(world: World) -> list[str]:
    """Let another program put quite another conversation there; what the segments hold."""
    fill(world.process(), 40, seconds=1)
    there = segments_there(world)
    go_writes(world, {**head_of(world), "turns": []}, "not", "the", "same")
    return there


def test_segments_that_its_head_does_not_meet_stay_for_good(world: World) -> None:
    """What is read is what is there; what nobody can place is not removed by a sweep."""
    there = _strange(world)
    assert read(world) == ["not", "the", "same"]
    world.process().append("mine")
    fill(world.process(), 40, seconds=1)
    assert ring_of(world.stored().meta).keeps_segments
    swept_after(world, 100 * DAY_S)
    assert read(world)[:4] == ["not", "the", "same", "mine"]
    assert set(there) <= set(segments_there(world))


def test_nothing_goes_by_a_redaction_of_it_either_and_the_answer_says_so(world: World) -> None:
    """The numbers of the turns in the segments may be others."""
    there = _strange(world)
    world.process().append("mine")
    outcome = world.process().redact(2)
    assert not outcome.complete
    assert set(there) <= set(segments_there(world))
    assert stored_texts(world) == ["not", "the", "", "mine"]


def test_a_deletion_takes_them_all_and_ends_it(world: World) -> None:
    _strange(world)
    world.process().append("mine")
    assert world.process().delete().complete
    assert segments_there(world) == []
    world.process().create()
    assert not ring_of(world.stored().meta).keeps_segments


def test_segments_beside_a_head_that_was_emptied_stay(world: World) -> None:
    fill(world.process(), 40, seconds=1)
    there = segments_there(world)
    go_writes(world, {**head_of(world), "turns": []})
    world.process().append("mine")
    swept_after(world, 100 * DAY_S)
    assert set(there) <= set(segments_there(world))


def test_turns_sealed_after_a_head_that_was_still_whole_stay(world: World) -> None:
    """It begins with turn 0 and is taken as it is; what was sealed beyond it is not removed."""
    fill(world.process(), 10, seconds=1)
    known = head_of(world)
    fill(world.process(), 50, start=10, seconds=1)
    there = segments_there(world)
    go_writes(world, known, "from go")
    texts = [*(said(number) for number in range(10)), "from go"]
    assert read(world) == texts
    world.process().append("mine")
    swept_after(world, 100 * DAY_S)
    assert stored_texts(world) == [*texts, "mine"]
    assert set(there) <= set(segments_there(world))


def test_segments_of_which_its_head_holds_every_turn_go_with_the_sweep(world: World) -> None:
    fill(world.process(), 40, seconds=1)
    turns = [turn.value for turn in world.process().page(0, limit=99).turns]
    go_writes(world, {**head_of(world), "turns": list(turns)}, "from go")
    world.process().append("mine")
    swept_after(world, 3 * DAY_S)
    assert orphans(world) == []
    assert len(stored_texts(world)) == 42
