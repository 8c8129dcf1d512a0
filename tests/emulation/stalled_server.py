"""A server on loopback that accepts and never answers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def stalled_server() -> Iterator[str]:
    """Keep every connection open and silent; yields the URL."""
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        held: list[socket.socket] = []

        def accept() -> None:
            while True:
                try:
                    held.append(listener.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            for connection in held:
                connection.close()
