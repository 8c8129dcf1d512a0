"""What a 403 means to a write that names a version: the object may be gone.

S3 hides absence from who may list some prefixes alone; that it does so for conditional writes
stands in no document, and costs nothing to expect.
"""

from collections.abc import Callable, Iterator

import pytest

from emulation.s3_endpoint import emulator_clients
from emulation.s3_wire import Wire
from everturn.adapters.aws.s3_store import S3Store
from everturn.errors import AccessDeniedError, EverturnError, GoneError, UnavailableError
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.ports.object_store import ABSENT, ANY, Etag

DENIED = (403, "AccessDenied")
ETAG = Etag('"0123"')
Write = Callable[[S3Store], object]
NAMING_A_VERSION: dict[str, Write] = {
    "put": lambda store: store.put("k", b"2", expect=ETAG),
    "delete": lambda store: store.delete("k", expect=ETAG),
}
OTHERS: dict[str, Write] = {
    "put": lambda store: store.put("k", b"2", expect=ABSENT),
    "overwrite": lambda store: store.overwrite("k", b"2"),
    "delete": lambda store: store.delete("k", expect=ANY),
    "delete_many": lambda store: store.delete_many(["k"]),
}
naming_a_version = pytest.mark.parametrize("write", NAMING_A_VERSION.values(), ids=NAMING_A_VERSION)


@pytest.fixture
def opened(moto_server: MotoServer) -> Iterator[tuple[S3Store, Wire]]:
    moto_server.reset()
    clients = emulator_clients(moto_server.url)
    clients.writes.create_bucket(Bucket="one-bucket")
    wire = Wire(clients)
    yield S3Store(bucket="one-bucket", prefix="p", writes=clients.writes, reads=clients.reads), wire
    wire.close()
    clients.writes.close()
    clients.reads.close()


@naming_a_version
def test_a_403_for_a_version_of_what_is_not_listed_says_that_it_is_gone(
    opened: tuple[S3Store, Wire], write: Write
) -> None:
    store, wire = opened
    store.overwrite("k2", b"its name begins like that of the other")
    wire.sent.clear()
    wire.plans = [DENIED]
    with pytest.raises(GoneError):
        write(store)
    assert len(wire.sent) == 2


@naming_a_version
@pytest.mark.parametrize(
    ("listing", "expected"),
    [(None, AccessDeniedError), (DENIED, AccessDeniedError), ((503, "SlowDown"), UnavailableError)],
)
def test_a_403_for_a_version_of_what_may_be_there_stays_one(
    opened: tuple[S3Store, Wire],
    write: Write,
    listing: tuple[int, str] | None,
    expected: type[EverturnError],
) -> None:
    store, wire = opened
    store.overwrite("k", b"1")
    wire.plans = [DENIED, listing, listing]
    with pytest.raises(expected):
        write(store)


@pytest.mark.parametrize("write", OTHERS.values(), ids=OTHERS)
def test_a_403_for_any_other_write_is_final_at_once(
    opened: tuple[S3Store, Wire], write: Write
) -> None:
    store, wire = opened
    wire.plans = [DENIED]
    with pytest.raises(AccessDeniedError):
        write(store)
    assert len(wire.sent) == 1
