"""The HTTP server of one process: a thread per connection, on a socket that others may share."""

import errno
import socket
import sys
import threading
from http.server import ThreadingHTTPServer
from types import TracebackType

from everturn.errors import MisconfiguredError
from everturn.local.front import Front
from everturn.local.gateway import Gateway
from everturn.local.guard import Guard

# A burst of clients waits here instead of being refused.
_BACKLOG = 128
# No file descriptors are left, in this process or at all.
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE})
_EXHAUSTED_PAUSE_S = 0.05


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket that several processes can accept on; port 0 is any free one.

    Raises:
        MisconfiguredError: the port is taken, or the address is none of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Without it a restarted server waits a minute for old connections to be forgotten.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError as exc:
        listener.close()
        reason = exc.strerror or str(exc)
        message = f"cannot listen: {reason.lower()} host={host} port={port}"
        raise MisconfiguredError(message) from exc
    # Whoever loses the race for a connection must not block in accept().
    listener.setblocking(False)  # noqa: FBT003 - the name of the standard library
    return listener


def url_of(listener: socket.socket) -> str:
    """Return the address of a listening socket as a URL, without a final slash."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class InFlight:
    """Counts the requests being answered, so that an end can wait for them."""

    def __init__(self) -> None:
        """Start at none."""
        self._changed = threading.Condition()
        self._count = 0

    def __enter__(self) -> None:
        """One more."""
        with self._changed:
            self._count += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """One less."""
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def wait_until_none(self, timeout_s: float) -> bool:
        """Wait for all of them; False if some are left after this many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, timeout_s)


class FrontServer(ThreadingHTTPServer):
    """Answers through one gateway on a socket made by `listen`."""

    # Idle keep-alive connections must not hold up the end.
    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, gateway: Gateway, *, host: str) -> None:
        """Serve on `listener`; `host` is the address asked for, which Host headers may name."""
        super().__init__(listener.getsockname()[:2], Front, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_name, self.server_port = listener.getsockname()[:2]
        self.gateway = gateway
        self.guard = Guard(host)
        self.in_flight = InFlight()

    def get_request(self) -> tuple[socket.socket, object]:
        """Accept one connection; it blocks, whatever the listening socket does."""
        try:
            connection, address = super().get_request()
        except OSError as error:
            if error.errno in _EXHAUSTED:
                # The connection stays in the queue: without a pause this would spin.
                self.gateway.clock.sleep(_EXHAUSTED_PAUSE_S)
            raise
        connection.setblocking(True)  # noqa: FBT003 - the name of the standard library
        return connection, address

    def handle_error(self, request: object, client_address: object) -> None:  # noqa: ARG002 - the base's
        """Say in one line what ended a connection; a client that went away is not worth one."""
        error = sys.exc_info()[1]
        if not isinstance(error, ConnectionError | TimeoutError):
            # Its message may quote what was sent.
            sys.stderr.write(f"a connection failed error={type(error).__name__}\n")
