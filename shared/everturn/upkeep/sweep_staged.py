"""Remove staged extractions that nobody will apply: a crash left them behind.

One that is a day old goes, whatever it is of: it holds what turns say, and these may be redacted or
popped by now. Should its job come again all the same, the turns are read once more.
"""

from collections.abc import Sequence
from functools import partial
from itertools import groupby

from everturn.errors import StoreError, UnavailableError
from everturn.ports.object_store import Entry
from everturn.storage.erase_listed import erase_listed
from everturn.upkeep.sweep_head import Broom
from everturn.upkeep.sweep_pass import DAY_NS, SweepPass
from everturn.upkeep.sweep_tasks import Due, Task
from everturn.upkeep.swept import Swept
from everturn.values.listed_keys import conversation_of


def staged_due(going: SweepPass, broom: Broom) -> Due:
    """Return the conversations of the next page of staged extractions that have old ones.

    Raises:
        AccessDeniedError, UnavailableError: the store does not list.
    """
    page = broom.data.list("x/", start_after=going.after)
    old = [one for one in page.entries if one.modified_ns + DAY_NS <= going.started_ns]
    tasks = []
    for whose, group in groupby(old, key=lambda entry: conversation_of(entry.key)):
        entries = tuple(group)
        if whose is not None:
            tasks.append(Task(partial(_sweep, broom, entries), entries[-1].key))
    return Due(tuple(tasks), page.keys[-1] if page.more else None)


def _sweep(broom: Broom, entries: Sequence[Entry]) -> Swept:
    """Remove them as they were listed: a request for each."""
    try:
        changed = erase_listed(store=broom.data, entries=entries, patience=broom.patience())
    except (StoreError, UnavailableError):
        return Swept(failed=1)
    return Swept(staged=len(entries) - len(changed))
