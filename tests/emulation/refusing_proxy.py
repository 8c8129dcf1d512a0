"""A proxy that says 403 for every object as S3 does for absent ones, and never tells which are."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

_REFUSAL = b"<Error><Code>AccessDenied</Code><Message>injected</Message></Error>"


@contextmanager
def refusing_proxy() -> Iterator[str]:
    """Refuse gets of objects at once, and keep all other requests waiting; yields the URL."""
    over = threading.Event()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if urlsplit(self.path).query:
                over.wait()
                return
            self.send_response(403)
            self.send_header("Content-Type", "application/xml")
            self.send_header("Content-Length", str(len(_REFUSAL)))
            self.end_headers()
            self.wfile.write(_REFUSAL)

        def do_PUT(self) -> None:
            over.wait()

        do_POST = do_DELETE = do_PUT  # noqa: N815 - the server's own names

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the server's own name
            del format, args

    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        # A request that waits ends with the test.
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            over.set()
            server.shutdown()
