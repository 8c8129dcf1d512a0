"""`everturn up` makes memories of what is said, by itself, in processes of its own."""

import json
import os
import signal
from pathlib import Path

import httpx
import pytest

from cli.everturn_process import everturn_up
from end_to_end.learning_server import job_worker_of, say, statements, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds the workers in /proc"),
]

NAME, DANA = "My name is Dana.", "The user's name is Dana"
TEA, TASTE = "I prefer tea to coffee.", "The user prefers tea to coffee"


@pytest.mark.parametrize("options", [(), ("--emulate-aws",)])
def test_what_is_said_is_remembered_within_seconds(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    """Without a model; `pinned`, `retrieve` and the status show it as well."""
    with everturn_up("--dir", "d", *options, cwd=tmp_path) as up:
        say(up.url, "demo", f"{NAME} {TEA}")

        wait_for(lambda: statements(up.url), {DANA, TASTE}.__le__)

        pinned = httpx.post(
            f"{up.url}/v1/memories/pinned", json={}, trust_env=False, timeout=60
        ).json()
        assert DANA in pinned["text"]
        asked = {"query": "tea or coffee?"}
        found = httpx.post(
            f"{up.url}/v1/memories/retrieve", json=asked, trust_env=False, timeout=60
        ).json()
        assert found["snippets"][0]["text"] == TASTE
        up.process.terminate()
        assert up.process.wait(60) == 0
    assert "Traceback" not in (tmp_path / "up.err").read_text()


def test_a_worker_that_is_killed_is_replaced_and_the_next_one_goes_on(tmp_path: Path) -> None:
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        killed = job_worker_of(up.process.pid)
        os.kill(killed, signal.SIGKILL)
        say(up.url, "demo", NAME)
        wait_for(lambda: statements(up.url), {DANA}.__le__)
        assert job_worker_of(up.process.pid) != killed
    assert f"a worker died, starting another pid={killed}" in (tmp_path / "up.err").read_text()


def test_two_servers_on_one_directory_share_the_queue(tmp_path: Path) -> None:
    """Whoever takes a job: each memory is made once, of one source."""
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        (tmp_path / "2").mkdir()
        with everturn_up("--dir", str(tmp_path / "d"), cwd=tmp_path / "2") as second:
            for number, server in enumerate((up, second, up, second)):
                say(server.url, f"c{number}", NAME)
            rows = wait_for(
                lambda: httpx.get(f"{up.url}/v1/memories", trust_env=False, timeout=60).json()[
                    "memories"
                ],
                lambda rows: bool(rows) and rows[0]["count"] == 4,
            )
    assert [row["statement"] for row in rows] == [DANA]


def test_what_was_said_before_it_stopped_is_read_when_it_runs_again(tmp_path: Path) -> None:
    """A job that still settles outlives the server."""
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        say(up.url, "demo", NAME)
        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(60) == 0
    assert list((tmp_path / "d" / ".everturn" / "queue" / "waiting").iterdir())
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        wait_for(lambda: statements(up.url), {DANA}.__le__)


def test_a_conversation_that_cannot_be_read_is_told_without_its_text(tmp_path: Path) -> None:
    """And its worker goes on with the others."""
    log = tmp_path / "d" / ".everturn" / "logs" / "everturn.log"
    with everturn_up("--dir", "d", cwd=tmp_path) as up:
        say(up.url, "broken", "My secret is a pangolin.")
        (tmp_path / "d" / "broken.json").write_text('{"a pangolin"')
        say(up.url, "demo", NAME)
        wait_for(lambda: statements(up.url), {DANA}.__le__)
        lines = wait_for(
            lambda: log.read_text().splitlines() if log.exists() else [],
            lambda lines: any("a job failed and comes again" in line for line in lines),
        )
    assert all(json.loads(line)["level"] in {"WARNING", "ERROR"} for line in lines)
    assert "pangolin" not in log.read_text() + (tmp_path / "up.err").read_text()
