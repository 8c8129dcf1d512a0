"""Every way to write a memory.

What is there before it, the call, and what must be true after it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from everturn.errors import NotFoundError
from everturn.memory.model.draft import SourceDraft
from everturn.memory.model.identity import source_ref
from everturn.ports.object_store import ObjectStore
from scenarios.memory_process import MemoryProcess, live, memory_process
from scenarios.memory_traces import assert_nothing_of, stored_memory
from scenarios.process import CONVERSATION
from scenarios.world import World

PORT, NEXT = "The port is 8080.", "The port is 9090."
SECRET: Final = "The vault opens with zanzibar."
STEPS = {"name": "Deploy", "steps": ["tag it"]}
OTHER_STEPS = {"name": "Deploy", "steps": ["tag it twice"]}
_OTHERS = 20


@dataclass(frozen=True)
class Path:
    """`call` may be made again after whatever happened to it; then `check` holds."""

    prepare: Callable[[MemoryProcess], str]
    """Returns the id of the memory that it is about."""
    call: Callable[[MemoryProcess, str], object]
    check: Callable[[World, str], None]


def prepared(path: Path) -> tuple[World, str]:
    """Return a world in which many memories are, and in the index."""
    world = World()
    world.process().append("a")
    process = memory_process(world)
    for number in range(_OTHERS):
        process.remember(f"Note {number} says nothing.")
    rid = path.prepare(process)
    world.clock.sleep(1)
    process.retrieve("note")
    world.clock.sleep(1)
    return world, rid


def through(
    world: World, data: ObjectStore | None = None, derived: ObjectStore | None = None
) -> MemoryProcess:
    """Return a process that starts now."""
    return memory_process(world, data=data, derived=derived)


def again(path: Path, world: World, rid: str) -> None:
    """Make the call once more, by a process that knows nothing."""
    world.clock.sleep(1)
    try:
        path.call(through(world), rid)
    except NotFoundError:
        # What was forgotten is not there to be forgotten.
        assert stored_memory(world, rid).is_forgotten


def _first(process: MemoryProcess) -> str:
    return live(process.remember(PORT, source="first")).rid


def _nothing(process: MemoryProcess) -> str:
    rid = live(memory_process(World()).remember(PORT)).rid
    assert rid not in process.parts.memory_loader().rows().rows
    return rid


def _secret(process: MemoryProcess) -> str:
    return live(process.remember(SECRET, source="first")).rid


def _forgotten(process: MemoryProcess) -> str:
    rid = _first(process)
    process.forget(rid)
    return rid


def _pattern(process: MemoryProcess) -> str:
    for source in ("one", "two", "three"):
        rid = live(process.remember(kind="pattern", spec=STEPS, source=source)).rid
    return rid


def _secret_pattern(process: MemoryProcess) -> str:
    process.remember(kind="pattern", spec={"name": "Deploy", "steps": [SECRET]}, source="one")
    process.retrieve("deploy")
    process.clock.sleep(1)
    return live(process.remember(kind="pattern", spec=STEPS, source="two")).rid


def _has_sources(*keys: str) -> Callable[[World, str], None]:
    def check(world: World, rid: str) -> None:
        refs = stored_memory(world, rid).refs
        assert sorted(refs) == sorted(source_ref("key", key) for key in keys)
        assert memory_process(world).texts("port")[0] == PORT

    return check


def _is_of_conversation(world: World, rid: str) -> None:
    sources = {one.conversation_id: one for one in stored_memory(world, rid).sources}
    assert set(sources) == {None, CONVERSATION}
    source = sources[CONVERSATION]
    assert (source.first_turn, source.quote) == (0, "a")


def _is_replaced(world: World, rid: str) -> None:
    found = memory_process(world).read(rid)
    assert found.view.memory.statement == NEXT
    assert [entry.statement for entry in found.history] == [PORT, NEXT]
    assert found.history[0].until_ns == found.history[1].since_ns
    assert [text for text in memory_process(world).texts("port") if "port" in text] == [NEXT]


def _is_reworded(world: World, rid: str) -> None:
    memory = stored_memory(world, rid)
    assert (memory.statement, memory.count, memory.pinned) == (PORT.upper(), 1, True)


def _is_pinned(world: World, rid: str) -> None:
    memory = stored_memory(world, rid)
    assert (memory.pinned, memory.importance, memory.count) == (True, 9, 1)


def _has_new_steps(world: World, rid: str) -> None:
    memory = stored_memory(world, rid)
    assert memory.spec is not None
    assert memory.spec.to_json() == OTHER_STEPS
    assert [one.spec.to_json() for one in memory.earlier] == [STEPS]


def _went_well(world: World, rid: str) -> None:
    memory = stored_memory(world, rid)
    assert [one.status for one in memory.outcomes] == ["success"]
    assert memory.strength == 0.8


def _is_promoted(world: World, rid: str) -> None:
    promoted = stored_memory(world, rid).promoted
    assert promoted is not None
    assert promoted.name == "deploy"


def _is_gone(world: World, rid: str) -> None:
    assert stored_memory(world, rid).is_forgotten
    assert_nothing_of(world, rid, SECRET, "zanzibar")


PATHS: Mapping[str, Path] = {
    "remember": Path(
        _nothing, lambda process, _: process.remember(PORT, source="k"), _has_sources("k")
    ),
    "reinforce": Path(
        _first, lambda process, _: process.remember(PORT, source="k"), _has_sources("first", "k")
    ),
    "reinforce from a conversation": Path(
        _first,
        lambda process, _: process.remember(PORT, source=SourceDraft(CONVERSATION, 0, quote="a")),
        _is_of_conversation,
    ),
    "bring back": Path(
        _forgotten, lambda process, _: process.remember(PORT, source="k"), _has_sources("k")
    ),
    "correct": Path(_first, lambda process, rid: process.change(rid, statement=NEXT), _is_replaced),
    "reword": Path(
        _first,
        lambda process, rid: process.change(rid, statement=PORT.upper(), pinned=True),
        _is_reworded,
    ),
    "correct a pattern": Path(
        _pattern, lambda process, rid: process.change(rid, spec=OTHER_STEPS), _has_new_steps
    ),
    "pin": Path(
        _first, lambda process, rid: process.change(rid, pinned=True, importance=9), _is_pinned
    ),
    "outcome": Path(
        _pattern, lambda process, rid: process.outcome(rid, "success", "four"), _went_well
    ),
    "promote": Path(_pattern, lambda process, rid: process.promote(rid), _is_promoted),
    "forget": Path(_secret, lambda process, rid: process.forget(rid), _is_gone),
    "forget a pattern": Path(_secret_pattern, lambda process, rid: process.forget(rid), _is_gone),
}
