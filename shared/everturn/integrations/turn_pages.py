"""What comes after a page of turns, where an integration reads page by page itself."""

from everturn.errors import MisconfiguredError
from everturn.wire.conversations import TurnPage


def next_of(page: TurnPage, start: int) -> int | None:
    """Return the first turn after a page that began with turn `start`; None at the end.

    Raises:
        MisconfiguredError: it is none after `start`: pages would be read for ever.
    """
    if page.next is not None and page.next <= start:
        raise MisconfiguredError("the pages do not go on, this is no everturn")
    return page.next
