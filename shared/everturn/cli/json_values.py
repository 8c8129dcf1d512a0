"""Reads the JSON values of a file one by one: elements of an array, JSON lines, or one document.

Not here: what they mean (import_formats.py). Of an array or of lines no more is in memory than the
longest element and a megabyte.
"""

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

from everturn.cli.failures import CliError

Value = tuple[str, Any]
"""Where a value stands, as `position=$[3]`, and the value."""

CHUNK_BYTES: Final = 1_048_576
# A whole string, or what shapes an array; a lone quote begins a string that breaks off here.
_TOKEN: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|["\[\]{},]', re.DOTALL)
_BLANK: Final = b" \t\r\n"


def values_of(path: Path, *, chunk_bytes: int = CHUNK_BYTES) -> Iterator[Value]:
    """Yield the values of a file in their order; those before a fault come before the error.

    Args:
        path: the file.
        chunk_bytes: how much is read at once, at least.

    Raises:
        OSError: it cannot be read.
        CliError: it is neither JSON nor JSON lines.
    """
    with path.open("rb") as file:
        start = _skip_blank(file)
        if start == b"[":
            yield from _elements(file, chunk_bytes)
            return
        first = start + file.readline()
        second = _skip_blank(file)
        if second and is_json(first):
            yield from _lines(first, second, file)
        else:
            yield "position=$", parsed(first + second + file.read(), "position=$")


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


def _lines(first: bytes, second: bytes, file: BinaryIO) -> Iterator[Value]:
    yield "line=1", parsed(first, "line=1")
    for number, line in enumerate(chain([second + file.readline()], file), 2):
        if line.strip():
            yield f"line={number}", parsed(line, f"line={number}")


def _elements(file: BinaryIO, chunk_bytes: int) -> Iterator[Value]:
    splitter, number = _Splitter(), 0
    while not splitter.ended:
        # Twice as much while one element goes on: what it costs to look again stays in proportion.
        chunk = file.read(max(chunk_bytes, splitter.held_bytes))
        if not chunk:
            raise CliError(f"the file breaks off position=$[{number}]")
        for body in splitter.split(chunk):
            yield f"position=$[{number}]", parsed(body, f"position=$[{number}]")
            number += 1
    if splitter.rest.strip(_BLANK) or file.read(1).strip(_BLANK):
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
