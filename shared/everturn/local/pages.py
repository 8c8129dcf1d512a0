"""Two pages that the local server alone has: the API's description, and a page to try it.

The page is Swagger UI as Powertools carries it, so it needs no internet: its parts are files of
their own, since a strict policy forbids scripts inside a page.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from everturn.local.http_messages import HttpAnswer, Request

# Private to Powertools (3.37), which else gives out these files inside a page of its own:
# tests/local/test_pages.py looks for them in the version that is installed.
_PARTS: Final = ("event_handler", "openapi", "swagger_ui")
_HTML: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Everturn</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""
_START: Final = """SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "list",
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
"""
# Nothing but this server's own files and answers; Swagger UI styles elements as it goes, and draws
# its arrows from data. https://www.w3.org/TR/CSP3/
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_READ: Final = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class Pages:
    """The pages of one server, which gives out the description in this file."""

    description: Path

    def find(self, request: Request) -> HttpAnswer | None:
        """Answer a request for a page; None where there is none."""
        found = self._all.get(request.raw_path)
        if found is None or request.method not in _READ:
            return None
        media, read = found
        try:
            body = read()
        except FileNotFoundError:
            return None
        return HttpAnswer(200, _headers(media), body)

    @property
    def _all(self) -> "Mapping[str, tuple[str, Callable[[], bytes]]]":
        return {
            "/openapi.json": ("application/json", self.description.read_bytes),
            "/docs": ("text/html; charset=utf-8", _HTML.encode),
            "/docs/start.js": ("text/javascript", _START.encode),
            "/docs/swagger-ui.js": ("text/javascript", lambda: _part("swagger-ui-bundle.min.js")),
            "/docs/swagger-ui.css": ("text/css", lambda: _part("swagger-ui.min.css")),
        }


def _part(name: str) -> bytes:
    return files("aws_lambda_powertools").joinpath(*_PARTS, name).read_bytes()


def _headers(media: str) -> tuple[tuple[str, str], ...]:
    return (
        ("content-type", media),
        ("cache-control", "no-store"),
        ("content-security-policy", _POLICY),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
    )
