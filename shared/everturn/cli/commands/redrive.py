"""The command redrive: jobs that failed too often get another chance."""

from everturn.cli.output.console import note, say
from everturn.cli.output.consolidation_lines import counted
from everturn.cli.output.errors import CliError
from everturn.cli.target.options import on_store
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.stored_files import open_settings
from everturn.ports.queue import MAX_CLAIMED, JobQueue

# SQS asks some of its machines at a time: so many empty answers in a row are the end.
_EMPTY_ANSWERS = 3


@on_store
def redrive(choice: StoreChoice, target: Target) -> None:
    """Put jobs back that failed too often, once what they failed of is mended; of all users."""
    del target
    if choice.is_url:
        raise CliError("a server has its own queue: give --dir or --store")
    from everturn.bootstrap.components import open_queue

    queue = open_queue(open_settings(choice))
    if queue is None:
        raise CliError("this store has no queue, set EVERTURN_QUEUE_URL")
    count = put_back(queue)
    say(f"put back: {counted(count, 'job')}")
    if count:
        note("a running `everturn up` works on them, or everturn consolidate --all does it now")


def put_back(queue: JobQueue) -> int:
    """Put all dead letters back; return how many."""
    total = empty = 0
    while empty < _EMPTY_ANSWERS:
        count = queue.redrive(MAX_CLAIMED)
        total += count
        empty = 0 if count else empty + 1
    return total
