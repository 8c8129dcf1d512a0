from pathlib import Path

import pytest

from everturn.adapters.directory.store import DirectoryStore
from everturn.adapters.system_clock import SystemClock
from everturn.ports.object_store import ObjectStore
from ports.object_store_contract import ObjectStoreContract
from ports.object_store_races import ObjectStoreRaces


class TestDirectoryStore(ObjectStoreContract, ObjectStoreRaces):
    @pytest.fixture
    def store(self, tmp_path: Path) -> ObjectStore:
        return DirectoryStore(tmp_path / "root", clock=SystemClock())
