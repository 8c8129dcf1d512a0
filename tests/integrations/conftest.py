"""What tests of several integrations are given."""

from pathlib import Path

import pytest

from integrations.watched_transport import WatchedTransport


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def wire(tmp_path: Path) -> WatchedTransport:
    """Return what shows the requests of a store in a folder, and answers in its place."""
    return WatchedTransport(tmp_path)
