"""What the S3 adapter makes of DeleteObjects: one request, and an answer for each key."""

from collections.abc import Iterator

import pytest

from emulation.s3_endpoint import emulator_clients, fresh_store
from emulation.s3_wire import Wire
from everturn.adapters.aws.errors import KEY_ANSWERS, passing_keys
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    MisconfiguredError,
    OutcomeUnknownError,
    UnavailableError,
)
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.ports.object_store import ABSENT
from ports.object_store_contract import keys_of

KEYS = tuple(f"s/t/a/c/{number}.json" for number in range(4))


@pytest.fixture
def clients(moto_server: MotoServer) -> Iterator[S3Clients]:
    """Clients of this test alone, since it hangs handlers on them."""
    made = emulator_clients(moto_server.url)
    yield made
    made.writes.close()
    made.reads.close()


@pytest.fixture
def store(clients: S3Clients) -> S3Store:
    store = fresh_store(clients)
    for key in KEYS:
        store.put(key, b"1", expect=ABSENT)
    return store


@pytest.fixture
def wire(store: S3Store, clients: S3Clients) -> Iterator[Wire]:
    """The wire, from after the objects were put."""
    del store
    wire = Wire(clients)
    yield wire
    wire.close()


def result(**codes: str) -> bytes:
    """The answer to a DeleteObjects in which the key with this number met this code."""
    rows = "".join(
        f"<Error><Key>memory/{KEYS[int(name[1:])]}</Key><Code>{code}</Code></Error>"
        for name, code in codes.items()
    )
    return f"<DeleteResult>{rows}</DeleteResult>".encode()


def test_many_deletes_are_one_quiet_request_with_a_checksum(store: S3Store, wire: Wire) -> None:
    assert store.delete_many(KEYS[:3]) == ()
    assert wire.methods() == ["POST"]
    body = str(wire.sent[0].body)
    assert "<Quiet>true</Quiet>" in body
    assert [f"<Key>memory/{key}</Key>" in body for key in KEYS] == [True, True, True, False]
    assert {"content-md5", "x-amz-checksum-crc32"} & set(wire.headers())
    assert keys_of(store, "s/") == [KEYS[3]]


def test_no_keys_are_no_request(store: S3Store, wire: Wire) -> None:
    assert store.delete_many([]) == ()
    assert wire.sent == []


@pytest.mark.parametrize(
    "code", [code for code, answer in KEY_ANSWERS.items() if answer is UnavailableError]
)
def test_keys_with_a_passing_error_are_returned_in_the_order_given(
    store: S3Store, wire: Wire, code: str
) -> None:
    wire.plans = [result(_2=code, _1="NoSuchKey", _0="InternalError")]
    assert store.delete_many(KEYS) == (KEYS[0], KEYS[2])


@pytest.mark.parametrize("code", ["AccessDenied", "InvalidObjectState", ""])
def test_a_key_that_is_refused_for_good_is_told_without_its_name(
    store: S3Store, wire: Wire, code: str
) -> None:
    wire.plans = [result(_0="SlowDown", _2=code)]
    with pytest.raises(AccessDeniedError) as caught:
        store.delete_many(KEYS)
    assert caught.value.message == f"s3 did not do it verb=delete code={code}"


@pytest.mark.parametrize(
    ("plan", "expected", "gone"),
    [
        ("lost request", OutcomeUnknownError, False),
        ("lost response", OutcomeUnknownError, True),
        ("500 after commit", OutcomeUnknownError, True),
        ((503, "SlowDown"), OutcomeUnknownError, False),
        ((403, "AccessDenied"), AccessDeniedError, False),
        ((404, "NoSuchBucket"), MisconfiguredError, False),
    ],
)
def test_an_error_of_the_whole_request_is_told_as_one_of_a_delete_and_not_sent_again(
    store: S3Store,
    wire: Wire,
    plan: tuple[int, str] | str,
    expected: type[EverturnError],
    gone: bool,  # noqa: FBT001 - a column of the table
) -> None:
    wire.plans = [plan]
    with pytest.raises(expected):
        store.delete_many(KEYS)
    assert wire.methods() == ["POST"]
    assert keys_of(store, "s/") == ([] if gone else list(KEYS))


def test_a_failure_of_the_whole_in_a_200_is_unclear(store: S3Store, wire: Wire) -> None:
    """S3 has sent its status before it knows.

    https://docs.aws.amazon.com/AmazonS3/latest/userguide/ErrorBestPractices.html
    """
    wire.plans = [b"<Error><Code>InternalError</Code></Error>"]
    with pytest.raises(OutcomeUnknownError):
        store.delete_many(KEYS)


def test_every_code_of_the_table_is_final_passes_or_says_that_nothing_was_there() -> None:
    assert set(KEY_ANSWERS.values()) == {AccessDeniedError, UnavailableError, None}
    for code, answer in KEY_ANSWERS.items():
        if answer is AccessDeniedError:
            with pytest.raises(AccessDeniedError):
                passing_keys([("k", code)])
        else:
            expected = {"k"} if answer is UnavailableError else set[str]()
            assert passing_keys([("k", code)]) == expected
