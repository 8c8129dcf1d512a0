"""The paths of Claude's memory tool, and the keys of the documents that hold its files."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from anthropic.lib.tools import ToolError

from everturn.integrations.item_keys import item_key, items_prefix

ROOT: Final = "/memories"
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
        return item_key(self.parts[:-1], self.parts[-1])

    @property
    def prefix(self) -> str:
        """What the keys of all files in this directory begin with; others may, if it is long."""
        return items_prefix(self.parts)

    @property
    def whole(self) -> str:
        """The path in its one form, as the document says it."""
        return "/".join((ROOT, *self.parts))

    @property
    def parents(self) -> tuple["MemoryPath", ...]:
        """The directories that it is in, outermost first, without the root."""
        return tuple(self.of(self.parts[:depth]) for depth in range(1, len(self.parts)))

    def is_below(self, other: "MemoryPath") -> bool:
        """Say whether it is in another directory, at any depth."""
        depth = len(other.parts)
        return len(self.parts) > depth and self.parts[:depth] == other.parts

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
        ToolError: it is not below `/memories`, or leaves it, plainly, encoded or by backslashes;
            or it is no Unicode text.
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
    if not _is_text(path):
        raise ToolError(f"The path {path!a} cannot be used: it is no Unicode text.")
    return MemoryPath(path, tuple(parts))


def _escape(path: str) -> ToolError:
    return ToolError(f"Path {path} would escape {ROOT} directory")


def _decoded(path: str) -> str:
    for _ in range(_DECODINGS):
        path = unquote(path)
    return path.replace("\\", "/")


def _is_text(path: str) -> bool:
    # A model's JSON may hold half a surrogate pair, which would be stored as something else.
    return path.encode(errors="replace").decode() == path
