"""An API on a directory, a transport that interferes with it, and the type of the runner."""

from collections.abc import Callable
from pathlib import Path

import httpx
from typer.testing import Result

from everturn.cli.target.api import Api
from everturn.local.gateway import open_gateway
from everturn.local.transport import LambdaTransport

Run = Callable[..., Result]
"""Runs one command on the store of a test; `stdin` is what it reads."""

Interference = Callable[[httpx.Request], httpx.Response | None]
"""Answers in place of the API, or None to let it; may raise."""


class Interfering(httpx.BaseTransport):
    """Hands requests to the real functions; keeps what was sent."""

    def __init__(self, directory: Path, interfere: Interference) -> None:
        settings = {"EVERTURN_STORE": str(directory), "EVERTURN_DERIVED_STORE": None}
        self._real = LambdaTransport(open_gateway(settings))
        self._interfere = interfere
        self.sent: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        return self._interfere(request) or self._real.handle_request(request)

    @property
    def appends(self) -> list[httpx.Request]:
        """The appends among what was sent."""
        return [r for r in self.sent if r.method == "POST" and r.url.path.endswith("/turns")]


def open_store(
    directory: Path, interfere: Interference = lambda _: None
) -> tuple[Api, Interfering]:
    """Return an API on a directory, and its transport."""
    transport = Interfering(directory, interfere)
    return Api(httpx.Client(transport=transport, base_url="http://localhost")), transport
