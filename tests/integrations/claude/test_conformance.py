"""The SDK's own conformance suite, whole, in this process and over HTTP."""

from pathlib import Path

import pytest
from claude_agent_sdk import SessionStore
from claude_agent_sdk.testing import run_session_store_conformance
from claude_agent_sdk.testing.session_store_conformance import _OPTIONAL_METHODS, _has_optional

from cli.everturn_process import everturn_up
from everturn.client import AsyncEverturn
from everturn.integrations.claude.sessions import EverturnSessionStore
from integrations.claude.claude_stores import stores_of

pytestmark = pytest.mark.anyio

# The suite asks for one store to look at, and for one in each of its contracts.
_STORES = 20


def test_no_contract_is_left_out(tmp_path: Path) -> None:
    """The suite skips what a store does not override."""
    store: SessionStore = EverturnSessionStore(AsyncEverturn.local(tmp_path))
    assert all(_has_optional(store, name, frozenset()) for name in _OPTIONAL_METHODS)


async def test_the_suite_passes_in_process(tmp_path: Path) -> None:
    clients = [AsyncEverturn.local(tmp_path / str(number)) for number in range(_STORES)]
    async with stores_of(*clients) as make:
        await run_session_store_conformance(make)


async def test_the_suite_passes_over_http(tmp_path: Path) -> None:
    """Each store is another user's."""
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        clients = [AsyncEverturn(up.url, actor=f"user{number}") for number in range(_STORES)]
        async with stores_of(*clients) as make:
            await run_session_store_conformance(make)
