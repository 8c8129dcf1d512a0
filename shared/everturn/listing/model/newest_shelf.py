"""The newest items found so far.

As many as an answer takes, and one more that says there are more.
"""

from collections.abc import Iterable

from everturn.listing.model.recent_items import Place, RecentItem


class NewestShelf:
    """Keeps the first items by place, up to a number and a size; an item stands there once."""

    def __init__(self, limit: int, *, max_bytes: int) -> None:
        """Start empty.

        Args:
            limit: how many items an answer takes.
            max_bytes: how large they may be together; one may always be larger.
        """
        self._limit = limit
        self._max_bytes = max_bytes
        self._items: dict[Place, RecentItem] = {}
        self._sizes: dict[Place, int] = {}
        self._worst: Place | None = None

    def add(self, items: Iterable[RecentItem]) -> None:
        """Take items in; what does not fit any more is dropped."""
        for item in items:
            if self.takes(item.place):
                self._items[item.place] = item
        self._trim()

    @property
    def is_full(self) -> bool:
        """Whether there is more than an answer takes."""
        return self._worst is not None

    def takes(self, place: Place) -> bool:
        """Say whether an item at a place would stay."""
        return self._worst is None or place <= self._worst

    def before(self, end: Place | None) -> list[RecentItem]:
        """Return the items in order that stand before a place; all for None."""
        return [self._items[at] for at in sorted(self._items) if end is None or at < end]

    def fitting(self, items: list[RecentItem]) -> list[RecentItem]:
        """Return the first of these items that an answer takes."""
        left = self._max_bytes
        for count, item in enumerate(items[: self._limit]):
            left -= item.size
            if left < 0 and count:
                return items[:count]
        return items[: self._limit]

    def _trim(self) -> None:
        left = self._max_bytes
        kept: dict[Place, RecentItem] = {}
        for place in sorted(self._items):
            kept[place] = self._items[place]
            left -= self._size(place)
            if len(kept) > self._limit or (left < 0 and len(kept) > 1):
                self._worst = place
                break
        self._items = kept

    def _size(self, place: Place) -> int:
        if place not in self._sizes:
            self._sizes[place] = self._items[place].size
        return self._sizes[place]
