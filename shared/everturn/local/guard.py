"""What the HTTP front lets in: Host names, content types, sizes.

Not here: reading from a socket (front.py). A browser must not reach the store through a page of
somebody else: a foreign Host is DNS rebinding, and a cross-site form cannot send JSON.
"""

import ipaddress
import re
from dataclasses import dataclass
from http import HTTPStatus

from everturn.local.messages import MAX_BODY_BYTES, Request

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::\d{1,5})?")
_LENGTH = re.compile(r"[0-9]{1,15}")
_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a request is not let in."""

    status: HTTPStatus
    message: str


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules of one server; `host` is the address that it is bound to."""

    host: str

    def check(self, request: Request) -> Refused | None:
        """Judge a request by its line and headers, before its body is read."""
        return (
            self._check_host(request)
            or _check_target(request)
            or _check_length(request)
            or _check_content_type(request)
        )

    def _check_host(self, request: Request) -> Refused | None:
        hosts = values_of(request, "host")
        if len(hosts) == 1 and self.allows(hosts[0]):
            return None
        return Refused(HTTPStatus.FORBIDDEN, "this Host is not served")

    def allows(self, host: str) -> bool:
        """Say whether a Host header names this server, with any port."""
        parts = _HOST.fullmatch(host.strip())
        if parts is None:
            return False
        name = parts[1].lower()
        if name in LOOPBACK_NAMES or name.strip("[]") == self.host.lower():
            return True
        # Bound to all addresses: an address cannot be rebound, a name can.
        return _is_wildcard(self.host) and _address(name.strip("[]")) is not None


def values_of(request: Request, name: str) -> list[str]:
    """Return every value of a header; `name` in lower case."""
    return [value for key, value in request.headers if key.lower() == name]


def body_length(request: Request) -> int:
    """Return the length in bytes that the headers announce; 0 if none."""
    return int(next(iter(values_of(request, "content-length")), "0"))


def _check_target(request: Request) -> Refused | None:
    if request.target.startswith("/"):
        return None
    return Refused(HTTPStatus.BAD_REQUEST, "the request target does not begin with a slash")


def _check_length(request: Request) -> Refused | None:
    if values_of(request, "transfer-encoding"):
        return Refused(HTTPStatus.LENGTH_REQUIRED, "send the body with a content-length")
    lengths = set(values_of(request, "content-length"))
    if len(lengths) > 1 or not all(_LENGTH.fullmatch(length) for length in lengths):
        return Refused(HTTPStatus.BAD_REQUEST, "the content-length is no number")
    if (length := body_length(request)) > MAX_BODY_BYTES:
        too_large = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        return Refused(too_large, f"the body is too large, bytes={length} limit={MAX_BODY_BYTES}")
    return None


def _check_content_type(request: Request) -> Refused | None:
    if request.method not in _WITH_BODY or body_length(request) == 0:
        return None
    kinds = [v.partition(";")[0].strip().lower() for v in values_of(request, "content-type")]
    if kinds == ["application/json"]:
        return None
    unsupported = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    return Refused(unsupported, "send the body as content-type: application/json")


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _is_wildcard(host: str) -> bool:
    address = _address(host)
    return address is not None and address.is_unspecified
