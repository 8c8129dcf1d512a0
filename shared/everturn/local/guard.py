"""Decide which requests the local server accepts, and build the error responses for the others.

The rules cover Host names, users acted for, content types and sizes. A browser must not reach the
store through another site's page. A foreign Host is DNS rebinding. A cross-site form cannot send
JSON, and a browser names the origin of a request.

Gateway and connection send these responses without a handler, in the form of the API's own errors.
"""

import ipaddress
import re
from dataclasses import dataclass, replace

from everturn.edge.identity import ACTOR_HEADER, TENANT_HEADER
from everturn.errors import (
    EverturnError,
    ForbiddenError,
    MalformedRequestError,
    TooLargeError,
    UnsupportedMediaError,
)
from everturn.local.http_messages import MAX_BODY_BYTES, HttpAnswer, Request
from everturn.local.invocation import answer_of

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^:\[\]]+)(?::\d{1,5})?")
_LENGTH = re.compile(r"[0-9]{1,15}")
# What a browser says of a request by one of our own pages, or by its user in person.
# https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
_OWN_SITES = frozenset({"same-origin", "none"})
_WITH_BODY = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class LengthRequiredError(MalformedRequestError):
    """The body comes without its length; API Gateway never lets such a request through."""

    code = "length_required"


@dataclass(frozen=True, slots=True)
class Guard:
    """The rules of one server; `host` is the address that it is bound to."""

    host: str

    def check(self, request: Request) -> EverturnError | None:
        """Judge a request by its line and headers, before its body is read.

        Returns:
            Why it is not let in, in the order of these rules; None if it is.
        """
        return (
            self._check_host(request)
            or _check_origin(request)
            or self._check_user(request)
            or _check_target(request)
            or _check_length(request)
            or _check_content_type(request)
        )

    def _check_host(self, request: Request) -> EverturnError | None:
        hosts = values_of(request, "host")
        if len(hosts) == 1 and self.allows(hosts[0]):
            return None
        return ForbiddenError("this host is not served")

    def _check_user(self, request: Request) -> EverturnError | None:
        """Who reaches a loopback address has this machine's files anyway; others are nobody."""
        named = any(values_of(request, name) for name in (TENANT_HEADER, ACTOR_HEADER))
        if named and not is_loopback(self.host):
            return ForbiddenError("this caller may not act for another user")
        return None

    def allows(self, host: str) -> bool:
        """Say whether a Host header names this server, with any port."""
        parts = _HOST.fullmatch(host.strip())
        if parts is None:
            return False
        name = parts[1].lower()
        if name in _LOOPBACK_NAMES or name.strip("[]") == self.host.lower():
            return True
        # Bound to all addresses: an address cannot be rebound, a name can.
        return _is_wildcard(self.host) and _address(name.strip("[]")) is not None


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches an address; of names only `localhost` is trusted."""
    address = _address(host)
    return host.lower() == "localhost" if address is None else address.is_loopback


def values_of(request: Request, name: str) -> list[str]:
    """Return every value of a header; `name` in lower case."""
    return [value for key, value in request.headers if key.lower() == name]


def body_length(request: Request) -> int:
    """Return the length in bytes that the headers announce; 0 if none."""
    return int(next(iter(values_of(request, "content-length")), "0"))


def body_too_large() -> TooLargeError:
    """Return the error for a body above the limit."""
    return TooLargeError(f"the body is too large max_bytes={MAX_BODY_BYTES}")


# https://www.rfc-editor.org/rfc/rfc9110#section-15.5.12
_LENGTH_REQUIRED = 411


def refusal(error: EverturnError, *, request_id: str, status: int | None = None) -> HttpAnswer:
    """Return the answer for an error, as a handler would.

    Args:
        error: why.
        request_id: the id of the request.
        status: instead of the table's, where HTTP has a closer one for the same error.
    """
    # Heavy, and loaded already where there are handlers.
    from everturn.edge.http_app import lambda_answer
    from everturn.edge.responses.base import error_answer

    answer = answer_of(lambda_answer(error_answer(error, request_id)))
    if isinstance(error, LengthRequiredError):
        status = _LENGTH_REQUIRED
    return answer if status is None else replace(answer, status=status)


def _check_origin(request: Request) -> EverturnError | None:
    """Refuse pages of other origins, those of other ports too; what is no browser says nothing.

    A proxy may serve us by https, so the scheme of an Origin does not count.
    """
    sites = {site.strip().lower() for site in values_of(request, "sec-fetch-site")}
    own = {f"{scheme}://{host}" for host in _hosts(request) for scheme in ("http", "https")}
    origins = {origin.strip().lower() for origin in values_of(request, "origin")}
    if sites <= _OWN_SITES and origins <= own:
        return None
    return ForbiddenError("pages of other origins are not served")


def _hosts(request: Request) -> list[str]:
    return [host.strip().lower() for host in values_of(request, "host")]


def _check_target(request: Request) -> EverturnError | None:
    if request.target.startswith("/"):
        return None
    return MalformedRequestError("the request target does not begin with a slash")


def _check_length(request: Request) -> EverturnError | None:
    if values_of(request, "transfer-encoding"):
        return LengthRequiredError("send the body with its length", field="Content-Length")
    lengths = set(values_of(request, "content-length"))
    if len(lengths) > 1 or not all(_LENGTH.fullmatch(length) for length in lengths):
        return MalformedRequestError("the length of the body is no number", field="Content-Length")
    return body_too_large() if body_length(request) > MAX_BODY_BYTES else None


def _check_content_type(request: Request) -> EverturnError | None:
    if request.method not in _WITH_BODY or body_length(request) == 0:
        return None
    kinds = [v.partition(";")[0].strip().lower() for v in values_of(request, "content-type")]
    if kinds == ["application/json"]:
        return None
    return UnsupportedMediaError("send application/json", field="Content-Type")


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _is_wildcard(host: str) -> bool:
    address = _address(host)
    return address is not None and address.is_unspecified
