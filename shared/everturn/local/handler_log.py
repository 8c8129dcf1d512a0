"""Keeps what handlers log out of the console: in a file, or nowhere.

Not here: the access log (front.py), and what handlers log, which is theirs.
"""

import logging
from io import TextIOWrapper
from pathlib import Path

FRONT_LOGGER = "everturn.local"
"""The gateway's own logger: failures of handlers, with their traces."""


def log_to(path: Path | None) -> None:
    """Send the logs of Powertools and of the gateway to one file, made if need be; None: nowhere.

    Call it after the handlers are loaded. Each line is appended by one small write, so several
    processes can share the file.
    """
    target = _handler(path)
    front = logging.getLogger(FRONT_LOGGER)
    _drop_handlers(front)
    front.addHandler(target)
    front.propagate = False
    for logger in _all_loggers():
        _redirect_powertools(logger, target)


class _LateFile(logging.FileHandler):
    """Makes its folder with its first line: a command that logs nothing leaves nothing."""

    def _open(self) -> TextIOWrapper:
        Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        return super()._open()


def _handler(path: Path | None) -> logging.Handler:
    if path is None:
        return logging.NullHandler()
    return _LateFile(path, encoding="utf-8", delay=True)


def _drop_handlers(logger: logging.Logger) -> None:
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()


def _all_loggers() -> list[logging.Logger]:
    known = logging.root.manager.loggerDict.values()
    return [logger for logger in known if isinstance(logger, logging.Logger)]


def _redirect_powertools(logger: logging.Logger, target: logging.Handler) -> None:
    """Replace the handlers that Powertools made, known by their formatter, keeping the format."""
    for handler in list(logger.handlers):
        formatter = handler.formatter
        if type(formatter).__module__.startswith("aws_lambda_powertools."):
            twin = _twin(target)
            twin.setFormatter(formatter)
            twin.setLevel(handler.level)
            for rule in handler.filters:
                twin.addFilter(rule)
            logger.removeHandler(handler)
            logger.addHandler(twin)
            handler.close()


def _twin(target: logging.Handler) -> logging.Handler:
    """Return another handler on the same file: a formatter belongs to one handler."""
    return _handler(Path(target.baseFilename) if isinstance(target, logging.FileHandler) else None)
