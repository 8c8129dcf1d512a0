"""Reads the JSON values of a file one by one: elements of an array, JSON lines, or one document.

Of an array or of lines no more is in memory than the longest element and a megabyte.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, BinaryIO, Final

from everturn.cli.output.errors import CliError

Value = tuple[str, Any]
"""Where a value stands, as `position=$[3]`, and the value."""

CHUNK_BYTES: Final = 1_048_576
MAX_VALUE_BYTES: Final = 268_435_456
"""What is read in one piece ends here: a value of 256 MiB takes gigabytes once it is parsed."""
# A whole string, or what shapes an array; a lone quote begins a string that breaks off here.
_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)
_BLANK: Final = b" \t\r\n"


def read_whole(path: Path, *, max_bytes: int = MAX_VALUE_BYTES) -> bytes:
    """Read a file in one piece.

    Raises:
        OSError: it cannot be read.
        CliError: it is a pipe or a device, which may have no end; or it is larger than that.
    """
    refuse_special(path)
    if path.stat().st_size > max_bytes:
        raise CliError(f"too large to be read in one piece max_bytes={max_bytes} file={path}")
    return path.read_bytes()


def refuse_special(path: Path) -> None:
    """Refuse what is neither a file nor a directory: a pipe waits, and a device may have no end.

    Raises:
        OSError: there is none.
        CliError: it is such a thing.
    """
    mode = path.stat().st_mode
    if not (S_ISREG(mode) or S_ISDIR(mode)):
        raise CliError(f"a pipe or a device is not read, copy it into a file first file={path}")


def values_of(
    path: Path, *, chunk_bytes: int = CHUNK_BYTES, max_bytes: int = MAX_VALUE_BYTES
) -> Iterator[Value]:
    """Yield the values of a file in their order; those before a fault come before the error.

    Args:
        path: the file.
        chunk_bytes: how much is read at once, at least.
        max_bytes: how long a line, or a document that is no array, may be.

    Raises:
        OSError: it cannot be read.
        CliError: it is neither JSON nor JSON lines, or a value is too long.
    """
    with path.open("rb") as file:
        start = _skip_blank(file)
        if start == b"[":
            yield from _elements(file, chunk_bytes, max_bytes)
            return
        first = start + _line(file, max_bytes, "line=1")
        second = _skip_blank(file)
        if second and is_json(first):
            yield from _lines(first, second, file, max_bytes)
        else:
            rest = second + _bounded(file.read(max_bytes + 1), max_bytes, "position=$")
            yield "position=$", parsed(first + rest, "position=$")


def parsed(body: bytes | str, position: str) -> Any:  # noqa: ANN401 - any JSON value
    """Read one value.

    Raises:
        CliError: it is no JSON, or nested too deeply to be read.
    """
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise CliError(f"no JSON {position}") from exc


def is_json(body: bytes | str) -> bool:
    """Say whether a text is one value."""
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return False
    return True


def _skip_blank(file: BinaryIO) -> bytes:
    """Return the next byte that is not blank, past a mark of the byte order; b"" at the end."""
    at_start = file.tell() == 0
    if at_start and file.read(len(BOM_UTF8)) != BOM_UTF8:
        file.seek(0)
    byte = file.read(1)
    while byte and byte in _BLANK:
        byte = file.read(1)
    return byte


def _lines(first: bytes, second: bytes, file: BinaryIO, max_bytes: int) -> Iterator[Value]:
    yield "line=1", parsed(first, "line=1")
    line, number = second, 2
    while line := line + _line(file, max_bytes, f"line={number}"):
        if line.strip():
            yield f"line={number}", parsed(line, f"line={number}")
        line, number = b"", number + 1


def _line(file: BinaryIO, max_bytes: int, position: str) -> bytes:
    return _bounded(file.readline(max_bytes + 1), max_bytes, position)


def _bounded(body: bytes, max_bytes: int, position: str) -> bytes:
    if len(body) > max_bytes:
        raise CliError(f"a value is too long max_bytes={max_bytes} {position}")
    return body


def _elements(file: BinaryIO, chunk_bytes: int, max_bytes: int) -> Iterator[Value]:
    splitter, number = _Splitter(), 0
    while not splitter.ended:
        # Twice as much while one element goes on: what it costs to look again stays in proportion.
        chunk = file.read(max(chunk_bytes, splitter.held_bytes))
        if not chunk:
            raise CliError(f"the file breaks off position=$[{number}]")
        for body in splitter.split(chunk):
            yield f"position=$[{number}]", parsed(body, f"position=$[{number}]")
            number += 1
        if splitter.held_bytes > max_bytes:
            raise CliError(f"a value is too long max_bytes={max_bytes} position=$[{number}]")
    if splitter.rest.strip(_BLANK) or _skip_blank(file):
        raise CliError(f"more than one array position=$[{number}]")


class _Splitter:
    """Cuts the inside of an array at its commas."""

    def __init__(self) -> None:
        self.ended = False
        self.rest = b""
        self._buffer = b""
        self._scanned = 0
        self._depth = 0
        self._count = 0

    @property
    def held_bytes(self) -> int:
        """The length of what is no whole element yet."""
        return len(self._buffer)

    def split(self, chunk: bytes) -> Iterator[bytes]:
        """Take the next bytes; yield the elements that are whole by now."""
        self._buffer += chunk
        start, self._scanned, at = 0, len(self._buffer), self._scanned
        for token in _TOKEN.finditer(self._buffer, at):
            text = token[0]
            if text == b'"':
                self._scanned = token.start()
                break
            if self._depth == 0 and text in b",]":
                yield from self._element(self._buffer[start : token.start()], last=text == b"]")
                start = token.end()
                if text == b"]":
                    self.ended, self.rest = True, self._buffer[start:]
                    return
            elif text in b"[{":
                self._depth += 1
            elif text in b"]}":
                self._depth -= 1
        self._buffer = self._buffer[start:]
        self._scanned -= start

    def _element(self, body: bytes, *, last: bool) -> Iterator[bytes]:
        """An array without an element has nothing between its brackets."""
        if not (last and self._count == 0 and not body.strip(_BLANK)):
            self._count += 1
            yield body
