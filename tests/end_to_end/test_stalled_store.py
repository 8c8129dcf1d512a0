"""A store that takes connections and never answers: a request ends all the same."""

from collections.abc import Iterator

import pytest

from emulation.s3_endpoint import dummy_environment
from emulation.stalled_server import stalled_server
from everturn.adapters.aws.s3_clients import make_clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.adapters.system_clock import SystemClock, SystemEntropy
from everturn.conversations.append_turns import append_turns
from everturn.conversations.head_cache import Base, HeadCache
from everturn.conversations.model.head import Head
from everturn.conversations.model.turn import TurnDraft
from everturn.conversations.model.write_ring import WriteRing
from everturn.errors import UnavailableError
from everturn.ports.object_store import Etag
from everturn.values.keys import Scope, head_key

SCOPE = Scope("t", "a")
# The functions' timeout in template.yaml, with room for the start of one.
LONGEST_S = 17.0


@pytest.fixture
def stalled() -> Iterator[str]:
    """A server that accepts and keeps silent."""
    with stalled_server() as url:
        yield url


@pytest.mark.slow
@pytest.mark.parametrize("warm", [False, True])
def test_an_append_ends_before_its_function_is_killed(stalled: str, *, warm: bool) -> None:
    with dummy_environment():
        clients = make_clients(endpoint_url=stalled)
    store = S3Store(bucket="b", prefix="", writes=clients.writes, reads=clients.reads)
    heads, clock = HeadCache(), SystemClock()
    if warm:
        heads.keep(head_key(SCOPE, "c"), Base(Head("c"), WriteRing(), Etag('"e"')))
    began_s = clock.monotonic_s()

    with pytest.raises(UnavailableError):
        append_turns(
            store=store, heads=heads, clock=clock, entropy=SystemEntropy(), scope=SCOPE,
            conversation_id="c", turns=[TurnDraft("user", "x")],
        )  # fmt: skip

    assert clock.monotonic_s() - began_s < LONGEST_S
