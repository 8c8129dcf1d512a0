"""What is said of the live embedder on this machine, and asking for it within a time.

Not here: which one it is (everturn.services.choose_embedder), that of a server (status_command.py).
"""

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from everturn.errors import EverturnError
from everturn.settings import Settings

if TYPE_CHECKING:
    from everturn.services.choose_embedder import EmbedderChoice


def embedder_line(choice: "EmbedderChoice") -> str:
    """Return its name, its model and why it is this one."""
    embedder = choice.embedder
    kind = "semantic" if embedder.semantic else "words alone"
    model = f"{embedder.model}, {embedder.dimensions} dimensions, {kind}"
    return f"{choice.name} ({model}): {choice.reason}"


def ask_embedder(settings: Settings, *, within_s: float) -> "EmbedderChoice | None":
    """Return the live embedder, None where none has answered within so many seconds.

    Nothing of it stays in this process, which would hold a model that it never uses.

    Raises:
        MisconfiguredError: there is none at all.
    """
    asked: Future[EmbedderChoice] = Future()
    threading.Thread(target=_ask, args=(settings, asked), daemon=True).start()
    try:
        return asked.result(timeout=within_s)
    except TimeoutError:
        return None


def _ask(settings: Settings, asked: "Future[EmbedderChoice]") -> None:
    # Heavy, and loaded in this thread: the time that it takes counts as well.
    from everturn.bootstrap import open_embedders

    try:
        asked.set_result(open_embedders(settings).live())
    except EverturnError as error:
        asked.set_exception(error)
    finally:
        open_embedders.cache_clear()
