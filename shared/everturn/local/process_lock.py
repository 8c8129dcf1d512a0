"""A lock of one process: a child made by fork finds it open, whoever held it in the parent."""

import os
import threading
from types import TracebackType


class ProcessLock:
    """Lets one thread after another into a block; made at import, and never taken twice by one."""

    def __init__(self) -> None:
        """Make it open."""
        self._renew()
        # The thread that would open it again is not in the child.
        os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        """Wait until no other thread is in the block."""
        self._lock.acquire()

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Let the next one in."""
        self._lock.release()
