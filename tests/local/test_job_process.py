"""The process around the loop over the queue: how it begins, and how it ends."""

import threading
from multiprocessing import Pipe
from pathlib import Path

import pytest

from everturn.bootstrap.components import open_queue
from everturn.errors import MisconfiguredError
from everturn.local.bundle import Bundle
from everturn.local.environment import environment_of
from everturn.local.job_worker import open_job_worker, work_on_jobs
from everturn.local.workers import READY, WorkerPlan
from everturn.settings.process import read_settings
from everturn.values.job import Job
from everturn.values.keys import Scope

JOB = Job(Scope("local", "local"), "demo")
TEMPLATE = """
Resources:
  Consolidate:
    Type: AWS::Serverless::Function
    Properties: {CodeUri: functions/consolidate/, Handler: app.handler, Timeout: 180}
"""


def _bundle(root: Path, app: str) -> Bundle:
    root.mkdir()
    (root / "template.yaml").write_text(TEMPLATE)
    folder = root / "functions" / "consolidate"
    folder.mkdir(parents=True)
    (folder / "app.py").write_text(app)
    return Bundle(root, "test")


def _plan(store: Path | str) -> WorkerPlan:
    settings = {"EVERTURN_STORE": str(store), "EVERTURN_DERIVED_STORE": None}
    return WorkerPlan("127.0.0.1", settings, {}, None)


@pytest.fixture(autouse=True)
def _metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    # load_handlers sets it for good in this process; here for this test alone.
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "true")


SLOW = """
import time
from pathlib import Path

def handler(event, context):
    Path({begun!r}).touch()
    while not Path({go_on!r}).exists():
        time.sleep(0.01)
    Path({ended!r}).write_text(context.function_name)
"""


def test_it_says_that_it_is_ready_and_ends_after_the_job_in_hand(tmp_path: Path) -> None:
    """When its parent closes its end, or is gone."""
    files = {name: str(tmp_path / name) for name in ("begun", "go_on", "ended")}
    begun, go_on, ended = map(Path, files.values())
    bundle = _bundle(tmp_path / "b", SLOW.format(**files))
    plan = _plan(tmp_path / "store")
    queue = open_queue(read_settings(environment_of(plan.settings)))
    assert queue is not None
    ours, theirs = Pipe()
    task = threading.Thread(target=work_on_jobs, args=(plan, theirs), kwargs={"bundle": bundle})
    with theirs:
        task.start()
        assert ours.recv() == READY
        queue.offer(JOB, delay_s=0)
        while not begun.exists():
            task.join(0.01)
        ours.close()
        go_on.touch()
        task.join(60)
    assert not task.is_alive()
    assert ended.read_text() == "Consolidate"
    assert queue.depth().leased == 0


def test_a_worker_that_cannot_begin_says_why() -> None:
    ours, theirs = Pipe()
    with ours, theirs:
        work_on_jobs(_plan("s3://"), theirs)
        assert "bucket" in ours.recv()


def test_a_template_without_the_function_is_refused(tmp_path: Path) -> None:
    (tmp_path / "template.yaml").write_text("Resources: {}")
    with pytest.raises(MisconfiguredError, match="function=Consolidate"):
        open_job_worker(_plan(tmp_path / "store"), bundle=Bundle(tmp_path, "test"))
