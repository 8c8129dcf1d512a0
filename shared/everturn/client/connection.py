"""How a client reaches Everturn: its address, its headers, its time limit, all checked once.

With asyncio each event loop has an httpx.AsyncClient: connections belong to the loop that opened
them.
"""

import asyncio
import importlib.metadata
import ipaddress
import ssl
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar

import httpx

from everturn.client.calls.call import header_bytes
from everturn.errors import InvalidRequestError, MisconfiguredError

HttpT = TypeVar("HttpT", httpx.Client, httpx.AsyncClient)

ACTOR_HEADER: Final = "x-everturn-actor"
TENANT_HEADER: Final = "x-everturn-tenant"
LOCAL_URL: Final = "http://localhost"
"""The address of an Everturn in this process."""
MAX_TIMEOUT_S: Final = 86_400.0
"""A day. Of a call within this process, which no network holds up and whose work is done."""
CLOSED: Final = "this client was closed, make another one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """How an Everturn is reached, and for whom; `timeout_s` is for a whole call.

    Raises:
        InvalidRequestError: the URL is none, what proves who calls would be sent in the clear to
            another machine or is given twice, a name cannot be sent in a header, or a number is
            none; `field` says which.
    """

    url: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    actor: str | None = None
    tenant: str | None = None
    timeout_s: float = 30.0
    best_effort: bool = False
    auth: httpx.Auth | None = field(default=None, repr=False)
    address: httpx.URL = field(init=False, repr=False)
    headers: tuple[tuple[bytes, bytes], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check it."""
        object.__setattr__(self, "address", _address(self.url))
        if isinstance(self.timeout_s, bool) or not isinstance(self.timeout_s, int | float):
            raise InvalidRequestError("a time limit is a number of seconds", field="timeout_s")
        if not 0 < self.timeout_s <= MAX_TIMEOUT_S:
            raise InvalidRequestError("a time limit is above 0, a day at most", field="timeout_s")
        if self.tenant is not None and self.actor is None:
            raise InvalidRequestError("name the actor together with the tenant", field="actor")
        self._check_proof()
        object.__setattr__(self, "headers", tuple(self._headers()))

    def _check_proof(self) -> None:
        if self.auth is not None and not isinstance(self.auth, httpx.Auth):
            raise InvalidRequestError("this is no httpx.Auth", field="auth")
        proofs = [self.token is not None, self.auth is not None, bool(self.address.userinfo)]
        if sum(proofs) > 1:
            raise InvalidRequestError(
                "give one of token, auth and a password in the url", field="auth"
            )
        if any(proofs) and self.address.scheme == "http" and not self.is_loopback:
            raise InvalidRequestError("what proves who calls is sent by https alone", field="url")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine reaches the address; no proxy has to do with it."""
        host = self.address.host
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return host.lower() == "localhost"

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        return str(self.address.copy_with(userinfo=b""))

    def tls(self) -> ssl.SSLContext:
        """Return what checks whom it speaks to; reading the certificates takes tens of ms.

        Raises:
            MisconfiguredError: the environment names certificates that cannot be read.
        """
        with _environment_told():
            return httpx.create_ssl_context(trust_env=self._trusts_environment)

    def opened(
        self,
        kind: Callable[..., HttpT],
        transport: httpx.BaseTransport | httpx.AsyncBaseTransport | None,
        tls: ssl.SSLContext | None = None,
    ) -> HttpT:
        """Return a client of httpx that speaks over this connection.

        Raises:
            MisconfiguredError: a proxy or certificates of the environment cannot be used.
        """
        with _environment_told():
            return kind(
                base_url=self.address,
                headers=self.headers,
                auth=self.auth,
                transport=transport,
                trust_env=self._trusts_environment,
                verify=True if tls is None else tls,
            )

    @property
    def _trusts_environment(self) -> bool:
        # A proxy of the environment leads away from this machine.
        return not self.is_loopback

    def _headers(self) -> list[tuple[bytes, bytes]]:
        version = importlib.metadata.version("everturn")
        headers = [
            (b"accept", b"application/json"),
            # What a compressed answer grows to is not known before it is read.
            (b"accept-encoding", b"identity"),
            (b"user-agent", f"everturn/{version}".encode()),
        ]
        named = {ACTOR_HEADER: self.actor, TENANT_HEADER: self.tenant}
        for name, value in named.items():
            if value is not None:
                told = header_bytes(value, field=name.rpartition("-")[2])
                headers.append((name.encode(), told))
        if self.token is not None:
            headers.append((b"authorization", b"Bearer " + header_bytes(self.token, field="token")))
        return headers


@contextmanager
def _environment_told() -> Iterator[None]:
    try:
        yield
    except (ValueError, ImportError, OSError, httpx.InvalidURL) as exc:
        raise MisconfiguredError(
            "a proxy or the certificates that the environment names cannot be used"
            f" error={type(exc).__name__}"
        ) from exc


def _address(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url)
        # What a system makes of a name before it looks it up; `host` decodes it.
        address.raw_host.decode("ascii").encode("idna")
        known = bool(address.host) and address.scheme in {"http", "https"}
    except (httpx.InvalidURL, TypeError, UnicodeError) as exc:
        raise InvalidRequestError("this is no url", field="url") from exc
    if not known:
        raise InvalidRequestError("a url begins with http:// or https://", field="url")
    if address.query or address.fragment:
        raise InvalidRequestError("a url ends with its path", field="url")
    return address


class LoopClients:
    """Clients of httpx by their event loop; each is closed with its loop.

    Loops may run in several threads: each touches what is its own.
    """

    def __init__(self, make: Callable[[], httpx.AsyncClient]) -> None:
        """Take what makes a client; nothing is made before a loop asks for it."""
        self._make = make
        self._held: dict[asyncio.AbstractEventLoop, _Held] = {}
        self._is_closed = False

    async def here(self) -> httpx.AsyncClient:
        """Return the client of the running loop.

        Raises:
            InvalidRequestError: this was closed.
        """
        if self._is_closed:
            raise InvalidRequestError(CLOSED)
        loop = asyncio.get_running_loop()
        held = self._held.get(loop)
        if held is None or held.client.is_closed:
            for ended in [other for other in list(self._held) if other.is_closed()]:
                self._held.pop(ended, None)
            held = self._held[loop] = _Held(self._make())
            await held.begin()
        return held.client

    async def aclose(self) -> None:
        """Close the running loop's connections; those of another loop go when it ends."""
        self._is_closed = True
        held = self._held.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held.end()


class _Held:
    """A client that is closed when its loop shuts down, by whoever runs the loop.

    Loops close the asynchronous generators that were begun in them and not ended: it is the one
    thing that they do for others when they end. https://peps.python.org/pep-0525/
    """

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self._closing = _closed_at_last(client)

    async def begin(self) -> None:
        await anext(self._closing)

    async def end(self) -> None:
        await self._closing.aclose()


async def _closed_at_last(client: httpx.AsyncClient) -> AsyncGenerator[None, None]:
    try:
        yield
    finally:
        await client.aclose()
