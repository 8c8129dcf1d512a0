"""One process of `everturn up`: loads the handlers and serves until its parent hangs up."""

import socket
import threading
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from everturn.errors import EverturnError
from everturn.local.environment import Overlay, set_environment
from everturn.local.gateway import open_gateway
from everturn.local.server import FrontServer

READY = ""
"""What a worker says when it serves; anything else is why it cannot."""

# Longer than a request may take: the functions' timeout is 20 s (template.yaml).
_END_TIMEOUT_S = 21.0
# How soon a server notices that it is to end; it costs one wake-up each time.
_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What each worker is told: the same for all.

    `host` is the address asked for; `settings` are the handlers' environment; `process_environment`
    is that of the whole process, such as the AWS SDK's variables.
    """

    host: str
    settings: Overlay
    process_environment: Overlay
    log: Path | None


def work(listener: socket.socket, plan: WorkerPlan, parent: Connection) -> None:
    """Serve on the shared socket until `parent` is closed; what is in flight is answered."""
    set_environment(plan.process_environment)
    try:
        gateway = open_gateway(plan.settings, log=plan.log)
    except EverturnError as error:
        tell(parent, error.message)
        return
    server = FrontServer(listener, gateway, host=plan.host)
    threading.Thread(target=_end_with, args=(parent, server), daemon=True).start()
    with server:
        if not tell(parent, READY):
            return
        server.serve_forever(_POLL_S)
        server.in_flight.wait_until_none(_END_TIMEOUT_S)


def tell(parent: Connection, said: str) -> bool:
    """Say something to the parent; False if it has hung up, which may be while this one loads."""
    try:
        parent.send(said)
    except ConnectionError:
        return False
    return True


def _end_with(parent: Connection, server: FrontServer) -> None:
    """End the server when the parent closes its end, or is gone: both read as end of file."""
    try:
        parent.recv()
    except (EOFError, ConnectionError):
        server.shutdown()
