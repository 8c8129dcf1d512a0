"""The gateway and the stores that the routes are tested on."""

import pytest

pytest.register_assert_rewrite("functions.house")

from functions.house_fixtures import (  # noqa: E402 - asserts of the house are rewritten first
    directory,
    directory_house,
    house,
    moto_clients,
    moto_server,
    opened_house,
    s3_house,
)

__all__ = [
    "directory", "directory_house", "house", "moto_clients", "moto_server", "opened_house",
    "s3_house",
]  # fmt: skip
