"""The servers that the S3 adapter is held against."""

import pytest

pytest.register_assert_rewrite(
    "contract.object_store_contract", "contract.bulk_deletes", "contract.embedder_contract"
)

from emulation.moto_server import moto_clients, moto_server  # noqa: E402
from emulation.seaweed import seaweed_clients, seaweed_url  # noqa: E402

__all__ = ["moto_clients", "moto_server", "seaweed_clients", "seaweed_url"]
