"""What a case's `check` asks of jobs that a sequence of steps left in the queue."""

from collections.abc import Callable
from typing import Any, Final

from cases.adapter import TENANT, Run
from cases.outcome import all_answers
from cases.worker import Worker
from everturn.values.keys import Scope


def _worker(run: Run) -> Worker:
    """The worker, which has done at least one job, and failed at none."""
    assert run.worker
    assert run.worker.taken
    assert run.worker.failed == []
    return run.worker


def _job(run: Run, wanted: str) -> None:
    """A job of what is gone is no failure, asks no model and leaves nothing of it behind."""
    assert wanted == "acked"
    worker = _worker(run)
    assert worker.model.calls == 0
    put = [key for verb, key in worker.wrote if verb in {"put", "overwrite"}]
    assert [key for key in put if not key.startswith("i/")] == []
    texts = [message["content"].encode() for sent in run.sent.values() for message in sent]
    assert run.directory
    files = [path.read_bytes() for path in run.directory.rglob("*") if path.is_file()]
    assert files
    assert not [text for text in texts if any(text in file for file in files)]


def _responses_exclude(run: Run, forbidden: list[str]) -> None:
    texts = [response.text for response in all_answers(run)]
    assert texts
    assert not [text for text in texts if any(part in text for part in forbidden)]


def _consolidated_messages(run: Run, wanted: int) -> None:
    """Each was read, and once."""
    worker = _worker(run)
    read = 0
    for owner, messages in run.sent.items():
        user, id_ = owner.split(" ")
        assert [worker.times_read(message["content"]) for message in messages] == [1] * len(
            messages
        )
        read += worker.mark(Scope(TENANT, user), id_)
    assert read == wanted


def _max_llm_calls(run: Run, wanted: int) -> None:
    """So many read all that there is."""
    worker = _worker(run)
    for job in set(worker.taken):
        conversation = run.as_user(job.scope.actor).send("GET", job.conversation_id).json()
        assert worker.mark(job.scope, job.conversation_id) == conversation["turn_count"]
    assert 0 < worker.model.calls <= wanted


JOB_CHECKS: Final[dict[str, Callable[[Run, Any], None]]] = {
    "consolidated_messages": _consolidated_messages,
    "job": _job,
    "max_llm_calls": _max_llm_calls,
    "responses_exclude": _responses_exclude,
}
