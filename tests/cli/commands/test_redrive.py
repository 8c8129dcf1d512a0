"""The command redrive on the queue of a directory."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.stores import Run
from everturn.bootstrap.components import open_queue
from everturn.cli.main import app
from everturn.ports.queue import JobQueue
from everturn.settings.process import read_settings
from everturn.values.job import Job
from everturn.values.keys import Scope


@pytest.fixture
def queue(tmp_path: Path) -> JobQueue:
    found = open_queue(read_settings({"EVERTURN_STORE": str(tmp_path / "store")}))
    assert found is not None
    return found


def _kill(queue: JobQueue, count: int) -> None:
    """Fail jobs until they are dead letters."""
    for number in range(count):
        queue.offer(Job(Scope("local", "local"), f"c{number}"), delay_s=0, even_if_full=True)
    while queue.depth().waiting:
        for lease in queue.claim(10, lease_s=60):
            queue.give_back(lease, delay_s=0)


def test_dead_letters_are_put_back_all_of_them(run: Run, queue: JobQueue) -> None:
    _kill(queue, 12)
    assert queue.count_dead() == 12

    done = run("redrive")

    assert (done.exit_code, done.stdout) == (0, "put back: 12 jobs\n")
    assert (queue.count_dead(), queue.depth().waiting) == (0, 12)
    assert {lease.receives for lease in queue.claim(10, lease_s=60)} == {1}


def test_without_dead_letters_nothing_is_put_back(run: Run) -> None:
    done = run("redrive")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "put back: 0 jobs\n", "")


def test_a_server_is_not_asked(queue: JobQueue) -> None:
    del queue
    done = CliRunner().invoke(app, ["redrive", "--url", "http://127.0.0.1:1"])
    assert done.exit_code == 1
    assert done.stderr == "error: a server has its own queue: give --dir or --store\n"


def test_a_store_without_a_queue_says_what_to_set() -> None:
    done = CliRunner().invoke(app, ["redrive", "--store", "s3://bucket"])
    assert done.exit_code == 1
    assert done.stderr == "error: this store has no queue, set EVERTURN_QUEUE_URL\n"


def test_the_queue_of_another_store_is_not_used_for_a_directory(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables of a shell that works with AWS must not lead jobs of a directory there."""
    monkeypatch.setenv("EVERTURN_QUEUE_URL", "http://127.0.0.1:1/1/jobs")
    monkeypatch.setenv("EVERTURN_DEAD_LETTERS_URL", "http://127.0.0.1:1/1/dead")
    assert run("redrive").stdout == "put back: 0 jobs\n"
