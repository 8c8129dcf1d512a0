"""The gateway and the stores that the routes and the jobs are tested on."""

import pytest

pytest.register_assert_rewrite(
    "cases.worker", "functions.house", "functions.jobs", "functions.printed", "functions.remembered"
)

from cases.worker_fixtures import loaded_worker  # noqa: E402 - asserts are rewritten first
from functions.house_fixtures import (  # noqa: E402
    directory,
    directory_house,
    house,
    moto_clients,
    moto_server,
    opened_house,
    s3_house,
)
from functions.jobs import jobs  # noqa: E402
from functions.printed import printed  # noqa: E402

__all__ = [
    "directory", "directory_house", "house", "jobs", "loaded_worker", "moto_clients",
    "moto_server", "opened_house", "printed", "s3_house",
]  # fmt: skip
