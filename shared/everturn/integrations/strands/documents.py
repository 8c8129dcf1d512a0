"""The documents of sessions, each written over the very version that was read."""

from collections.abc import Callable
from typing import Any, TypeAlias

from everturn.client import ABSENT, Everturn
from everturn.client.calls.documents import all_documents
from everturn.errors import NotFoundError, OutcomeUnknownError, StaleEtagError
from everturn.integrations.plans import (
    UNANSWERED,
    Version,
    changed_version,
    found_version,
    gathered,
    surely,
)
from everturn.integrations.strands.names import Place

_Value: TypeAlias = dict[str, Any]


class Documents:
    """Reads and writes the documents of one client's sessions; safe under threads.

    The version of each own last write is remembered, so that the next write of it, if nobody came
    between, is one request and not two. What a client of `best_effort` could not read or create is
    remembered too: nobody here knows what it holds, and `put` and `replace` leave it as it is until
    a read or a creation of it succeeds.
    """

    def __init__(self, client: Everturn) -> None:
        """Take the client whose documents these are."""
        self._client = client
        self._written: dict[Place, Version] = {}
        self._unknown: set[Place] = set()

    def read(self, place: Place) -> _Value | None:
        """Return the value of a document; None if there is none, or `best_effort` got no answer."""
        found = self._client.carry_out(found_version(*place))
        self._note(place, is_known=found != UNANSWERED)
        value: _Value | None = found.value
        return value

    def is_there(self, place: Place) -> bool:
        """Say whether there is a document.

        Raises:
            UnavailableError: nobody knows; `best_effort` changes nothing in that.
        """
        try:
            self._client.get_document(*place).sure()
        except NotFoundError:
            return False
        return True

    def create(self, place: Place, value: _Value) -> bool:
        """Write a document that is not there yet; False if it is there already."""
        try:
            written = self._client.put_document(*place, value, expect=ABSENT)
        except StaleEtagError:
            return False
        except OutcomeUnknownError:
            # It is there: written by a try whose answer was lost, or by somebody else.
            return self.read(place) == value
        self._note(place, is_known=not written.failed)
        if not written.failed:
            self._written[place] = Version(written.etag, value)
        return True

    def put(self, place: Place, value: _Value) -> None:
        """Write a document, whatever is there; where nobody knows what is, only if nothing is."""
        if place in self._unknown:
            self.create(place, value)
        else:
            self.change(place, lambda _: value)

    def replace(self, place: Place, change: Callable[[_Value | None], _Value]) -> _Value | None:
        """Change a document as `change` does, by a value that was not made of the old one.

        Returns:
            What was written; None where `best_effort` goes on without.
        """
        return None if place in self._unknown else self.change(place, change)

    def change(self, place: Place, change: Callable[[_Value | None], _Value]) -> _Value | None:
        """Replace a document by what `change` makes of it, whoever writes meanwhile.

        Args:
            place: where it lies.
            change: makes the new value of the old one, None where there is none; may be called
                more than once. What it raises is raised.

        Returns:
            What was written; None where `best_effort` goes on without.

        Raises:
            UnavailableError: others wrote first, every time.
        """
        known = self._written.pop(place, None)
        written = self._client.carry_out(changed_version(*place, change, known=known))
        if written == UNANSWERED:
            return None
        self._written[place] = written
        value: _Value = written.value
        return value

    def delete(self, place: Place) -> None:
        """Remove a document; one that is not there is removed already."""
        self._written.pop(place, None)
        try:
            self._client.delete_document(*place)
        except NotFoundError:
            return

    def keys(self, space: str) -> list[str]:
        """Return the keys of all documents of a space.

        Raises:
            UnavailableError: nobody knows; `best_effort` changes nothing in that.
        """
        rows = self._client.carry_out(gathered(surely(all_documents(space))))
        return [row.key for row in rows]

    def _note(self, place: Place, *, is_known: bool) -> None:
        if is_known:
            self._unknown.discard(place)
        else:
            self._unknown.add(place)
