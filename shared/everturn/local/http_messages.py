"""One HTTP request and one HTTP answer as plain values."""

from dataclasses import dataclass
from urllib.parse import quote

# The same limit as the functions have (edge/http_app.py, which is heavy to import).
MAX_BODY_BYTES = 3 * 1_048_576

_VISIBLE_ASCII = "".join(map(chr, range(0x21, 0x7F)))


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came; `target` is path and query in percent-encoded ASCII."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def raw_path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def raw_query(self) -> str:
        """What stands behind the first question mark, still encoded."""
        return self.target.partition("?")[2]

    def folded_headers(self) -> dict[str, str]:
        """Return the headers with lower-case names, repeated ones joined by commas."""
        folded: dict[str, str] = {}
        for name, value in self.headers:
            key = name.lower()
            folded[key] = f"{folded[key]},{value}" if key in folded else value
        return folded


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer; names of headers are in lower case, and several may be equal (set-cookie)."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def header_text(value: bytes) -> str:
    """Return a header's value without blanks around it, as UTF-8 where it is, else as Latin-1.

    https://www.rfc-editor.org/rfc/rfc9110#section-5.5
    """
    bare = value.strip(b" \t")
    try:
        return bare.decode()
    except UnicodeDecodeError:
        return bare.decode("latin-1")


def ascii_target(target: str) -> str:
    """Return a request target as visible ASCII: other bytes (one per character) percent-encoded."""
    return quote(target.encode("latin-1"), safe=_VISIBLE_ASCII)
