"""Describe the models of this machine: which embedder and extractor are used, and why.

The embedder is asked, within a time. An extractor is not: a model costs tokens, and only a
conversation is worth them.
"""

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from everturn.errors import EverturnError
from everturn.settings.models import RULES, missing_setting, named_models
from everturn.settings.process import Settings

if TYPE_CHECKING:
    from everturn.recall.index.choose_embedder import EmbedderChoice


def embedder_line(choice: "EmbedderChoice") -> str:
    """Return the embedder's name, its model and why it is this one."""
    embedder = choice.embedder
    names = ("model", "dimensions", "semantic")
    fields = {name: getattr(embedder, name) for name in names}
    return told_line({**fields, "name": choice.name, "reason": choice.reason})


def told_line(told: Mapping[str, Any]) -> str:
    """Return the same of an embedder that another Everturn told of, as its status says it."""
    kind = "semantic" if told["semantic"] else "words alone"
    model = f"{told['model']}, {told['dimensions']} dimensions, {kind}"
    return f"{told['name']} ({model}): {told['reason']}"


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
    from everturn.bootstrap.components import open_embedders

    try:
        asked.set_result(open_embedders(settings).live())
    except EverturnError as error:
        asked.set_exception(error)
    finally:
        open_embedders.cache_clear()


_SERVICES = ("gateway", "provider", "bedrock")


def extractor_line(settings: Settings) -> str:
    """Return the extractor's name and why; of models, the order in which they are asked."""
    named, services = settings.extractor, settings.embedder
    models = [model.name for model in named_models(named, services)]
    asked = f"{', then '.join(models)} (not asked now)" if models else RULES
    if named.pinned:
        return f"{asked}: it is asked for by its name"
    if models:
        return f"{asked}: it is the first of those configured"
    lacks = (f"{name}: {missing_setting(name, named, services)} is not set" for name in _SERVICES)
    return f"{asked}: no model is named, {'; '.join(lacks)}"
