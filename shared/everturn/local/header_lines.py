"""The reading side of a connection, which notices lines that are no header lines.

The standard library drops such lines and all that follow, or takes them for others: a request would
be that of another user.
"""

import io
import re

# RFC 9112, section 5: a name, no blank before the colon, no folding; section 2.2: no bare CR.
# https://www.rfc-editor.org/rfc/rfc9112#section-5
_HEADER_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r?\n")
_ENDS = frozenset({b"\r\n", b"\n"})


class HeaderLines(io.BufferedReader):
    """A connection's reader; `faulty` says whether a line since `begin` was no header line."""

    faulty = False

    def begin(self) -> None:
        """Forget the lines so far: headers begin here."""
        self.faulty = False

    def readline(self, size: int | None = -1, /) -> bytes:
        """Read a line as ever; the end of the connection is no end of the headers."""
        line = super().readline(size)
        self.faulty |= line not in _ENDS and _HEADER_LINE.fullmatch(line) is None
        return line
