"""One memory with its history: what it was, what came in its place, and when it cannot be told."""

import pytest

from everturn.errors import CorruptRecordError, NotFoundError, UnavailableError
from everturn.memory.index import load_rows
from everturn.memory.model.pattern_spec import PatternSpec
from everturn.values.keys import memory_key
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.world import World


@pytest.fixture
def process(world: World) -> MemoryProcess:
    return memory_process(world)


def test_a_memory_that_was_never_replaced_has_itself_as_its_history(process: MemoryProcess) -> None:
    memory = live(process.remember("Dana likes tea.", valid_from_ns=5))
    found = process.read(memory.rid)
    assert found.view.memory == memory
    assert [(one.rid, one.since_ns, one.until_ns) for one in found.history] == [
        (memory.rid, 5, None)
    ]


def test_the_specs_of_a_pattern_follow_one_another(process: MemoryProcess) -> None:
    start_ns = process.clock.now_ns()
    for number, step in enumerate("abc"):
        spec = {"name": "Deploy", "steps": [step]}
        rid = live(process.remember(kind="pattern", spec=spec, source=f"k{number}")).rid
        process.clock.sleep(1)
    second = 10**9
    assert [(one.spec, one.since_ns, one.until_ns) for one in process.read(rid).history] == [
        (PatternSpec("Deploy", steps=("a",)), start_ns, start_ns + second),
        (PatternSpec("Deploy", steps=("b",)), start_ns + second, start_ns + 2 * second),
        (PatternSpec("Deploy", steps=("c",)), start_ns + 2 * second, None),
    ]


@pytest.mark.parametrize("rid", ["", "x", "0" * 32, "..", "a/b"])
def test_an_unknown_id_is_not_there(process: MemoryProcess, rid: str) -> None:
    process.remember("Dana likes tea.")
    with pytest.raises(NotFoundError):
        process.read(rid)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"id":"x"}'])
def test_one_that_cannot_be_read_is_told(world: World, process: MemoryProcess, body: bytes) -> None:
    rid = live(process.remember("Dana likes tea.")).rid
    world.data.overwrite(memory_key(world.scope, rid), body)
    for reader in (process, memory_process(world)):
        with pytest.raises(CorruptRecordError):
            reader.read(rid)
        with pytest.raises(CorruptRecordError):
            reader.forget(rid)


def test_one_that_was_not_looked_at_yet_is_to_be_asked_for_again(
    world: World, process: MemoryProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there: nobody may be told that it is not."""
    rid = live(process.remember("Dana likes tea.")).rid
    monkeypatch.setattr(load_rows, "_READING_S", 0.0)
    cold = memory_process(world)
    with pytest.raises(UnavailableError):
        cold.read(rid)
    assert cold.page().pending == 1
    monkeypatch.undo()
    assert cold.read(rid).view.memory.rid == rid


def test_a_replaced_one_whose_successor_cannot_be_read_is_shown(
    world: World, process: MemoryProcess
) -> None:
    old = live(process.remember("The port is 8080."))
    process.clock.sleep(1)
    new = process.change(old.rid, statement="The port is 9090.").view.memory
    world.data.overwrite(memory_key(world.scope, new.rid), b"{")
    assert memory_process(world).read(old.rid).view.memory == old
