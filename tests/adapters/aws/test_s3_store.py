"""What the S3 adapter alone promises: its requests, its retries, and what a 403 on a get means."""

from collections.abc import Iterator

import pytest

from emulation.s3_endpoint import emulator_clients
from emulation.s3_wire import Wire
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.errors import (
    AccessDeniedError,
    EverturnError,
    GoneError,
    MisconfiguredError,
    OutcomeUnknownError,
    PreconditionFailedError,
    UnavailableError,
)
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.ports.object_store import ABSENT, ANY, UNCHANGED, Etag, StoredObject
from ports.object_store_contract import keys_of, stored

BUCKET = "one-bucket"
KEY = "c/t/a/1.json"
DENIED = (403, "AccessDenied")


@pytest.fixture
def clients(moto_server: MotoServer) -> Iterator[S3Clients]:
    """Clients of this test alone, since it hangs handlers on them."""
    moto_server.reset()
    made = emulator_clients(moto_server.url)
    made.writes.create_bucket(Bucket=BUCKET)
    yield made
    made.writes.close()
    made.reads.close()


@pytest.fixture
def wire(clients: S3Clients) -> Iterator[Wire]:
    wire = Wire(clients)
    yield wire
    wire.close()


@pytest.fixture
def store(clients: S3Clients) -> S3Store:
    return S3Store(bucket=BUCKET, prefix="memory", writes=clients.writes, reads=clients.reads)


def test_each_call_is_one_request(store: S3Store, wire: Wire) -> None:
    etag = store.put(KEY, b"1", expect=ABSENT)
    etag = store.put(KEY, b"2", expect=etag)
    assert store.get(KEY, unless_etag=etag) is UNCHANGED
    store.get(KEY)
    store.get("c/t/a/absent.json")
    store.list("c/t/a/")
    store.overwrite(KEY, b"3")
    store.delete(KEY, expect=ANY)
    assert wire.methods() == ["PUT", "PUT", "GET", "GET", "GET", "GET", "PUT", "DELETE"]


def test_a_conditional_put_is_json_with_its_condition_and_no_checksum_of_the_sdk(
    store: S3Store, wire: Wire
) -> None:
    etag = store.put(KEY, b"1", expect=ABSENT, meta={"w": "abc"})
    headers = wire.headers()
    assert headers["if-none-match"] == "*"
    assert headers["content-type"] == "application/json"
    assert headers["x-amz-meta-w"] == "abc"
    assert not [name for name in headers if "checksum" in name]
    store.put(KEY, b"2", expect=etag)
    assert wire.headers()["if-match"] == etag
    assert etag.startswith('"')


def test_an_overwrite_and_a_delete_of_anything_carry_no_condition(
    store: S3Store, wire: Wire
) -> None:
    store.overwrite(KEY, b"1")
    assert not {"if-match", "if-none-match"} & set(wire.headers())
    store.delete(KEY, expect=ANY)
    assert not {"if-match", "if-none-match"} & set(wire.headers())


def test_the_prefix_stands_before_every_key_and_is_never_seen(
    store: S3Store, clients: S3Clients
) -> None:
    other = S3Store(bucket=BUCKET, prefix="", writes=clients.writes, reads=clients.reads)
    sibling = S3Store(bucket=BUCKET, prefix="/memory2/", writes=clients.writes, reads=clients.reads)
    for each in (store, sibling):
        each.put(KEY, b"1", expect=ABSENT)
    assert keys_of(store, "") == keys_of(sibling, "c/") == [KEY]
    assert keys_of(store, "c/", start_after="c/t/a/0.json") == [KEY]
    assert keys_of(other, "") == [f"memory/{KEY}", f"memory2/{KEY}"]
    sibling.delete(KEY, expect=ANY)
    assert stored(store, KEY).body == b"1"


@pytest.mark.parametrize("kind", ["lost response", "500 after commit"])
def test_a_put_whose_answer_is_lost_is_unknown_stored_and_not_sent_again(
    store: S3Store, wire: Wire, kind: str
) -> None:
    """Were it sent again, its own first write would make a false 412 of it."""
    etag = store.put(KEY, b"1", expect=ABSENT)
    wire.plans = [kind]
    with pytest.raises(OutcomeUnknownError):
        store.put(KEY, b"2", expect=etag)
    assert wire.methods() == ["PUT", "PUT"]
    assert stored(store, KEY).body == b"2"


@pytest.mark.parametrize("plan", ["lost request", (500, "InternalError"), (503, "SlowDown")])
def test_a_put_that_did_not_arrive_is_unknown_and_not_sent_again(
    store: S3Store, wire: Wire, plan: tuple[int, str] | str
) -> None:
    wire.plans = [plan]
    with pytest.raises(OutcomeUnknownError):
        store.put(KEY, b"1", expect=ABSENT)
    assert wire.methods() == ["PUT"]
    assert store.get(KEY) is None


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        ((409, "ConditionalRequestConflict"), PreconditionFailedError),
        ((412, "PreconditionFailed"), PreconditionFailedError),
        ((404, "NoSuchKey"), GoneError),
        ((400, "InvalidRequest"), AccessDeniedError),
        ((404, "NoSuchBucket"), MisconfiguredError),
    ],
)
def test_a_refused_write_says_why_and_is_not_sent_again(
    store: S3Store, wire: Wire, plan: tuple[int, str], expected: type[EverturnError]
) -> None:
    wire.plans = [plan, plan, plan]
    with pytest.raises(expected):
        store.put(KEY, b"1", expect=Etag('"1"'))
    with pytest.raises(expected):
        store.delete(KEY, expect=Etag('"1"'))
    with pytest.raises(expected):
        store.overwrite(KEY, b"1")
    assert wire.methods() == ["PUT", "DELETE", "PUT"]


@pytest.mark.parametrize("plan", ["lost request", "lost response", (500, "InternalError")])
def test_a_read_is_sent_up_to_twice(
    store: S3Store, wire: Wire, plan: tuple[int, str] | str
) -> None:
    store.put(KEY, b"1", expect=ABSENT)
    wire.plans = [plan]
    assert stored(store, KEY).body == b"1"
    wire.plans = [plan, None]
    assert keys_of(store, "c/") == [KEY]
    wire.plans = [plan] * 2
    with pytest.raises(UnavailableError):
        store.get(KEY)
    assert wire.methods() == ["PUT", *["GET"] * 6]


def test_a_403_for_a_key_that_the_listing_does_not_show_is_absence(
    store: S3Store, wire: Wire
) -> None:
    """Without s3:ListBucket on the object's prefix S3 says 403 for what is not there."""
    store.put(f"{KEY}.bak", b"1", expect=ABSENT)
    wire.plans = [DENIED]
    assert store.get(KEY) is None
    assert wire.methods() == ["PUT", "GET", "GET"]
    assert "max-keys=1" in str(wire.sent[-1].url)


def test_a_403_for_a_key_that_is_there_is_final(store: S3Store, wire: Wire) -> None:
    store.put(KEY, b"1", expect=ABSENT)
    wire.plans = [DENIED]
    with pytest.raises(AccessDeniedError, match="verb=get status=403 code=AccessDenied"):
        store.get(KEY)


def test_a_403_on_both_is_final(store: S3Store, wire: Wire) -> None:
    wire.plans = [DENIED, DENIED]
    with pytest.raises(AccessDeniedError, match="verb=list status=403"):
        store.get(KEY)


def test_a_403_whose_listing_gets_no_answer_is_not_taken_for_absence(
    store: S3Store, wire: Wire
) -> None:
    wire.plans = [DENIED, *[(503, "SlowDown")] * 3]
    with pytest.raises(UnavailableError):
        store.get(KEY)


def test_a_404_that_does_not_speak_of_the_key_is_not_absence(store: S3Store, wire: Wire) -> None:
    for plan, expected in (
        ((404, "NoSuchBucket"), MisconfiguredError),
        ((404, "404"), AccessDeniedError),
    ):
        wire.plans = [plan]
        with pytest.raises(expected):
            store.get(KEY)


def test_a_bucket_that_does_not_exist_is_a_matter_of_the_deployment(clients: S3Clients) -> None:
    store = S3Store(bucket="no-such-bucket", prefix="", writes=clients.writes, reads=clients.reads)
    for call in (
        lambda: store.get(KEY),
        lambda: store.list("c/"),
        lambda: store.put(KEY, b"1", expect=ABSENT),
        lambda: store.delete(KEY, expect=ANY),
    ):
        with pytest.raises(MisconfiguredError, match="code=NoSuchBucket"):
            call()


def test_an_object_of_another_program_has_no_meta(store: S3Store, clients: S3Clients) -> None:
    clients.writes.put_object(Bucket=BUCKET, Key=f"memory/{KEY}", Body=b"theirs")
    found = stored(store, KEY)
    assert found == StoredObject(b"theirs", found.etag, {})
    store.put(KEY, b"ours", expect=found.etag, meta={"w": "1"})
    assert stored(store, KEY).meta == {"w": "1"}


def test_no_key_and_no_body_shows_in_a_message(store: S3Store, wire: Wire) -> None:
    wire.plans = [(400, "InvalidRequest")]
    with pytest.raises(AccessDeniedError) as caught:
        store.put("c/t/a/private.json", b"secret", expect=ABSENT)
    assert caught.value.message == "s3 did not do it verb=put status=400 code=InvalidRequest"
