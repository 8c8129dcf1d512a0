"""Memory over a socket: `everturn up` on a directory and on emulated AWS, two server processes."""

from pathlib import Path

import httpx
import pytest

from end_to_end.test_many_writers import served
from functions.memory_story import Teller


def _nothing() -> None:
    """Time passes by itself, and which process answers is the kernel's choice."""


@pytest.mark.slow
@pytest.mark.parametrize("emulated", [False, True], ids=["directory", "emulated aws"])
def test_a_day_with_an_agent_that_remembers(tmp_path: Path, *, emulated: bool) -> None:
    options = ["--dir", str(tmp_path / "store"), "--workers", "2"]
    with served(*options, *(["--emulate-aws"] if emulated else [])) as url:
        for actor in ("ada", "bob"):
            headers = {"x-everturn-tenant": "acme", "x-everturn-actor": actor}
            with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
                Teller(client, _nothing, _nothing).tell()
