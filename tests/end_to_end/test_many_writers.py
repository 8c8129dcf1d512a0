"""Eight writers on one conversation by HTTP, four server processes behind one address."""

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

WRITERS, APPENDS = 8, 25


@contextmanager
def served(*options: str) -> Iterator[str]:
    everturn = Path(sys.executable).with_name("everturn")
    command = [str(everturn), "up", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().decode().split()[-1]
        finally:
            server.terminate()


def append_all(url: str, writer: int) -> list[int]:
    with httpx.Client(base_url=url, timeout=60) as client:
        firsts = []
        for number in range(APPENDS):
            pair = [{"role": "user", "text": f"w{writer}.{number}{half}"} for half in "ab"]
            answer = client.post("/v1/conversations/shared/turns", json={"turns": pair})
            firsts.append(answer.raise_for_status().json()["first_turn"])
        return firsts


@pytest.mark.slow
@pytest.mark.parametrize("emulated", [False, True], ids=["directory", "emulated aws"])
def test_all_turns_are_there_once_in_the_order_of_each_writer(
    emulated: bool,  # noqa: FBT001  # a parameter of the test
    tmp_path: Path,
) -> None:
    options = ["--dir", str(tmp_path / "a folder"), "--workers", "4"]
    with served(*options, *(["--emulate-aws"] if emulated else [])) as url:
        with ThreadPoolExecutor(WRITERS) as pool:
            firsts = list(pool.map(lambda writer: append_all(url, writer), range(WRITERS)))
        page = httpx.get(
            f"{url}/v1/conversations/shared/turns?from=0&limit=1000", timeout=60
        ).json()
    texts = [turn["text"] for turn in page["turns"]]
    assert page["turn_count"] == len(texts) == len(set(texts)) == WRITERS * APPENDS * 2
    for writer, numbers in enumerate(firsts):
        assert numbers == sorted(numbers)
        for number, first in enumerate(numbers):
            assert texts[first : first + 2] == [f"w{writer}.{number}a", f"w{writer}.{number}b"]
