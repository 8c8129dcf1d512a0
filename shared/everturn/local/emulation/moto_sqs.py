"""The lock that makes each call of moto's SQS one step in this process.

moto is imported when called.
"""

import functools
import threading
from collections.abc import Callable
from typing import Any, Final

# All calls of moto's SQS that touch messages. Without it, of 1,536 jobs among eight threads six
# came twice and one receive was a 500; a delete writes back a list that it read before.
_ENTRANCES: Final = (
    "send_message",
    "send_message_batch",
    "receive_message",
    "delete_message",
    "delete_message_batch",
    "change_message_visibility",
    "change_message_visibility_batch",
    "get_queue_attributes",
)
_MARK: Final = "everturn_lock"


def install_sqs_lock() -> None:
    """Put one lock around every SQS request that moto answers in this process; twice is once.

    A receive that waits for messages holds up all others: ours do not wait.
    """
    from moto.sqs.responses import SQSResponse

    if hasattr(SQSResponse, _MARK):
        return
    lock = threading.RLock()
    for name in _ENTRANCES:
        setattr(SQSResponse, name, _locked(getattr(SQSResponse, name), lock))
    setattr(SQSResponse, _MARK, lock)


def _locked(entrance: Callable[..., Any], lock: threading.RLock) -> Callable[..., Any]:
    @functools.wraps(entrance)
    def one_at_a_time(*args: object, **kwargs: object) -> object:
        with lock:
            return entrance(*args, **kwargs)

    return one_at_a_time
