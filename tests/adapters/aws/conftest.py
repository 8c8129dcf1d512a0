"""The servers that the S3 adapter is held against."""

import pytest

pytest.register_assert_rewrite(
    "contract.object_store_contract",
    "contract.bulk_deletes",
    "contract.chat_model_contract",
    "contract.embedder_contract",
    "contract.queue_contract",
    "contract.queue_races",
    "contract.queue_tries",
)

from emulation.moto_server import moto_clients, moto_server  # noqa: E402
from emulation.moto_sqs import moto_sqs, sqs_client  # noqa: E402
from emulation.seaweed import seaweed_clients, seaweed_url  # noqa: E402

__all__ = [
    "moto_clients",
    "moto_server",
    "moto_sqs",
    "seaweed_clients",
    "seaweed_url",
    "sqs_client",
]
