import pytest

from contract.object_store_contract import ObjectStoreContract
from contract.object_store_races import ObjectStoreRaces
from emulation.s3_endpoint import fresh_store
from everturn.adapters.s3_clients import S3Clients
from everturn.ports.object_store import ObjectStore


class TestS3OnMoto(ObjectStoreContract, ObjectStoreRaces):
    @pytest.fixture
    def store(self, moto_clients: S3Clients) -> ObjectStore:
        return fresh_store(moto_clients)
