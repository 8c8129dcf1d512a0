"""Cases of events of SQS: what the function that consolidates makes of their records."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from cases.adapter import TENANT
from cases.case import Case
from cases.extractions import says
from cases.worker import Worker, lines_of, noting, record_of
from everturn.adapters.scripted_chat import Scripted, ScriptedChat
from everturn.errors import UnavailableError
from everturn.extraction.answers.parse_answer import parse_extraction
from everturn.ports.chat_model import Prompt
from everturn.values.job import Job
from everturn.values.keys import Scope, watermark_key
from functions.house import Json
from functions.remembered import MEMORIES

_TURNS: Final = 2
_NO_STATEMENT: Final = ["Good morning.", "What a day."]


@dataclass(slots=True)
class _Delivery:
    """An event, and what came of it."""

    worker: Worker
    records: list[Json]
    jobs: Mapping[str, Job]
    """By the ids of the messages that hold one."""
    said: dict[Job, list[str]] = field(default_factory=dict)
    """What the turns of each conversation say."""
    marks: list[int] = field(default_factory=list)
    """Where the watermarks were set, in that order."""
    answer: Json = field(default_factory=dict)
    output: str | None = None
    """What the model answers to everything, where a case says it."""

    def deliver(self, model: ScriptedChat) -> None:
        """Hand the event over, with this model."""
        self.worker.model = model
        self.answer = self.worker.deliver(*self.records)

    def failures(self) -> list[str]:
        return [failure["itemIdentifier"] for failure in self.answer["batchItemFailures"]]

    def mark(self, job: Job) -> int:
        return self.worker.mark(job.scope, job.conversation_id)

    def is_done(self, job: Job) -> bool:
        return self.mark(job) == len(self.said[job])

    @property
    def has_moved(self) -> bool:
        """Whether all that was said was read; else nothing of it was."""
        moved = all(map(self.is_done, self.said))
        assert moved or not any(map(self.mark, self.said))
        return moved

    def remembered(self) -> list[str]:
        """What the only user's memories state; a pattern states its name."""
        [actor] = {job.scope.actor for job in self.said}
        memories = self.worker.house.acting_as(actor, TENANT).read(MEMORIES)["memories"]
        return sorted(memory.get("statement") or memory["spec"]["name"] for memory in memories)


def probe_event(case: Case, worker: Worker) -> None:
    """Deliver the event of a case: once, or once for each answer of the model that it names."""
    given, asked = case["input"], case["check"]
    outputs: list[str | None] = given.get("llm_outputs", [None])
    deliveries = []
    for number, output in enumerate(outputs):
        delivery = _prepared(given, worker, f"-{number}" if output else "", output)
        delivery.deliver(_model(delivery, given.get("faults", [])))
        deliveries.append(delivery)
    for word, wanted in asked.items():
        if word == "watermark_after":
            _watermark_after(deliveries, wanted)
        else:
            [delivery] = deliveries
            _CHECKS[word](delivery, wanted)


def _prepared(given: Case, worker: Worker, suffix: str, output: str | None) -> _Delivery:
    """Append to each conversation that a record names as many turns as the records speak of."""
    jobs = {
        record["messageId"]: _job(record["body"], suffix)
        for record in given["records"]
        if "body" in record
    }
    records = [
        record_of(id_, jobs[id_].encode() if id_ in jobs else record["body_raw"])
        for record in given["records"]
        for id_ in [record["messageId"]]
    ]
    delivery = _Delivery(worker, records, jobs, output=output)
    for record in given["records"]:
        if job := jobs.get(record["messageId"]):
            count = max(record["body"].get("up_to", _TURNS), len(delivery.said.get(job, [])))
            delivery.said[job] = _texts(job, count, output)
    for job, texts in delivery.said.items():
        user = worker.house.acting_as(job.scope.actor, TENANT)
        assert user.append(job.conversation_id, *texts).is_success
    _watch(delivery)
    return delivery


def _job(body: Json, suffix: str) -> Job:
    return Job(Scope(TENANT, body["user_id"] + suffix), body["conversation_id"])


def _texts(job: Job, count: int, output: str | None) -> list[str]:
    if output:
        return says(output) or _NO_STATEMENT
    return [f"Gate {n} of {job.conversation_id} is open." for n in range(count)]


def _watch(delivery: _Delivery) -> None:
    """Write down where watermarks are set."""
    data = delivery.worker.house.data
    keys = {watermark_key(job.scope, job.conversation_id): job for job in delivery.said}

    def step_in(verb: str, key: str, send: Callable[[], Any]) -> object:
        answer = send()
        if key in keys and verb != "get":
            delivery.marks.append(delivery.mark(keys[key]))
        return answer

    data.step_in = step_in


def _model(delivery: _Delivery, faults: list[Case]) -> ScriptedChat:
    """A model that answers so, or notes what it reads, and fails on what a record brings."""
    assert {fault["on"] for fault in faults} <= {"llm"}
    assert all(fault["then"]["status"] >= 500 for fault in faults)
    failing = {text for fault in faults for text in delivery.said[delivery.jobs[fault["record"]]]}

    def answer(prompt: Prompt) -> Scripted:
        if any(line["text"] in failing for line in lines_of(prompt)):
            return UnavailableError("the model does not answer status=500")
        return noting(prompt) if delivery.output is None else delivery.output

    return ScriptedChat(answer)


def _watermark(delivery: _Delivery, wanted: int) -> None:
    assert [delivery.mark(job) for job in delivery.said] == [wanted]
    assert delivery.marks == sorted(set(delivery.marks))
    assert delivery.failures() == []
    [texts] = delivery.said.values()
    assert [delivery.worker.times_read(text) for text in texts] == [1] * wanted


def _failures(delivery: _Delivery, wanted: list[str]) -> None:
    """Those that fail come again, alone; the others are done."""
    assert delivery.failures() == wanted
    failed = [delivery.jobs[id_] for id_ in wanted]
    assert {job: delivery.is_done(job) for job in delivery.said} == {
        job: job not in failed for job in delivery.said
    }
    assert [delivery.mark(job) for job in failed] == [0] * len(failed)
    delivery.records = [one for one in delivery.records if one["messageId"] in wanted]
    delivery.deliver(ScriptedChat(noting))
    assert delivery.failures() == []
    assert all(map(delivery.is_done, delivery.said))
    assert delivery.worker.model.calls == len(failed)


def _failures_any_of(delivery: _Delivery, wanted: list[list[str]]) -> None:
    """None of them loops for ever: SQS counts how often it was received."""
    assert delivery.failures() in wanted


def _processed(delivery: _Delivery, wanted: list[str]) -> None:
    assert not set(wanted) & set(delivery.failures())
    for id_ in wanted:
        job = delivery.jobs[id_]
        assert delivery.is_done(job)
        assert delivery.remembered() == sorted(delivery.said[job])


def _response_schema(delivery: _Delivery, wanted: Json) -> None:
    """An event without failures, and then one in which each record is one."""
    assert delivery.answer == {"batchItemFailures": []}
    delivery.records = [{**record, "body": "no job"} for record in delivery.records]
    delivery.deliver(ScriptedChat(noting))
    assert _has_shape(delivery.answer, wanted)
    assert delivery.failures() == [record["messageId"] for record in delivery.records]


def _has_shape(value: object, shape: object) -> bool:
    if isinstance(shape, dict) and isinstance(value, dict):
        same = value.keys() == shape.keys()
        return same and all(_has_shape(value[name], shape[name]) for name in shape)
    if isinstance(shape, list) and isinstance(value, list):
        [item] = shape
        return all(_has_shape(one, item) for one in value)
    return shape == "str" and isinstance(value, str) and bool(value)


def _watermark_after(deliveries: list[_Delivery], wanted: dict[str, str]) -> None:
    """The answers of the model come in the order in which their results are named."""
    for delivery, (result, moved) in zip(deliveries, wanted.items(), strict=True):
        found = parse_extraction(delivery.output or "")
        assert found.result == _RESULTS[result]
        _AFTER[moved](delivery)
        assert delivery.has_moved == (delivery.failures() == [])
        assert set(delivery.remembered()) >= (set(found.facts) if delivery.has_moved else set())


def _unchanged(delivery: _Delivery) -> None:
    """Not even a model that answers nothing but this is the fault of the turns."""
    assert not delivery.has_moved
    assert delivery.remembered() == []


def _moved(delivery: _Delivery) -> None:
    assert delivery.has_moved


def _documented(delivery: _Delivery) -> None:
    """An answer that was cut off counts for a turn alone, if a memory can be made of it."""
    read = [[line["text"] for line in lines_of(one)] for one in delivery.worker.model.prompts]
    assert all([text] in read for texts in delivery.said.values() for text in texts)
    assert delivery.has_moved == bool(delivery.remembered())


_RESULTS: Final = {"fail": "fail", "ok": "ok", "salvaged": "salvaged", "valid_empty": "ok"}
_AFTER: Final = {"documented": _documented, "moved": _moved, "unchanged": _unchanged}
_CHECKS: Final[dict[str, Callable[[_Delivery, Any], None]]] = {
    "batchItemFailures": _failures,
    "batchItemFailures_any_of": _failures_any_of,
    "processed": _processed,
    "response_schema": _response_schema,
    "watermark": _watermark,
}
