"""The paths of Claude's memory tool, and the keys of the documents that hold its files.

Not here: the files (anthropic_memory_files.py).

A key is `m.` and the path below `/memories`: letters, digits, `.` and `_` as they are, `/` as `--`,
any other byte as `-` and two hex digits. Such keys, up to 128 characters, are listed by prefix
without being opened, and no two paths share one.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from anthropic.lib.tools import ToolError

ROOT: Final = "/memories"
_FAMILY: Final = "m."
_ESCAPED: Final = re.compile(rb"[^A-Za-z0-9._]")
_ESCAPES: Final = re.compile("--|-[0-9a-f]{2}")
# Nobody encodes a step upwards more often by mistake.
_DECODINGS: Final = 3


@dataclass(frozen=True, slots=True)
class MemoryPath:
    """A path as the model wrote it, and its parts below the root: none for the root itself."""

    told: str
    parts: tuple[str, ...]

    @property
    def key(self) -> str:
        """The key of the document that holds this file."""
        return _FAMILY + _escaped("/".join(self.parts))

    @property
    def prefix(self) -> str:
        """What the keys of all files in this directory begin with."""
        return f"{self.key}{_escaped('/')}" if self.parts else _FAMILY

    @property
    def parents(self) -> tuple["MemoryPath", ...]:
        """The directories that it is in, outermost first, without the root."""
        return tuple(self.of(self.parts[:depth]) for depth in range(1, len(self.parts)))

    def under(self, other: "MemoryPath", below: tuple[str, ...]) -> "MemoryPath":
        """Return the place in another directory of what lies `below` this one."""
        return self.of((*other.parts, *below[len(self.parts) :]))

    @classmethod
    def of(cls, parts: tuple[str, ...]) -> "MemoryPath":
        """Return the path of parts below the root."""
        return cls("/".join((ROOT, *parts)), parts)


def parse_path(path: str) -> MemoryPath:
    """Read a path; empty parts and `.` are left out, `..` is resolved.

    Raises:
        ToolError: it is not below `/memories`, or leaves it, plainly, encoded or by backslashes.
    """
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    parts: list[str] = []
    for part in path.removeprefix(ROOT).split("/"):
        if part == "..":
            if not parts:
                raise _escape(path)
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    if ".." in _decoded("/".join(parts)).split("/"):
        raise _escape(path)
    return MemoryPath(path, tuple(parts))


def parts_of_key(key: str) -> tuple[str, ...]:
    """Return the parts of a file's path from the key of its document."""
    return tuple(_unescaped(key.removeprefix(_FAMILY)).split("/"))


def _escape(path: str) -> ToolError:
    return ToolError(f"Path {path} would escape {ROOT} directory")


def _decoded(path: str) -> str:
    for _ in range(_DECODINGS):
        path = unquote(path)
    return path.replace("\\", "/")


# A lone surrogate is a character like any other: a model's JSON may hold one.
def _escaped(path: str) -> str:
    return _ESCAPED.sub(_escape_of, path.encode(errors="surrogatepass")).decode("ascii")


def _escape_of(found: re.Match[bytes]) -> bytes:
    byte = found.group()
    return b"--" if byte == b"/" else f"-{byte[0]:02x}".encode()


def _unescaped(text: str) -> str:
    raw = _ESCAPES.sub(_byte_of, text)
    return raw.encode("latin-1").decode(errors="surrogatepass")


def _byte_of(found: re.Match[str]) -> str:
    escape = found.group()
    return "/" if escape == "--" else chr(int(escape[1:], 16))
