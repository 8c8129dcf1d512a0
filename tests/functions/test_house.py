"""The house itself: what a test of it leaves behind."""

from pathlib import Path

import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from functions.house import Door, House, Parts, client_of, open_house


def test_what_no_test_chose_is_opened_beside_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A queue that was forgotten is no folder in the checkout."""
    here, log = tmp_path / "here", tmp_path / "log"
    here.mkdir()
    monkeypatch.chdir(here)
    parts = Parts(Door(MemoryStore(ManualClock())), Door(MemoryStore(ManualClock())))
    gateway = open_house(parts, log)
    with client_of(gateway) as client:
        assert House(gateway, parts, log, client).append("c1", "Hello.").is_success
    assert list(here.iterdir()) == []
