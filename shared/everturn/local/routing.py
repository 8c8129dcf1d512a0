"""Which route a raw request path belongs to, as API Gateway's HTTP APIs choose it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import unquote_to_bytes

from everturn.errors import MisconfiguredError

_PARAMETER = re.compile(r"\{(\w+)\}")
# RFC 3986, section 2.1: a percent sign begins two hex digits, or the path is no path.
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """The route of one request: its key, its parameters and its whole path, decoded once."""

    key: str
    path: str
    parameters: Mapping[str, str]


class RouteTable:
    """Route keys such as `GET /v1/conversations/{id}`, matched segment by segment."""

    def __init__(self, keys: Iterable[str]) -> None:
        """Take the keys; a literal segment is preferred to a parameter, from the left.

        Raises:
            MisconfiguredError: a key is not `METHOD /path`, or a parameter is greedy.
        """
        patterns = ((key, *_pattern(key)) for key in keys)
        self._routes = sorted(patterns, key=lambda route: [_is_parameter(s) for s in route[2]])

    def match(self, method: str, raw_path: str) -> RouteMatch | None:
        """Find the route, or None: no such path, no such method, empty or undecodable segments.

        Args:
            method: the HTTP method, in upper case.
            raw_path: percent-encoded ASCII, no query; an encoded slash stays in its segment.
        """
        segments = _decoded_segments(raw_path)
        if segments is None:
            return None
        for key, wanted, pattern in self._routes:
            parameters = _parameters(pattern, segments)
            if wanted == method and parameters is not None:
                return RouteMatch(key, "/" + "/".join(segments), parameters)
        return None


def _pattern(key: str) -> tuple[str, tuple[str, ...]]:
    method, _, path = key.partition(" ")
    segments = tuple(path.split("/")[1:])
    if not segments or not all(segments) or any(s.endswith("+}") for s in segments):
        raise MisconfiguredError(f"a route key is not served here route={key}")
    return method, segments


def _is_parameter(segment: str) -> bool:
    return _PARAMETER.fullmatch(segment) is not None


def _decoded_segments(raw_path: str) -> tuple[str, ...] | None:
    if not raw_path.startswith("/") or _BROKEN_ESCAPE.search(raw_path):
        return None
    try:
        segments = tuple(unquote_to_bytes(s).decode() for s in raw_path[1:].split("/"))
    except UnicodeDecodeError:
        return None
    return segments if all(segments) else None


def _parameters(pattern: tuple[str, ...], segments: tuple[str, ...]) -> dict[str, str] | None:
    if len(pattern) != len(segments):
        return None
    parameters: dict[str, str] = {}
    for wanted, found in zip(pattern, segments, strict=True):
        if parameter := _PARAMETER.fullmatch(wanted):
            parameters[parameter[1]] = found
        elif wanted != found:
            return None
    return parameters
