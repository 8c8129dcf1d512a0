"""Sixteen writers remember the same statement at once: one memory, each source counted once."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from emulation.s3_endpoint import emulator_clients, fresh_store
from emulation.s3_faults import FAULTS, FaultInjector
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import SeededEntropy
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.memory import writer as memory_writes
from everturn.memory.model.codec import encode_memory, parse_memory
from everturn.memory.model.identity import source_ref
from everturn.memory.model.memory import Memory
from everturn.ports.object_store import ObjectStore
from everturn.values.keys import memories_prefix, rid_of_key
from fakes.fast_clock import FastClock
from fakes.faulty_store import Fault, FaultyStore, seeded
from fakes.schedule import Call, run_in_order
from scenarios.memory_process import MemoryProcess, live
from scenarios.memory_traces import body_at
from scenarios.process import SCOPE

pytestmark = pytest.mark.slow

WRITERS, ROUNDS, SHARE = 16, 8, 0.2
BUCKET = "remembered-at-once"
CLOCK = FastClock()


def _key(writer: int, number: int) -> str:
    """Two writers share each source, and say it as often: it counts once."""
    return f"key {writer // 2} {number}"


def _in_other_words(writer: int, number: int) -> str:
    words = ["Dana", "drinks", "green", "tea", "in", "/srv/App"]
    blanks = "  \t "[writer % 4] * (1 + number % 3)
    said = [word if "/" in word else word.upper() if writer & 1 << at % 4 else word.lower()
            for at, word in enumerate(words)]  # fmt: skip
    return ("", " ", "\n")[number % 3] + blanks.join(said) + ("", ".", "!", " .")[writer % 4]


def _process(store: ObjectStore, writer: int) -> MemoryProcess:
    return MemoryProcess(store, MemoryStore(CLOCK), CLOCK, SeededEntropy(f"w {writer}"), SCOPE)


def _remember_at_once(processes: list[MemoryProcess]) -> list[bool]:
    """Let each process say it some times, all at once; return whether each call created it."""

    def write(writer: int) -> list[bool]:
        process = processes[writer]
        created = []
        for number in range(ROUNDS):
            key = _key(writer, number)
            remembered = process.remember(_in_other_words(writer, number), source=key)
            assert source_ref("key", key) in live(remembered).refs
            created.append(remembered.created)
        return created

    with ThreadPoolExecutor(len(processes)) as threads:
        done = [threads.submit(write, writer) for writer in range(len(processes))]
        return [created for one in done for created in one.result()]


def _only_memory(store: ObjectStore) -> Memory:
    [key] = store.list(memories_prefix(SCOPE)).keys
    return parse_memory(body_at(store, key), rid_of_key(key))


def _assert_all_counted_once(store: ObjectStore, writers: int, rounds: int = ROUNDS) -> None:
    memory = _only_memory(store)
    keys = {_key(writer, number) for writer in range(writers) for number in range(rounds)}
    assert sorted(memory.refs) == sorted(source_ref("key", key) for key in keys)
    assert memory.count == len(keys)
    assert memory.statement.casefold().split()[:2] == ["dana", "drinks"]
    assert "/srv/App" in memory.statement


@pytest.fixture(params=["memory", "directory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ObjectStore:
    return (
        MemoryStore(CLOCK) if request.param == "memory" else DirectoryStore(tmp_path, clock=CLOCK)
    )


def test_one_memory_comes_of_it_and_one_call_created_it(store: ObjectStore) -> None:
    created = _remember_at_once([_process(store, writer) for writer in range(WRITERS)])
    _assert_all_counted_once(store, WRITERS)
    assert created.count(True) == 1


def test_under_faults_nothing_is_lost_and_nothing_doubled(store: ObjectStore) -> None:
    stores = [
        FaultyStore(store, seeded(SeededEntropy(f"faults {writer}"), SHARE), delay=1 + writer % 4)
        for writer in range(WRITERS)
    ]
    created = _remember_at_once([_process(one, writer) for writer, one in enumerate(stores)])
    for one in stores:
        one.land_all()
    _assert_all_counted_once(store, WRITERS)
    # Who created it without hearing of it, and found others' words on it, does not know.
    assert created.count(True) <= 1
    assert {fault for one in stores for _, fault in one.failed} == set(Fault)


def _s3(clients: S3Clients) -> S3Store:
    return S3Store(bucket=BUCKET, prefix="p", writes=clients.writes, reads=clients.reads)


def test_on_s3_under_faults_nothing_is_lost_and_nothing_doubled(
    moto_server: MotoServer, moto_clients: S3Clients, faulted: list[FaultInjector]
) -> None:
    moto_clients.writes.create_bucket(Bucket=BUCKET)
    processes: list[MemoryProcess] = []
    for writer in range(WRITERS):
        clients = emulator_clients(moto_server.url)
        injector = FaultInjector(SHARE, seed=writer)
        injector.attach(clients.writes)
        injector.attach(clients.reads)
        faulted.append(injector)
        processes.append(_process(_s3(clients), writer))
    created = _remember_at_once(processes)
    quiet = _s3(moto_clients)
    _assert_all_counted_once(quiet, WRITERS)
    assert created.count(True) <= 1
    counts = sum((one.counts for one in faulted), Counter[str]())
    assert set(FAULTS) - {"409", "412"} <= set(counts)
    assert {"409", "412"} & set(counts)


@pytest.fixture
def faulted() -> Iterator[list[FaultInjector]]:
    injectors: list[FaultInjector] = []
    yield injectors
    for injector in injectors:
        injector.close()


@pytest.mark.seaweedfs
def test_on_a_real_s3_server_nothing_is_lost_and_nothing_doubled(
    seaweed_clients: S3Clients,
) -> None:
    """Four writers: this server waits a second for a contended lock."""
    store = fresh_store(seaweed_clients)
    created = _remember_at_once([_process(store, writer) for writer in range(4)])
    _assert_all_counted_once(store, 4)
    assert created.count(True) <= 1


def test_the_check_fails_for_a_writer_that_overwrites(monkeypatch: pytest.MonkeyPatch) -> None:
    """Negative control: without compare-and-swap a writer undoes what another said."""
    store = MemoryStore(CLOCK)

    def overwrite(writer: memory_writes.MemoryWriter, key: str, wanted: Memory, *_: object) -> str:
        return writer.store.overwrite(key, encode_memory(wanted))

    monkeypatch.setattr(memory_writes.MemoryWriter, "_write", overwrite)
    calls = {str(writer): _call(writer) for writer in range(WRITERS)}
    # All read before anybody writes.
    run_in_order(store, calls, [*calls])
    with pytest.raises(AssertionError):
        _assert_all_counted_once(store, WRITERS, rounds=1)


def _call(writer: int) -> Call:
    return lambda store: _process(store, writer).remember(
        _in_other_words(writer, 0), source=_key(writer, 0)
    )
