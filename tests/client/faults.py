"""A network that fails when told to, in front of a real Everturn or of none."""

from collections.abc import Callable, Iterable
from typing import TypeAlias

import httpx

Handler: TypeAlias = Callable[[httpx.Request], httpx.Response]
Fault: TypeAlias = Callable[[httpx.Request, Handler], httpx.Response]


def works(request: httpx.Request, answer: Handler) -> httpx.Response:
    return answer(request)


def lost_request(request: httpx.Request, _: Handler) -> httpx.Response:
    """The connection breaks while the request is under way: it never arrives."""
    raise httpx.WriteError("broken pipe", request=request)


def no_connection(request: httpx.Request, _: Handler) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


def lost_answer(request: httpx.Request, answer: Handler) -> httpx.Response:
    """The request is carried out; the connection breaks before the answer is there."""
    answer(request)
    raise httpx.ReadTimeout("no answer", request=request)


def answers(status: int, body: object = None, headers: dict[str, str] | None = None) -> Fault:
    """An answer of API Gateway: no function was called, unless it says otherwise."""

    def fault(request: httpx.Request, _: Handler) -> httpx.Response:
        told = {"message": "No"} if body is None else body
        return httpx.Response(status, json=told, headers=headers, request=request)

    return fault


def says(code: str, status: int, *, retryable: bool = False) -> Fault:
    """An error answer of a handler."""
    error = {"code": code, "message": "no", "request_id": "r-1", "retryable": retryable}
    return answers(status, {"error": error})


class FaultyNetwork(httpx.BaseTransport):
    """Meets each request with the next fault; when there is none left, all works.

    `requests` are those that were tried, in order.
    """

    def __init__(self, behind: httpx.BaseTransport | None = None) -> None:
        self._behind = behind
        self._faults: list[Fault] = []
        self.requests: list[httpx.Request] = []

    def meets(self, faults: Iterable[Fault]) -> None:
        self._faults = list(faults)
        self.requests = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        self.requests.append(request)
        fault = self._faults.pop(0) if self._faults else works
        return fault(request, self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        assert self._behind is not None, "nothing answers behind this network"
        return self._behind.handle_request(request)
