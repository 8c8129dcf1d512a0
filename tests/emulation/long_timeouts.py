"""Clients of AWS that wait a minute for an emulator, where the product waits seconds for AWS.

An emulator shares its machine with the tests, and a busy machine is not a fault of the product.
The product's own timeouts have tests of their own in adapters/aws.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import pytest

LONG_S: Final = 60
_ADAPTERS: Final = "everturn.adapters.aws"


@contextmanager
def long_timeouts() -> Iterator[None]:
    """Have the clients that are made in here wait so long for a connection and for an answer."""
    with pytest.MonkeyPatch.context() as patch:
        for client in ("s3_clients", "sqs_queue", "scope_credentials"):
            patch.setattr(f"{_ADAPTERS}.{client}._CONNECT_TIMEOUT_S", LONG_S)
        for client in ("sqs_queue", "scope_credentials"):
            patch.setattr(f"{_ADAPTERS}.{client}._ANSWER_TIMEOUT_S", LONG_S)
        # By how often a request is sent: of a write once, of a read twice.
        patch.setattr(f"{_ADAPTERS}.s3_clients._ANSWER_TIMEOUT_S", {1: LONG_S, 2: LONG_S})
        yield
