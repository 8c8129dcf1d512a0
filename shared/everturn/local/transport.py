"""An httpx transport that ends in a gateway of the same process: no socket, the same events.

Not here: Host and content-type checks, which guard a socket against browsers (front.py).
"""

import httpx

from everturn.local.gateway import Gateway
from everturn.local.guard import body_too_large
from everturn.local.messages import MAX_BODY_BYTES, Request, ascii_target, header_text


class LambdaTransport(httpx.BaseTransport):
    """Hands each request of an httpx.Client to a gateway."""

    def __init__(self, gateway: Gateway) -> None:
        """Take the gateway that answers."""
        self._gateway = gateway

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer one request; never raises a transport error."""
        body = request.read()
        if len(body) > MAX_BODY_BYTES:
            answer = self._gateway.refuse(body_too_large())
        else:
            headers = tuple(
                (name.decode("latin-1"), header_text(value)) for name, value in request.headers.raw
            )
            target = ascii_target(request.url.raw_path.decode("latin-1"))
            answer = self._gateway.answer(Request(request.method, target, headers, body))
        return httpx.Response(answer.status, headers=list(answer.headers), content=answer.body)
