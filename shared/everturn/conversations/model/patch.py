"""A change of what a conversation is called and where it is filed."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final, Literal

from everturn.conversations.model.head import Head
from everturn.conversations.model.turn import check_metadata
from everturn.values.go_json import JsonObject


class Keep(Enum):
    """Stands for a field that the patch does not name."""

    KEEP = "keep"


KEEP: Final = Keep.KEEP
_Kept = Literal[Keep.KEEP]


@dataclass(frozen=True, slots=True)
class Patch:
    """Wanted values; None removes. `metadata` is merged by key, where a None removes the key."""

    title: str | _Kept | None = KEEP
    folder: str | _Kept | None = KEEP
    archived: bool | _Kept = KEEP
    metadata: JsonObject | _Kept | None = KEEP

    def applied_to(self, head: Head) -> Head:
        """Return the head with these values; an equal head where nothing differs.

        Raises:
            InvalidRequestError: the merged metadata is too large.
        """
        if self.title is not KEEP:
            head = replace(_freed(head, "title"), title=self.title or "")
        if self.folder is not KEEP:
            head = replace(_freed(head, "folder"), folder=self.folder or None)
        if self.archived is not KEEP:
            head = replace(_freed(head, "archived"), archived=self.archived)
        if self.metadata is not KEEP:
            head = replace(_freed(head, "metadata"), metadata=_merged(head.metadata, self.metadata))
        return head


def _freed(head: Head, name: str) -> Head:
    """Drop another program's field of this name: ours takes its place."""
    return replace(head, foreign=tuple(member for member in head.foreign if member[0] != name))


def _merged(old: JsonObject | None, changes: JsonObject | None) -> JsonObject | None:
    if changes is None:
        return None
    merged = {**(old or {}), **changes}
    kept: JsonObject = {key: value for key, value in merged.items() if value is not None}
    check_metadata(kept, field="metadata")
    return kept or None
