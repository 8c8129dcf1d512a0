"""The probe finds each kind of store that would lose writes, and cleans up."""

from collections.abc import Mapping
from typing import Literal

import pytest

from emulation.counting_store import CountingStore
from emulation.s3_endpoint import fresh_store
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock, SeededEntropy
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    MisconfiguredError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.ports.object_store import ABSENT, ANY, Etag, ObjectStore, Sentinel
from everturn.storage.probe_conditions import probe_conditions


class FaultyStore(MemoryStore):
    """Treats one condition as `fault` says, and answers a delete with `on_delete` if given."""

    def __init__(self, fault: str, *, on_delete: EverturnError | None = None) -> None:
        super().__init__(ManualClock())
        self._fault = fault
        self._on_delete = on_delete

    def delete(self, key: str, *, expect: Etag | Literal[Sentinel.ANY]) -> None:
        if self._on_delete:
            raise self._on_delete
        if self._fault == "deletes whatever is there":
            return super().delete(key, expect=ANY)
        if self._fault == "deletes nothing with an etag" and expect is not ANY:
            raise PreconditionFailedError("always")
        return super().delete(key, expect=expect)

    def put(
        self,
        key: str,
        body: bytes,
        *,
        expect: Etag | Literal[Sentinel.ABSENT],
        meta: Mapping[str, str] | None = None,
    ) -> Etag:
        condition = "If-None-Match" if expect is ABSENT else "If-Match"
        if self._fault == f"ignores {condition}":
            return self.overwrite(key, body)
        if self._fault == f"refuses {condition}" and self.get(key):
            raise PreconditionFailedError("always")
        if self._fault == f"loses {condition}":
            raise OutcomeUnknownError("lost")
        return super().put(key, body, expect=expect, meta=meta)


def left_over(store: ObjectStore) -> int:
    return len(store.list(".probe/").entries)


def test_a_store_that_keeps_conditions_passes_and_is_left_clean() -> None:
    store = CountingStore(MemoryStore(ManualClock()))
    probe_conditions(store=store, entropy=SeededEntropy())
    assert store.verbs() == ["put"] * 4 + ["delete"] * 2
    assert len({key for _, key in store.calls}) == 1
    assert left_over(store) == 0


@pytest.mark.parametrize("condition", ["If-None-Match", "If-Match"])
def test_a_store_that_ignores_a_condition_is_refused_by_its_name(condition: str) -> None:
    store = FaultyStore(f"ignores {condition}")
    with pytest.raises(MisconfiguredError, match=f"ignores .* condition={condition}$"):
        probe_conditions(store=store, entropy=SeededEntropy())
    assert left_over(store) == 0


def test_a_store_whose_delete_ignores_its_condition_is_refused() -> None:
    store = FaultyStore("deletes whatever is there")
    with pytest.raises(MisconfiguredError, match=r"ignores .* verb=delete condition=If-Match$"):
        probe_conditions(store=store, entropy=SeededEntropy())
    assert left_over(store) == 0


@pytest.mark.parametrize("fault", ["refuses If-Match", "deletes nothing with an etag"])
def test_a_store_that_refuses_a_right_etag_is_refused(fault: str) -> None:
    store = FaultyStore(fault)
    with pytest.raises(MisconfiguredError, match="right etag"):
        probe_conditions(store=store, entropy=SeededEntropy())
    assert left_over(store) == 0


def test_an_unclear_answer_is_no_verdict() -> None:
    store = FaultyStore("loses If-Match")
    with pytest.raises(OutcomeUnknownError):
        probe_conditions(store=store, entropy=SeededEntropy())
    assert left_over(store) == 0


@pytest.mark.parametrize("delete", [AccessDeniedError("no delete"), UnavailableError("down")])
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("ignores If-Match", MisconfiguredError),
        ("loses If-None-Match", OutcomeUnknownError),
    ],
)
def test_a_delete_that_fails_as_well_does_not_hide_the_finding(
    fault: str, expected: type[EverturnError], delete: EverturnError
) -> None:
    with pytest.raises(expected):
        probe_conditions(store=FaultyStore(fault, on_delete=delete), entropy=SeededEntropy())


def test_a_store_that_keeps_conditions_and_forbids_deletes_passes() -> None:
    store = FaultyStore("none", on_delete=AccessDeniedError("no delete"))
    probe_conditions(store=store, entropy=SeededEntropy())
    assert left_over(store) == 1


def test_a_delete_that_gets_no_answer_after_a_good_probe_is_told() -> None:
    store = FaultyStore("none", on_delete=UnavailableError("down"))
    with pytest.raises(UnavailableError):
        probe_conditions(store=store, entropy=SeededEntropy())


def test_two_probes_at_once_use_two_keys() -> None:
    store, entropy = CountingStore(MemoryStore(ManualClock())), SeededEntropy()
    probe_conditions(store=store, entropy=entropy)
    probe_conditions(store=store, entropy=entropy)
    assert len({key for _, key in store.calls}) == 2


def test_moto_passes(moto_clients: S3Clients) -> None:
    store = fresh_store(moto_clients)
    probe_conditions(store=store, entropy=SeededEntropy())
    assert left_over(store) == 0


@pytest.mark.seaweedfs
def test_seaweedfs_passes(seaweed_clients: S3Clients) -> None:
    store = fresh_store(seaweed_clients)
    probe_conditions(store=store, entropy=SeededEntropy())
    assert left_over(store) == 0
