"""Keeps what handlers log out of the console: in a file, or nowhere.

Powertools finds its logger by the name of the service, which all functions share, and keeps the
keys of an invocation with it. In Lambda each function has a process; here each gets a logger that
nobody else finds, so that no line bears the name or the request of another function, and gateways
of one process each have a log of their own.
"""

import json
import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from everturn.values.timestamps import format_time

# The end of a trace is where it happened.
_FRAMES = 8


class HandlerLog:
    """One log file, made with its first line; or nowhere. Several processes may share the file."""

    def __init__(self, path: Path | None) -> None:
        """Take the file; None is nowhere."""
        self._path = path
        self._handler = self._new_handler()

    @contextmanager
    def own_loggers(self) -> Iterator[None]:
        """Let the Powertools loggers that are made inside be found by nobody else, and log here."""
        registry = logging.root.manager.loggerDict
        others = _powertools_loggers()
        for name in others:
            del registry[name]
        try:
            yield
        finally:
            for name, logger in _powertools_loggers().items():
                self._redirect(logger)
                del registry[name]
            registry.update(others)

    def crashed(
        self, error: BaseException, *, function_name: str, request_id: str, now_ns: int
    ) -> None:
        """Write down what a handler raised; never its message, which may quote a user."""
        frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
        line = {
            "level": "ERROR",
            "message": "crashed",
            "timestamp": format_time(now_ns),
            "function_name": function_name,
            "function_request_id": request_id,
            "error_type": type(error).__name__,
            "where": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
        }
        self._handler.handle(logging.makeLogRecord({"msg": json.dumps(line)}))

    def tell(self, message: str, *, now_ns: int, **facts: str | int) -> None:
        """Write down what whoever calls handlers noticed; nothing of it is a user's text."""
        line = {"level": "WARNING", "message": message, "timestamp": format_time(now_ns), **facts}
        self._handler.handle(logging.makeLogRecord({"msg": json.dumps(line)}))

    def _redirect(self, logger: logging.Logger) -> None:
        """Replace the handlers that Powertools made, keeping their form and filters."""
        for handler in filter(_is_of_powertools, list(logger.handlers)):
            ours = self._new_handler()
            ours.setFormatter(handler.formatter)
            ours.setLevel(handler.level)
            for rule in handler.filters:
                ours.addFilter(rule)
            logger.removeHandler(handler)
            logger.addHandler(ours)
            handler.close()

    def _new_handler(self) -> logging.Handler:
        if self._path is None:
            return logging.NullHandler()
        return _AppendedFile(self._path)


class _AppendedFile(logging.Handler):
    """Opens its file for each line: lines are few, and a command that logs nothing leaves none."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        """Append one line by one write; if that fails, say why: it is no fault of the caller."""
        line = f"{self.format(record)}\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(line)
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            sys.stderr.write(f"cannot write the log: {reason} log={self._path}\n")


def _powertools_loggers() -> dict[str, logging.Logger]:
    known = logging.root.manager.loggerDict.items()
    return {
        name: logger
        for name, logger in known
        if isinstance(logger, logging.Logger) and any(map(_is_of_powertools, logger.handlers))
    }


def _is_of_powertools(handler: logging.Handler) -> bool:
    return type(handler.formatter).__module__.startswith("aws_lambda_powertools.")
