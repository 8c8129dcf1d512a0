"""How the tests of the chat model over HTTP open one at a server of their own."""

import contextlib
import ssl
from collections.abc import Iterator

import httpx

from emulation.chat_service import Answers, ChatService
from everturn.adapters.http.chat import HttpChat, open_http_chat
from everturn.adapters.system_clock import ManualClock, SeededEntropy, SystemClock

KEY = "sk-very-secret"
# To load the certificates of the world takes longer than a test, and none is needed here.
_NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@contextlib.contextmanager
def asking(
    answer: Answers, *, clock: ManualClock | SystemClock | None = None, key: str = KEY
) -> Iterator[tuple[HttpChat, ChatService]]:
    """Open a model at a server that answers so; waits take no time unless a clock does."""
    with ChatService(answer) as service, plain_transport() as transport:
        yield opened(service.url, clock=clock, key=key, transport=transport), service


def plain_transport() -> httpx.HTTPTransport:
    return httpx.HTTPTransport(verify=_NO_CERTIFICATES)


def opened(
    url: str,
    *,
    clock: ManualClock | SystemClock | None = None,
    key: str = KEY,
    transport: httpx.BaseTransport | None = None,
) -> HttpChat:
    return open_http_chat(
        url=url,
        key=key,
        headers=(("X-Team", "agents"),),
        service="gateway",
        model="small",
        clock=clock or ManualClock(),
        entropy=SeededEntropy(),
        transport=transport,
    )
