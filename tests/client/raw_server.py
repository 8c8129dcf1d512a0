"""A server that answers every connection as a test says, byte by byte if need be.

It listens on this machine alone.
"""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeAlias

Script: TypeAlias = Callable[["Peer"], None]

LIST = b'{"conversations":[],"skipped":0}'
_WAIT_S = 60.0


class Peer:
    """One connection, from the server's side."""

    def __init__(self, connection: socket.socket, ended: threading.Event) -> None:
        self._connection = connection
        self._ended = ended

    def request(self) -> bytes:
        """Return the head of the next request; empty where the other side has closed."""
        head = b""
        while b"\r\n\r\n" not in head:
            piece = self._connection.recv(65_536)
            if not piece:
                return b""
            head += piece
        return head

    def send(self, data: bytes) -> None:
        self._connection.sendall(data)

    def pause(self, seconds: float) -> None:
        self._ended.wait(seconds)


class RawServer:
    """`url` is its address; `closed` counts connections that the other side has closed."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self._ended = threading.Event()
        self._one_closed = threading.Condition()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.opened = 0
        self.closed = 0

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.opened += 1
            threading.Thread(target=self._talk, args=(connection,), daemon=True).start()

    def _talk(self, connection: socket.socket) -> None:
        # It may be closed while something is sent.
        with connection, suppress(OSError):
            self._script(Peer(connection, self._ended))
        with self._one_closed:
            self.closed += 1
            self._one_closed.notify_all()

    def all_closed(self) -> bool:
        """Say whether all connections are closed by the other side, soon."""
        with self._one_closed:
            return self._one_closed.wait_for(lambda: self.closed == self.opened, _WAIT_S)

    def end(self) -> None:
        self._ended.set()
        # Closing alone does not wake who accepts.
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


@contextmanager
def raw_server(script: Script) -> Iterator[RawServer]:
    """Serve until the block ends."""
    server = RawServer(script)
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.end()
        thread.join()


def head(length: int | None = None, *more: bytes) -> bytes:
    """Return the head of an answer of 200; without a length it ends with the connection."""
    lines = [b"HTTP/1.1 200 OK", *more]
    if length is not None:
        lines.append(b"content-length: %d" % length)
    return b"\r\n".join([*lines, b"", b""])


def lists(peer: Peer) -> None:
    """Answer all that is asked over one connection with an empty list of conversations."""
    while peer.request():
        peer.send(head(len(LIST)) + LIST)
