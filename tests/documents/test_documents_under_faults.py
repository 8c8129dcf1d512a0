"""Documents on a store that fails: what is acknowledged is there, nothing comes back."""

from collections.abc import Callable

import pytest

from documents.document_calls import Documents
from everturn.documents.read_write import StoredDocument
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    GoneError,
    NotFoundError,
    PreconditionFailedError,
    StaleEtagError,
    UnavailableError,
)
from everturn.ports.object_store import ABSENT
from fakes.faulty_store import Fault, FaultyStore, Script, never, scripted, seeded
from fakes.interleaved_store import InterleavedStore
from fakes.wrapped_store import Answer, Verb, WrappedStore

UNCLEAR = [Fault.LOST_REQUEST, Fault.LOST_RESPONSE, Fault.DELAYED]


@pytest.fixture
def documents() -> Documents:
    return Documents()


def faulty(documents: Documents, faults: Script, *, delay: int = 1) -> Documents:
    return documents.over(FaultyStore(documents.store, scripted(faults), delay=delay))


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("named", [False, True])
def test_a_put_that_fails_once_is_done_once(
    documents: Documents, fault: Fault, *, named: bool
) -> None:
    first = documents.put(1)
    written = faulty(documents, {("put", 1): fault}).put(2, expect=first.etag if named else None)
    read = documents.get()
    assert (read.etag, read.document) == (written.etag, written.document)
    assert (read.document.value, written.created) == (2, False)


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("named", [False, True])
def test_a_create_that_fails_once_says_that_it_created(
    documents: Documents, fault: Fault, *, named: bool
) -> None:
    written = faulty(documents, {("put", 1): fault}).put(1, expect=ABSENT if named else None)
    assert written.created
    assert documents.get().etag == written.etag


@pytest.mark.parametrize("fault", list(Fault))
@pytest.mark.parametrize("named", [False, True])
def test_a_delete_that_fails_once_is_done(
    documents: Documents, fault: Fault, *, named: bool
) -> None:
    first = documents.put(1)
    faulty(documents, {("delete", 1): fault}).delete(expect=first.etag if named else None)
    assert documents.stored() is None


@pytest.mark.parametrize("verb", ["put", "delete"])
@pytest.mark.parametrize("fault", UNCLEAR)
def test_a_late_write_cannot_undo_what_came_after_the_answer(
    documents: Documents, verb: str, fault: Fault
) -> None:
    """It names the version that was there then, which is there no more."""
    documents.put(1)
    store = FaultyStore(
        documents.store,
        scripted({("put" if verb == "put" else "delete", 1): fault}),
        delay=1_000,
    )
    process = documents.over(store)
    if verb == "put":
        process.put(2)
    else:
        process.delete()
    documents.put("later")
    store.land_all()
    assert documents.value() == "later"


@pytest.mark.parametrize("landed", [False, True])
@pytest.mark.parametrize("named", [False, True])
def test_after_an_unclear_put_a_foreign_version_leaves_the_outcome_unknown(
    documents: Documents, *, landed: bool, named: bool
) -> None:
    """Ours may lie below it: neither may it be told as refused, nor written a second time."""
    first = documents.put(1)
    fault = Fault.LOST_RESPONSE if landed else Fault.LOST_REQUEST
    store = FaultyStore(
        InterleavedStore(documents.store, before={("get", 2 - named): lambda: documents.put(3)}),
        scripted({("put", 1): fault}),
    )
    with pytest.raises(UnavailableError, match="outcome is unknown"):
        documents.over(store).put(2, expect=first.etag if named else None)
    assert documents.value() == 3


@pytest.mark.parametrize("landed", [False, True])
def test_after_an_unclear_delete_a_foreign_version_stays(
    documents: Documents, *, landed: bool
) -> None:
    documents.put(1)
    fault = Fault.LOST_RESPONSE if landed else Fault.LOST_REQUEST
    store = FaultyStore(
        InterleavedStore(documents.store, before={("get", 2): lambda: documents.put(3)}),
        scripted({("delete", 1): fault}),
    )
    with pytest.raises(UnavailableError):
        documents.over(store).delete()
    assert documents.value() == 3


def test_a_refusal_without_a_cause_is_not_told_as_a_stale_version(documents: Documents) -> None:
    """S3 answers 409 while another write is in flight that may fail itself."""
    first = documents.put(1)
    script: Script = {("put", 1): Fault.REFUSED, ("put", 2): Fault.REFUSED}
    assert not faulty(documents, script).put(2, expect=first.etag).created
    assert documents.value() == 2


def test_a_server_that_says_412_for_an_absent_key_changes_no_answer(documents: Documents) -> None:
    class Confusing(WrappedStore):
        def _request(self, verb: Verb, key: str, send: Callable[[], Answer]) -> Answer:
            try:
                return super()._request(verb, key, send)
            except GoneError as error:
                raise PreconditionFailedError("412") from error

    process = documents.over(Confusing(documents.store))
    etag = process.put(1).etag
    process.delete(expect=etag)
    with pytest.raises(NotFoundError):
        process.delete(expect=etag)
    with pytest.raises(StaleEtagError):
        process.put(2, expect=etag)


def test_a_read_that_fails_while_writing_is_repeated(documents: Documents) -> None:
    script: Script = {("get", number): Fault.UNAVAILABLE for number in (1, 2)}
    faulty(documents, script).put(1)
    assert documents.value() == 1
    faulty(documents, script).delete()
    assert documents.stored() is None


def test_a_store_that_is_down_is_given_up_soon(documents: Documents) -> None:
    documents.put(1)
    down = documents.over(FaultyStore(documents.store, lambda _: Fault.UNAVAILABLE))
    for call in (lambda: down.put(2), down.delete):
        began = documents.clock.monotonic_s()
        with pytest.raises(UnavailableError):
            call()
        assert documents.clock.monotonic_s() - began < 1


def test_a_store_that_never_answers_clearly_is_given_up_after_ten_seconds(
    documents: Documents,
) -> None:
    documents.put(1)
    lossy = documents.over(
        FaultyStore(documents.store, lambda verb: None if verb == "get" else Fault.LOST_REQUEST)
    )
    began = documents.clock.monotonic_s()
    with pytest.raises(UnavailableError):
        lossy.put(2)
    assert 10 <= documents.clock.monotonic_s() - began < 12


def test_a_refusal_for_good_is_told_at_once(documents: Documents) -> None:
    class Forbidding(FaultyStore):
        def _failure(self, *_: object) -> EverturnError:
            return AccessDeniedError("no")

    denied = documents.over(Forbidding(documents.store, scripted({("put", 1): Fault.REFUSED})))
    with pytest.raises(AccessDeniedError):
        denied.put(1)


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("seed", range(40))
def test_under_faults_every_clear_answer_is_true(seed: int, share: float) -> None:
    """One writer, random verbs; a failed call leaves one of two states, a clear one exactly one."""
    documents = Documents()
    store = FaultyStore(documents.store, never, delay=1 + seed % 3)
    process = documents.over(store)
    draws = documents.entropy
    possible: list[StoredDocument | None] = [None]
    for number in range(12):
        store.plan = seeded(draws, share)
        deletes, names = draws.share() < 0.3, draws.share() < 0.5
        current = possible[-1]
        expect = current.etag if current and names else None
        try:
            after = None if deletes else process.put(f"{seed} {number}", expect=expect)
            if deletes:
                process.delete(expect=expect)
        except (NotFoundError, StaleEtagError):
            after = current
        except UnavailableError:
            store.land_all()
            stored = documents.stored()
            after = documents.get() if stored else None
        store.plan = never
        store.land_all()
        stored = documents.stored()
        assert (stored.etag if stored else None) == (after.etag if after else None)
        possible.append(after)
