"""All of one actor at once: export it, erase it."""

from everturn.edge.api_function import LambdaEdge
from everturn.edge.requests import Limit, Word, refuse_any_input
from everturn.edge.responses.base import Answer, deleted
from everturn.edge.responses.recent import exported
from everturn.transfer.export_scope import export_scope
from everturn.upkeep.erase_scope import erase_scope

EDGE = LambdaEdge()


@EDGE.app.get("/v1/export")
def export(cursor: Word = None, limit: Limit = None) -> Answer:
    """Export one page of all that the caller has."""
    clock = EDGE.backends.clock
    page = export_scope(**EDGE.reading, clock=clock, cursor=cursor, limit=limit)
    EDGE.count(
        exported=page.conversations,
        documents_exported=page.documents,
        memories_exported=page.memories,
        export_skipped=page.skipped,
    )
    return exported(page)


@EDGE.app.delete("/v1/me")
def erase() -> Answer:
    """Erase all that the caller has; whoever names anything else is mistaken."""
    refuse_any_input(EDGE.app.current_event)
    receipt = erase_scope(**EDGE.erasing)
    EDGE.count(erased=receipt.deleted["conversations"])
    return deleted(receipt, EDGE.kept)


handler = EDGE.handler
