"""Who signs the requests of a store.

Whoever it was opened for, whatever else shares its clients.
"""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.credentials import Credentials

from emulation.s3_endpoint import dummy_environment, emulator_clients
from emulation.s3_wire import Wire
from everturn.adapters.aws.s3_clients import S3Clients, make_clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.errors import AccessDeniedError, UnavailableError
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.ports.object_store import ABSENT, ANY, StoredObject

BUCKET = "one-bucket"
DENIED = (403, "AccessDenied")
SIGNER = re.compile(r"Credential=([^/]+)/")


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


def store_of(clients: S3Clients, name: str | None) -> S3Store:
    credentials = Credentials(f"key-{name}", "secret", f"token-{name}")
    return S3Store(
        bucket=BUCKET,
        prefix="",
        writes=clients.writes,
        reads=clients.reads,
        signed_by=(lambda: credentials) if name else None,
    )


def signers(wire: Wire) -> list[tuple[str, str, str]]:
    """Path, signer and session token of each request."""
    found = []
    for request in wire.sent:
        headers: dict[str, object] = {
            name.lower(): value for name, value in request.headers.items()
        }
        texts = {
            name: value.decode() if isinstance(value, bytes) else str(value)
            for name, value in headers.items()
        }
        match = SIGNER.search(texts["authorization"])
        assert match
        found.append((request.url or "", match[1], texts.get("x-amz-security-token", "")))
    return found


def test_every_verb_is_signed_by_whom_the_store_was_opened_for(
    clients: S3Clients, wire: Wire
) -> None:
    store = store_of(clients, "alice")
    etag = store.put("k", b"1", expect=ABSENT)
    store.put("k", b"2", expect=etag)
    store.overwrite("k", b"3")
    store.get("k")
    store.get("absent")
    store.list("")
    store.delete_many(["k"])
    store.delete("k", expect=ANY)
    assert len(wire.sent) == 8
    assert {found[1:] for found in signers(wire)} == {("key-alice", "token-alice")}


def test_a_store_that_was_opened_for_nobody_is_signed_by_the_process(
    clients: S3Clients, wire: Wire
) -> None:
    store_of(clients, "alice").get("k")
    store_of(clients, None).get("k")
    assert [found[1:] for found in signers(wire)] == [
        ("key-alice", "token-alice"),
        ("testing1", ""),
    ]


def test_a_403_is_looked_into_by_the_same_signer(clients: S3Clients, wire: Wire) -> None:
    """Where lists are allowed below some prefixes alone, an absent key answers 403."""
    store = store_of(clients, "alice")
    wire.plans = [DENIED]
    assert store.get("k") is None
    assert wire.methods() == ["GET", "GET"]
    assert "list-type=2" in (wire.sent[1].url or "")
    assert {found[1] for found in signers(wire)} == {"key-alice"}
    store.put("k", b"", expect=ABSENT)
    wire.plans = [DENIED]
    with pytest.raises(AccessDeniedError):
        store.get("k")


def test_a_read_that_is_repeated_is_signed_by_the_same_signer(
    clients: S3Clients, wire: Wire
) -> None:
    wire.plans = [(503, "SlowDown")]
    assert store_of(clients, "alice").get("k") is None
    assert [found[1] for found in signers(wire)] == ["key-alice", "key-alice"]


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1"])
def test_the_endpoint_of_aws_takes_no_signer_away(region: str) -> None:
    """Its rules have their own say in how a request is signed."""
    with dummy_environment() as patch:
        patch.setenv("AWS_DEFAULT_REGION", region)
        clients = make_clients()
    wire = Wire(clients)
    wire.plans = [DENIED, DENIED]
    store = store_of(clients, "alice")
    with pytest.raises(AccessDeniedError):
        store.get("k")
    assert [found[1] for found in signers(wire)] == ["key-alice", "key-alice"]
    assert all(".amazonaws.com/" in url for url, _, _ in signers(wire))
    wire.close()


def test_threads_that_share_the_clients_never_sign_for_one_another(
    clients: S3Clients, wire: Wire
) -> None:
    def work(name: str) -> None:
        store = store_of(clients, name)
        for number in range(20):
            store.put(f"of-{name}-{number}", name.encode(), expect=ABSENT)
            found = store.get(f"of-{name}-{number}")
            assert isinstance(found, StoredObject)
            assert found.body == name.encode()

    names = ["a", "b", "c", "d", "e", "f"]
    with ThreadPoolExecutor(len(names)) as executor:
        list(executor.map(work, names))
    sent = signers(wire)
    assert len(sent) >= 6 * 20 * 2
    for url, signer, token in sent:
        name = url.partition("/of-")[2][:1]
        assert (signer, token) == (f"key-{name}", f"token-{name}")


def test_nothing_is_sent_where_there_are_no_credentials(clients: S3Clients, wire: Wire) -> None:
    def refuse() -> Credentials:
        raise UnavailableError("sts does not answer")

    store = S3Store(
        bucket=BUCKET, prefix="", writes=clients.writes, reads=clients.reads, signed_by=refuse
    )
    for call in (
        lambda: store.get("k"),
        lambda: store.put("k", b"", expect=ABSENT),
        lambda: store.overwrite("k", b""),
        lambda: store.delete("k", expect=ANY),
        lambda: store.delete_many(["k"]),
        lambda: store.list(""),
    ):
        with pytest.raises(UnavailableError, match="sts does not answer"):
            call()
    assert wire.sent == []
