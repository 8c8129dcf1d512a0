"""Emulate AWS S3 and SQS with moto in this process, with locks that make each request atomic.

S3 needs the lock for check-and-write; SQS needs it for every call. moto and flask are imported when
called.
"""

import functools
import logging
import socket
import threading
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlunsplit

if TYPE_CHECKING:
    from moto.server import ThreadedMotoServer

# All ways into moto's S3. Without the lock 38 to 162 of 800 racing conditional puts were lost.
_S3_ENTRANCES: Final = ("bucket_response", "key_response", "ambiguous_response")
# All calls of moto's SQS that touch messages. Without it, of 1,536 jobs among eight threads six
# came twice and one receive was a 500; a delete writes back a list that it read before.
_SQS_ENTRANCES: Final = (
    "send_message",
    "send_message_batch",
    "receive_message",
    "delete_message",
    "delete_message_batch",
    "change_message_visibility",
    "change_message_visibility_batch",
    "get_queue_attributes",
)
_MARK: Final = "everturn_lock"


@dataclass(frozen=True, slots=True)
class MotoServer:
    """A running emulation on one port."""

    url: str
    _server: "ThreadedMotoServer"

    def reset(self) -> None:
        """Forget all that is stored."""
        request = urllib.request.Request(f"{self.url}/moto-api/reset", method="POST")  # noqa: S310
        with urllib.request.urlopen(request, timeout=10):  # noqa: S310 - always our own http://
            pass

    def stop(self) -> None:
        """Stop serving; what is stored ends with the process."""
        self._server.stop()


def install_lock() -> None:
    """Put one lock around every S3 request that moto answers in this process; twice is once."""
    from moto.s3.responses import S3Response

    if hasattr(S3Response, _MARK):
        return
    lock = threading.RLock()
    for name in _S3_ENTRANCES:
        setattr(S3Response, name, _locked(getattr(S3Response, name), lock))
    setattr(S3Response, _MARK, lock)


def install_sqs_lock() -> None:
    """Put one lock around every SQS request that moto answers in this process; twice is once.

    A receive that waits for messages holds up all others: ours do not wait.
    """
    from moto.sqs.responses import SQSResponse

    if hasattr(SQSResponse, _MARK):
        return
    lock = threading.RLock()
    for name in _SQS_ENTRANCES:
        setattr(SQSResponse, name, _locked(getattr(SQSResponse, name), lock))
    setattr(SQSResponse, _MARK, lock)


def _locked(entrance: Callable[..., Any], lock: threading.RLock) -> Callable[..., Any]:
    @functools.wraps(entrance)
    def one_at_a_time(*args: object, **kwargs: object) -> object:
        with lock:
            return entrance(*args, **kwargs)

    return one_at_a_time


def serve(host: str, port: int) -> MotoServer:
    """Serve in threads of this process; port 0 takes a free one.

    Raises:
        OSError: the port is taken.
    """
    from moto.server import ThreadedMotoServer

    # moto's thread would die of a taken port and leave its caller waiting for ever.
    socket.create_server((host, port)).close()
    install_lock()
    install_sqs_lock()
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address=host, port=port, verbose=False)
    server.start()
    bound_host, bound_port = server.get_host_and_port()
    return MotoServer(urlunsplit(("http", f"{bound_host}:{bound_port}", "", "", "")), server)
