"""What a client is made of: its address, its headers, its time limit, all checked once.

Not here: requests (exchange.py), and how they are signed (the `auth` of the caller).
"""

import importlib.metadata
import ipaddress
from dataclasses import dataclass, field
from typing import Final

import httpx

from everturn.client.wire import header_bytes
from everturn.errors import InvalidRequestError

ACTOR_HEADER: Final = "x-everturn-actor"
TENANT_HEADER: Final = "x-everturn-tenant"
LOCAL_URL: Final = "http://localhost"
"""The address of an Everturn in this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """How an Everturn is reached, and for whom; `timeout_s` is for a whole call.

    Raises:
        InvalidRequestError: the URL is none, the token would be sent in the clear to another
            machine, a name cannot be sent in a header, or a number is none; `field` says which.
    """

    url: str = field(repr=False)
    token: str | None = field(default=None, repr=False)
    actor: str | None = None
    tenant: str | None = None
    timeout_s: float = 30.0
    best_effort: bool = False
    address: httpx.URL = field(init=False, repr=False)
    headers: tuple[tuple[bytes, bytes], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check it."""
        object.__setattr__(self, "address", _address(self.url))
        if not self.timeout_s > 0:
            raise InvalidRequestError("a time limit is above 0", field="timeout_s")
        if self.tenant is not None and self.actor is None:
            raise InvalidRequestError("name the actor together with the tenant", field="actor")
        if self.token is not None and self.address.scheme == "http" and not self.is_loopback:
            raise InvalidRequestError("a token is sent by https alone", field="url")
        object.__setattr__(self, "headers", tuple(self._headers()))

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

    def _headers(self) -> list[tuple[bytes, bytes]]:
        version = importlib.metadata.version("everturn")
        headers = [
            (b"accept", b"application/json"),
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


def _address(url: str) -> httpx.URL:
    try:
        address = httpx.URL(url)
    except httpx.InvalidURL as exc:
        raise InvalidRequestError("this is no url", field="url") from exc
    if address.scheme not in {"http", "https"} or not address.host:
        raise InvalidRequestError("a url begins with http:// or https://", field="url")
    if address.query or address.fragment:
        raise InvalidRequestError("a url ends with its path", field="url")
    return address
