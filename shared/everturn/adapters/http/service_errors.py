"""How an adapter says that a model's service on the network does not answer as it was asked."""

from everturn.errors import EverturnError, UnavailableError


class TextsRefusedError(EverturnError):
    """The service does not take one of these texts; others may pass. Never leaves an adapter."""


class BusyError(UnavailableError):
    """The service asks to be left alone for `after_s` seconds."""

    def __init__(self, message: str, *, after_s: float) -> None:
        """Keep the message and the wait."""
        super().__init__(message)
        self.after_s = after_s
