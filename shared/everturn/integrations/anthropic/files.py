"""The files of Claude's memory tool as documents: read, written, moved and listed by versions.

Every function is a plan, which both kinds of client carry out.

    {"path": "/memories/notes/todo.txt", "text": ..., "writes": ["9f0c...", ...]}

The path of a file gives the key of its document. `writes` names the newest writes. They identify a
write that got no response, even below later edits of others. So an equal edit of another agent is
not taken for it, and it is not done twice.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from anthropic.lib.tools import ToolError

from everturn.client.calls.call import Plan
from everturn.client.calls.documents import all_documents, delete_document, get_document
from everturn.client.clock import Entropy, SystemEntropy
from everturn.errors import NotFoundError, OutcomeUnknownError, StaleEtagError, UnavailableError
from everturn.integrations.item_keys import item_key, items_prefix
from everturn.integrations.plans import (
    MAX_TRIES,
    NO_VERSION,
    UNANSWERED,
    WRITTEN_OTHERWISE,
    Version,
    changed_version,
    gathered,
    surely,
)
from everturn.wire.deployment import DocumentRow

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


# So many edits of others may come before an answer that got lost is asked for again.
_KEPT_WRITES: Final = 8
_WRITE_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file in a list: its path, its size in bytes of UTF-8."""

    path: MemoryPath
    size: int


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """The files of one space; what another program put there is none."""

    space: str
    entropy: Entropy = field(default_factory=SystemEntropy)

    def read(self, path: MemoryPath) -> Plan[str | None]:
        """Read a file in one request; None where there is none.

        Raises:
            ToolError: what is there is no file.
        """
        found = yield from self._found(path)
        return None if found == NO_VERSION else _text(found.value, path)

    def below(self, directory: MemoryPath) -> Plan[list[ListedFile]]:
        """List all files in a directory, at any depth, in one request per 100 or 3 MiB."""
        walk = all_documents(self.space, prefix=directory.prefix, values=True)
        rows = yield from gathered(surely(walk))
        files = (file for row in rows if (file := _listed(row)) is not None)
        return [file for file in files if file.path.is_below(directory)]

    def is_directory(self, path: MemoryPath) -> Plan[bool]:
        """Say whether a path has files below it; one request where it has none."""
        return bool((yield from self.below(path)))

    def create(self, path: MemoryPath, text: str) -> Plan[bool]:
        """Write a file that is not there, in one request; False if it is."""
        try:
            yield from self._put_new(path, text, self._mark())
        except StaleEtagError:
            return False
        return True

    def edit(self, path: MemoryPath, change: Callable[[str], str]) -> Plan[str | None]:
        """Change a file's text, at whatever version; None where there is none, else the new text.

        `change` is applied again to what another writer left.

        Raises:
            ToolError: what is there is no file.
            UnavailableError: too many writers.
        """
        if not path.parts:
            return None
        mark = self._mark()

        def edited(value: Any) -> Any:  # noqa: ANN401 - any JSON
            if value is None:
                raise NotFoundError("there is no such file")
            old = _text(value, path)
            return value if mark in _writes(value) else _value(path, change(old), value, mark)

        try:
            version = yield from changed_version(self.space, path.key, edited)
        except NotFoundError:
            return None
        return _text(_answered(version).value, path)

    def delete(self, path: MemoryPath) -> Plan[bool]:
        """Remove a file; False where there is none."""
        try:
            yield delete_document(self.space, path.key)
        except NotFoundError:
            return False
        return True

    def move(self, old: MemoryPath, new: MemoryPath) -> Plan[bool]:
        """Write a file under a new path, then remove it under the old; False where it is not there.

        Between the two it is there twice, never not at all.

        Raises:
            ToolError: something is at the new path, or what is at the old one is no file.
            UnavailableError: too many writers.
        """
        for _ in range(MAX_TRIES):
            is_moved = yield from self._move_once(old, new)
            if is_moved is not None:
                return is_moved
        raise UnavailableError(f"too many writers of one file tries={MAX_TRIES}")

    def _move_once(self, old: MemoryPath, new: MemoryPath) -> Plan[bool | None]:
        """Move a file; None where it was edited meanwhile: what was copied is not what it is."""
        found = yield from self._found(old)
        if found == NO_VERSION:
            return False
        mark = self._mark()
        try:
            copy = yield from self._put_new(new, _text(found.value, old), mark)
        except StaleEtagError as exc:
            raise ToolError(f"The destination {new.told} already exists") from exc
        try:
            yield delete_document(self.space, old.key, expect=str(found.etag))
        except WRITTEN_OTHERWISE as exc:
            if isinstance(exc, OutcomeUnknownError) and not (yield from self._is_still(old, found)):
                return True
            yield from self._take_back(new, copy, mark)
            return None
        except NotFoundError:
            # It was deleted or moved meanwhile, and must not come back here.
            yield from self._take_back(new, copy, mark)
            return False
        return True

    def _mark(self) -> str:
        return self.entropy.token(_WRITE_BYTES).hex()

    def _found(self, path: MemoryPath) -> Plan[Version]:
        try:
            found = (yield get_document(self.space, path.key)).sure()
        except NotFoundError:
            return NO_VERSION
        return Version(found.etag, found.value)

    def _put_new(self, path: MemoryPath, text: str, mark: str) -> Plan[Version]:
        def created(value: Any) -> Any:  # noqa: ANN401 - any JSON
            if value is None:
                return _value(path, text, {}, mark)
            if mark in _writes(value):
                return value
            raise StaleEtagError("another file was there first")

        version = yield from changed_version(self.space, path.key, created, known=NO_VERSION)
        return _answered(version)

    def _is_still(self, path: MemoryPath, before: Version) -> Plan[bool]:
        """Say whether a file is the one that it was, edited, and not another one in its place."""
        now = yield from self._found(path)
        if now.etag == before.etag:
            # Another program's file names no writes.
            return True
        return not {*_writes(now.value)}.isdisjoint(_writes(before.value))

    def _take_back(self, path: MemoryPath, copy: Version, mark: str) -> Plan[None]:
        # Edited, it is another agent's file now, and stays.
        if _writes(copy.value)[-1] == mark:
            with suppress(*WRITTEN_OTHERWISE, NotFoundError):
                yield delete_document(self.space, path.key, expect=str(copy.etag))


def _listed(row: DocumentRow) -> ListedFile | None:
    match row.value:
        case {"path": str(whole), "text": str(text)} if whole.startswith(f"{ROOT}/"):
            path = MemoryPath.of(tuple(whole.removeprefix(f"{ROOT}/").split("/")))
            return ListedFile(path, len(text.encode())) if path.key == row.key else None
        case _:
            return None


def _text(value: Any, path: MemoryPath) -> str:  # noqa: ANN401 - any JSON
    match value:
        case {"text": str(text)}:
            return text
        case _:
            raise ToolError(f"The path {path.told} is not a file.")


def _writes(value: Any) -> list[str]:  # noqa: ANN401 - any JSON
    writes = value.get("writes") if isinstance(value, dict) else None
    return [one for one in writes if isinstance(one, str)] if isinstance(writes, list) else []


def _value(path: MemoryPath, text: str, before: Mapping[str, Any], mark: str) -> dict[str, Any]:
    writes = [*_writes(before), mark][-_KEPT_WRITES:]
    return {"path": path.whole, "text": text, "writes": writes}


def _answered(version: Version) -> Version:
    """Refuse an empty result of `best_effort`: the model must not hear that it was written."""
    if version == UNANSWERED:
        raise UnavailableError("there is no answer to a write of a file")
    return version
