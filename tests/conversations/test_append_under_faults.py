"""Eight writers with 25 appends each on one conversation, a fifth of all requests faulted."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from emulation.s3_endpoint import emulator_clients
from emulation.s3_faults import FAULTS, FaultInjector
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import SeededEntropy
from everturn.conversations import append_turns
from everturn.conversations.read_record import StoredRecord
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.ports.object_store import ObjectStore
from everturn.values.go_json import dumps
from everturn.values.keys import Scope
from fakes.fast_clock import FastClock
from fakes.faulty_store import Fault, FaultyStore, seeded
from scenarios.process import Process
from scenarios.world import World

pytestmark = pytest.mark.slow

WRITERS, APPENDS, SHARE = 8, 25, 0.2
TS = "2025-05-05T05:05:05Z"
CLOCK = FastClock()


def _process(store: ObjectStore, writer: int, scope: Scope) -> Process:
    return Process(store, CLOCK, SeededEntropy(f"writer {writer}"), MemoryStore(CLOCK), scope=scope)


def _write_at_once(processes: list[Process], batch: int) -> None:
    """Let every process append its numbered turns in order, all processes at once."""

    def write(writer: int) -> None:
        for number in range(APPENDS):
            processes[writer].append(*(f"{writer} {number} {turn}" for turn in range(batch)))

    with ThreadPoolExecutor(len(processes)) as threads:
        for done in [threads.submit(write, writer) for writer in range(len(processes))]:
            done.result()


def _assert_all_there(texts: list[str], batch: int) -> None:
    """All turns exactly once, each writer's in its order, each batch in one piece."""
    parts = [tuple(map(int, text.split())) for text in texts]
    appends = [(writer, number) for writer, number, turn in parts if turn == 0]
    expected = [(writer, number) for writer in range(WRITERS) for number in range(APPENDS)]
    assert sorted(appends) == expected
    assert parts == [(*append, turn) for append in appends for turn in range(batch)]
    for writer in range(WRITERS):
        mine = [number for one, number in appends if one == writer]
        assert mine == list(range(APPENDS))


def test_on_s3_nothing_is_lost_and_nothing_doubled(
    moto_server: MotoServer, moto_clients: S3Clients, faulted: list[FaultInjector]
) -> None:
    moto_clients.writes.create_bucket(Bucket="under-faults")
    scope = Scope("acme", "ann")
    processes: list[Process] = []
    for writer in range(WRITERS):
        clients = emulator_clients(moto_server.url)
        injector = FaultInjector(SHARE, seed=writer)
        injector.attach(clients.writes)
        injector.attach(clients.reads)
        faulted.append(injector)
        store = S3Store(
            bucket="under-faults", prefix="p", writes=clients.writes, reads=clients.reads
        )
        processes.append(_process(store, writer, scope))

    _write_at_once(processes, batch=1)

    quiet = S3Store(
        bucket="under-faults", prefix="p", writes=moto_clients.writes, reads=moto_clients.reads
    )
    texts = [turn.text for turn in _process(quiet, WRITERS, scope).read().turns]
    _assert_all_there(texts, batch=1)
    counts = sum((injector.counts for injector in faulted), Counter[str]())
    assert set(counts) == set(FAULTS)
    assert counts.total() > WRITERS * APPENDS * SHARE


@pytest.fixture
def faulted() -> Iterator[list[FaultInjector]]:
    injectors: list[FaultInjector] = []
    yield injectors
    for injector in injectors:
        injector.close()


@pytest.mark.parametrize("kind", ["memory", "directory"])
@pytest.mark.parametrize("batch", [1, 3])
def test_on_every_other_store_nothing_is_lost_and_nothing_doubled(
    tmp_path: Path, kind: str, batch: int
) -> None:
    inner = MemoryStore(CLOCK) if kind == "memory" else DirectoryStore(tmp_path, clock=CLOCK)
    scope = Scope("local", "local")
    stores = [
        FaultyStore(inner, seeded(SeededEntropy(f"faults {writer}"), SHARE), delay=1 + writer % 4)
        for writer in range(WRITERS)
    ]
    _write_at_once([_process(store, n, scope) for n, store in enumerate(stores)], batch)
    for store in stores:
        store.land_all()

    texts = [turn.text for turn in _process(inner, WRITERS, scope).read().turns]
    _assert_all_there(texts, batch)
    failed = Counter(fault for store in stores for _, fault in store.failed)
    assert set(failed) == set(Fault)


def _round(seed: int, *, equal: bool = False) -> list[str]:
    """Let the writers append one after another, with faults by this seed; the texts stored."""
    world = World()
    stores = [
        FaultyStore(
            world.data, seeded(SeededEntropy(f"{seed} {writer}"), SHARE), delay=1 + writer % 4
        )
        for writer in range(WRITERS)
    ]
    processes = [world.process(store) for store in stores]
    for number in range(APPENDS):
        for writer, process in enumerate(processes):
            process.append("yes" if equal else f"{writer} {number} 0", ts=TS)
    for store in stores:
        store.land_all()
    return world.texts()


@pytest.mark.parametrize("seed", range(5))
def test_faults_by_seed_lose_nothing_and_double_nothing(seed: int) -> None:
    _assert_all_there(_round(seed), batch=1)


@pytest.mark.parametrize("seed", range(5))
def test_equal_turns_of_equal_time_are_all_kept_under_faults(seed: int) -> None:
    """Also where an unclear attempt was built on a head that others had left behind."""
    assert _round(seed, equal=True) == ["yes"] * WRITERS * APPENDS


@pytest.mark.parametrize("seed", range(5))
def test_the_check_fails_for_an_append_without_read_back(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: a retry that does not look for its own turns doubles them."""

    def never_mine(*_: object, **__: object) -> None:
        return None

    monkeypatch.setattr(append_turns, "_own_first_turn", never_mine)

    texts = _round(seed)

    assert len(texts) > WRITERS * APPENDS
    assert set(texts) == set(_expected())
    with pytest.raises(AssertionError):
        _assert_all_there(texts, batch=1)


@pytest.mark.parametrize("seed", range(5))
def test_the_check_fails_for_a_search_by_bytes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: of two identical turns of equal time the second is taken for the first."""

    def anywhere(call: append_turns.AppendCall, found: StoredRecord, **_: object) -> int | None:
        mine, count = call.turns.encoded, len(call.turns.encoded)
        stored = [dumps(value).encode() for value in found.record.values]
        starts = range(len(stored) - count + 1)
        return next((at for at in starts if tuple(stored[at : at + count]) == mine), None)

    monkeypatch.setattr(append_turns, "_own_first_turn", anywhere)

    assert len(_round(seed, equal=True)) < WRITERS * APPENDS
    _assert_all_there(_round(seed), batch=1)


def _expected() -> list[str]:
    return [f"{writer} {number} 0" for writer in range(WRITERS) for number in range(APPENDS)]
