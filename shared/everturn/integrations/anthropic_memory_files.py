"""The files of Claude's memory tool as documents: read, written, moved and listed by versions.

Not here: what the model is told of it (anthropic_memory_commands.py), paths and keys
(anthropic_memory_paths.py). Every function is a plan, which both kinds of client carry out.

    {"path": "/memories/notes/todo.txt", "text": ...}
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from anthropic.lib.tools import ToolError

from everturn.client import ABSENT
from everturn.client.call import Absent, Call, Plan
from everturn.client.document_calls import (
    delete_document,
    get_document,
    list_documents,
    put_document,
)
from everturn.client.results import Document, DocumentPage, DocumentRow, DocumentWritten
from everturn.errors import NotFoundError, OutcomeUnknownError, StaleEtagError, UnavailableError
from everturn.integrations.anthropic_memory_paths import MemoryPath, parts_of_key

_PAGE: Final = 1_000
# Each conflict is another writer's success: this many in a row means dozens of writers.
_MAX_CONFLICTS: Final = 32


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A file's text, and the version of its document."""

    text: str
    etag: str


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file in a list: the parts of its path, its size in bytes of UTF-8."""

    parts: tuple[str, ...]
    size: int


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """The files of one space."""

    space: str

    def read(self, path: MemoryPath) -> Plan[MemoryFile | None]:
        """Read a file in one request; None where there is none."""
        try:
            found: Document = yield get_document(self.space, path.key)
        except NotFoundError:
            return None
        _check(found)
        return MemoryFile(found.value["text"], found.etag)

    def below(self, directory: MemoryPath) -> Plan[list[ListedFile]]:
        """List all files in a directory, at any depth, in one request per 1,000 or 3 MB."""
        files: list[ListedFile] = []
        page: DocumentPage = yield self._page(directory, limit=_PAGE, values=True)
        while True:
            _check(page)
            files += map(_listed, page.documents)
            if page.next_cursor is None:
                return files
            page = yield self._page(directory, limit=_PAGE, values=True, cursor=page.next_cursor)

    def is_directory(self, path: MemoryPath) -> Plan[bool]:
        """Say whether a path has files below it, in one request as a rule."""
        page: DocumentPage = yield self._page(path, limit=1)
        while not page.documents and page.next_cursor is not None:
            page = yield self._page(path, limit=1, cursor=page.next_cursor)
        _check(page)
        return bool(page.documents)

    def create(self, path: MemoryPath, text: str) -> Plan[bool]:
        """Write a file that is not there; False if it is."""
        try:
            yield from self._write(path, text, ABSENT)
        except StaleEtagError:
            return False
        return True

    def edit(self, path: MemoryPath, change: Callable[[str], str]) -> Plan[str | None]:
        """Change a file's text, at whatever version; None where there is none, else the new text.

        `change` is applied again to what another writer left.

        Raises:
            UnavailableError: too many writers.
        """
        for _ in range(_MAX_CONFLICTS):
            found = yield from self.read(path)
            if found is None:
                return None
            text = change(found.text)
            try:
                yield from self._write(path, text, found.etag)
            except StaleEtagError:
                continue
            return text
        raise UnavailableError("too many writers edit this file")

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
            ToolError: something is at the new path.
            UnavailableError: too many writers.
        """
        for _ in range(_MAX_CONFLICTS):
            found = yield from self.read(old)
            if found is None:
                return False
            try:
                etag = yield from self._write(new, found.text, ABSENT)
            except StaleEtagError as exc:
                raise ToolError(f"The destination {new.told} already exists") from exc
            try:
                yield delete_document(self.space, old.key, expect=found.etag)
            except (StaleEtagError, OutcomeUnknownError):
                # It was edited meanwhile: what was copied is not what is to be moved.
                yield from self._take_back(new, etag)
            except NotFoundError:
                # It was deleted or moved meanwhile, and must not come back here.
                yield from self._take_back(new, etag)
                return False
            else:
                return True
        raise UnavailableError("too many writers edit this file")

    def _take_back(self, path: MemoryPath, etag: str) -> Plan[None]:
        # Edited, it is another agent's file now, and stays.
        with suppress(StaleEtagError, OutcomeUnknownError, NotFoundError):
            yield delete_document(self.space, path.key, expect=etag)

    def _write(self, path: MemoryPath, text: str, expect: str | Absent) -> Plan[str]:
        value = {"path": path.of(path.parts).told, "text": text}
        try:
            written: DocumentWritten = yield put_document(
                self.space, path.key, value, expect=expect
            )
        except OutcomeUnknownError as exc:
            found = yield from self.read(path)
            if found is None or found.text != text:
                raise StaleEtagError("another write came first") from exc
            return found.etag
        _check(written)
        return written.etag

    def _page(
        self,
        directory: MemoryPath,
        *,
        limit: int,
        values: bool | None = None,
        cursor: str | None = None,
    ) -> Call[DocumentPage]:
        return list_documents(
            self.space, prefix=directory.prefix, limit=limit, values=values, cursor=cursor
        )


def _listed(row: DocumentRow) -> ListedFile:
    return ListedFile(parts_of_key(row.key), len(row.value["text"].encode()))


def _check(result: Document | DocumentPage | DocumentWritten) -> None:
    """Refuse an empty result of `best_effort`: a memory that cannot be read is not empty."""
    if result.failed is not None:
        raise UnavailableError(f"the server did not answer code={result.failed}")
