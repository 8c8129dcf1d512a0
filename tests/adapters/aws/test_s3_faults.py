"""The fault injector itself: what it counts happened, and a count survives it."""

from collections.abc import Iterator
from typing import cast

import pytest

from emulation.counter_worker import Expected
from emulation.s3_endpoint import emulator_clients, fresh_store
from emulation.s3_faults import FAULTS, FaultInjector, Handler
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.errors import OutcomeUnknownError, PreconditionFailedError, UnavailableError
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.ports.object_store import ABSENT, ANY, StoredObject
from ports.object_store_contract import KEY, stored
from ports.object_store_races import in_threads


@pytest.fixture
def clients(moto_server: MotoServer) -> Iterator[S3Clients]:
    made = emulator_clients(moto_server.url)
    yield made
    made.writes.close()
    made.reads.close()


@pytest.fixture
def store(clients: S3Clients) -> S3Store:
    return fresh_store(clients)


def test_with_certainty_every_kind_comes_and_does_what_it_says(
    store: S3Store, clients: S3Clients
) -> None:
    injector = FaultInjector(1.0, seed=7)
    injector.attach(clients.writes)
    stored_by: dict[str, bool] = {}
    for number in range(60):
        before = dict(injector.counts)
        with pytest.raises((OutcomeUnknownError, PreconditionFailedError)):
            store.put(f"k/{number}", b"1", expect=ABSENT)
        (kind,) = [name for name in FAULTS if injector.counts[name] != before.get(name, 0)]
        stored_by.setdefault(kind, store.get(f"k/{number}") is not None)
    injector.close()
    assert stored_by == {kind: kind in {"lost response", "500 after commit"} for kind in FAULTS}


def test_one_seed_gives_one_sequence(store: S3Store, clients: S3Clients) -> None:
    def sequence(seed: int) -> list[str]:
        injector = FaultInjector(0.5, seed)
        clients.writes.meta.events.register("before-send.s3", cast("Handler", injector))
        told = []
        for number in range(12):
            try:
                store.put(f"{seed}/{number}", b"1", expect=ABSENT)
            except (OutcomeUnknownError, PreconditionFailedError) as exc:
                told.append(exc.args[0])
            else:
                told.append("stored")
            store_clean = store.list(f"{seed}/{number}").entries
            told.append(str(len(store_clean)))
        clients.writes.meta.events.unregister("before-send.s3", cast("Handler", injector))
        injector.close()
        for number in range(12):
            store.delete(f"{seed}/{number}", expect=ANY)
        return told

    assert sequence(1) == sequence(1) != sequence(2)


def test_an_unconditional_request_meets_no_refusal(store: S3Store, clients: S3Clients) -> None:
    injector = FaultInjector(1.0, seed=3)
    injector.attach(clients.writes)
    for _ in range(30):
        with pytest.raises(OutcomeUnknownError):
            store.overwrite(KEY, b"1")
    injector.close()
    assert not {"409", "412"} & set(injector.counts)


def count_with_read_back(store: S3Store, name: str, times: int) -> None:
    """Count up; after an unclear answer look for one's own mark before trying again."""
    done = 0
    while done < times:
        mark = f"{name}.{done}"
        try:
            found = store.get(KEY)
            marks = found.body.decode().split() if isinstance(found, StoredObject) else []
            if mark not in marks:
                expect: Expected = found.etag if isinstance(found, StoredObject) else ABSENT
                store.put(KEY, " ".join([*marks, mark]).encode(), expect=expect)
        except (OutcomeUnknownError, PreconditionFailedError, UnavailableError):
            continue
        done += 1


def test_writers_that_read_back_lose_and_double_nothing(store: S3Store, clients: S3Clients) -> None:
    """4 writers x 8, a fifth of all requests faulted."""
    injector = FaultInjector(0.2, seed=11)
    injector.attach(clients.writes)
    injector.attach(clients.reads)
    in_threads(4, lambda number: count_with_read_back(store, str(number), 8))
    injector.close()
    marks = stored(store).body.decode().split()
    assert sorted(marks) == sorted(f"{name}.{number}" for name in range(4) for number in range(8))
    assert injector.counts.total() > 10
