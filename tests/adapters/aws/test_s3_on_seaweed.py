from typing import ClassVar

import pytest

from emulation.s3_endpoint import fresh_store
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.errors import GoneError, PreconditionFailedError
from everturn.ports.object_store import ObjectStore
from ports.object_store_contract import ObjectStoreContract
from ports.object_store_races import ObjectStoreRaces

pytestmark = pytest.mark.seaweedfs


class TestS3OnSeaweed(ObjectStoreContract, ObjectStoreRaces):
    # This server answers 412 for an absent key with If-Match; the caller's re-read finds nothing.
    gone: ClassVar[tuple[type[Exception], ...]] = (GoneError, PreconditionFailedError)
    # It waits a second for a contended lock.
    writers: ClassVar[int] = 3
    increments: ClassVar[int] = 6
    many_keys: ClassVar[int] = 60

    @pytest.fixture
    def store(self, seaweed_clients: S3Clients) -> ObjectStore:
        return fresh_store(seaweed_clients)
