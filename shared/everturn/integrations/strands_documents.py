"""The documents of sessions, each written over the very version that was read.

Not here: what they hold (strands_sessions.py).
"""

from collections.abc import Callable
from typing import Any, Final

from strands.types.exceptions import SessionException

from everturn.client import ABSENT, Everturn
from everturn.errors import NotFoundError, OutcomeUnknownError, StaleEtagError
from everturn.integrations.strands_names import Place

# Each conflict is another writer's success: so many in a row are a crowd, not bad luck.
_TRIES: Final = 20
# The version in an empty result: a client with `best_effort` got no answer, and goes on without.
_UNKNOWN: Final = ""

_Value = dict[str, Any]


class Documents:
    """Reads and writes the documents of one client's sessions; safe under threads.

    The version of each own last write is remembered, so that the next write of it, if nobody came
    between, is one request and not two.
    """

    def __init__(self, client: Everturn) -> None:
        """Take the client whose documents these are."""
        self._client = client
        self._written: dict[Place, tuple[str, _Value]] = {}

    def read(self, place: Place) -> _Value | None:
        """Return the value of a document, None if there is none."""
        found = self._find(place)
        return found[1] if found and found[0] else None

    def create(self, place: Place, value: _Value) -> bool:
        """Write a document that is not there yet; False if it is there already."""
        try:
            written = self._client.put_document(*place, value, expect=ABSENT)
        except StaleEtagError:
            return False
        except OutcomeUnknownError:
            # It is there: written by a try whose answer was lost, or by somebody else.
            return self.read(place) == value
        self._remember(place, written.etag, value)
        return True

    def change(
        self, place: Place, change: Callable[[_Value], _Value], *, start: _Value | None = None
    ) -> _Value | None:
        """Replace a document by what `change` makes of it, anew if somebody else wrote meanwhile.

        Args:
            place: where it lies.
            change: makes the new value of the old one; may be called more than once.
            start: the old value of a document that is not there.

        Returns:
            What was written; None if there is no such document and no `start`.

        Raises:
            SessionException: others wrote twenty times in a row.
        """
        found = self._written.pop(place, None) or self._find(place)
        for _ in range(_TRIES):
            if found is None and start is None:
                return None
            etag, old = found or (ABSENT, start or {})
            value = change(old)
            if etag == _UNKNOWN:
                return value
            try:
                written = self._client.put_document(*place, value, expect=etag)
            except (StaleEtagError, OutcomeUnknownError):
                found = self._find(place)
            else:
                self._remember(place, written.etag, value)
                return value
        raise SessionException(f"too many writers of one document tries={_TRIES}")

    def delete(self, place: Place) -> None:
        """Remove a document; one that is not there is removed already."""
        self._written.pop(place, None)
        try:
            self._client.delete_document(*place)
        except NotFoundError:
            return

    def keys(self, space: str) -> list[str]:
        """Return the keys of all documents of a space."""
        return [row.key for row in self._client.all_documents(space)]

    def _remember(self, place: Place, etag: str, value: _Value) -> None:
        if etag != _UNKNOWN:
            self._written[place] = (etag, value)

    def _find(self, place: Place) -> tuple[str, _Value] | None:
        try:
            found = self._client.get_document(*place)
        except NotFoundError:
            return None
        return found.etag, found.value or {}
