import pytest

from emulation.s3_endpoint import fresh_store
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.ports.object_store import ObjectStore
from ports.object_store_contract import ObjectStoreContract
from ports.object_store_races import ObjectStoreRaces


class TestS3OnMoto(ObjectStoreContract, ObjectStoreRaces):
    @pytest.fixture
    def store(self, moto_clients: S3Clients) -> ObjectStore:
        return fresh_store(moto_clients)
