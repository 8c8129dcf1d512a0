"""Loads the handlers of the template's functions from their files, under the given environment.

No import statement names a function: the template's CodeUri does.
"""

import importlib.util
import os
import sys
from collections.abc import Callable
from itertools import count
from types import ModuleType
from typing import Any

from everturn.errors import MisconfiguredError
from everturn.local.bundle import Bundle
from everturn.local.environment import Overlay, handler_environment
from everturn.local.handler_log import HandlerLog
from everturn.local.template import Function

Handler = Callable[[dict[str, Any], Any], Any]
"""`handler(event, context)` as Lambda calls it."""

# A second gateway in one process has other settings, so its modules are others.
_SERIAL = count()


def load_handlers(
    functions: set[Function], *, bundle: Bundle, settings: Overlay, log: HandlerLog | None = None
) -> dict[str, Handler]:
    """Load each function's handler, by logical id.

    Args:
        functions: what to load.
        bundle: where their files are.
        settings: environment variables while they load (None: absent), put back afterwards.
        log: where they log; nowhere if not given.

    Raises:
        MisconfiguredError: a file or its handler is missing; also what a handler raises when its
            settings cannot work.
    """
    # Read when metrics are flushed, long after loading: EMF lines are for CloudWatch's eyes alone.
    os.environ.setdefault("POWERTOOLS_METRICS_DISABLED", "true")
    log = log or HandlerLog(None)
    with handler_environment(settings):
        return {function.name: _handler(function, bundle, log) for function in functions}


def load_resolvers(
    functions: set[Function], *, bundle: Bundle, settings: Overlay
) -> dict[str, Any]:
    """Load what knows each function's routes, by logical id; nothing is called.

    Raises:
        MisconfiguredError: as `load_handlers`.
    """
    log = HandlerLog(None)
    with handler_environment(settings):
        return {one.name: _load(one, bundle, log).EDGE.app for one in functions}


def _handler(function: Function, bundle: Bundle, log: HandlerLog) -> Handler:
    module = _load(function, bundle, log)
    handler: Handler | None = getattr(module, function.handler.rpartition(".")[2], None)
    if handler is None:
        raise MisconfiguredError(f"a function has no handler path={module.__file__}")
    return handler


def _load(function: Function, bundle: Bundle, log: HandlerLog) -> ModuleType:
    path = bundle.function(function.code_uri, function.handler)
    name = f"_everturn_function_{next(_SERIAL)}_{function.name.lower()}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise MisconfiguredError(f"a function's file is missing path={path}")
    module = importlib.util.module_from_spec(spec)
    # Type hints of a handler are looked up through sys.modules.
    sys.modules[name] = module
    with log.own_loggers():
        spec.loader.exec_module(module)
    return module
