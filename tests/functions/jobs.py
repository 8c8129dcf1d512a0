"""The function that works on jobs, on the house's stores: a test hands it events of SQS."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cases.worker import Worker, noting, record_of
from everturn.adapters.scripted_chat import Scripted, ScriptedChat
from everturn.extraction.extractor import Extractor
from everturn.extraction.model_extractor import ModelExtractor
from everturn.extraction.rules.extract_by_rules import RulesExtractor
from everturn.local.functions import Handler
from everturn.local.invocation import LambdaContext, dashed_id
from everturn.local.job_worker import FUNCTION
from everturn.local.template import Function
from everturn.ports.chat_model import Prompt
from everturn.values.go_json import JsonObject
from everturn.values.job import Job
from everturn.values.keys import Scope
from fakes.listed_queue import ListedQueue
from functions.house import LOCAL, House
from functions.house_fixtures import Opened


@dataclass(slots=True)
class Jobs:
    """A house and the function that works on its jobs; `queue` takes what is offered."""

    house: House
    worker: Worker
    queue: ListedQueue
    log: Path
    extractor: Extractor = field(default_factory=RulesExtractor)
    daily_tokens: int = 0

    @property
    def model(self) -> ScriptedChat:
        """The model that was set last."""
        return self.worker.model

    def ask(self, script: Callable[[Prompt], Scripted] = noting) -> ScriptedChat:
        """Read by a model from now on: one that notes what users say, if nothing else is said."""
        self.worker.model = ScriptedChat(script)
        self.extractor = ModelExtractor([self.model], clock=self.house.parts.clock)
        return self.model

    def do(self, *ids: str) -> list[str]:
        """Deliver the jobs of these conversations in one event; return those that come again."""
        failed = self.deliver(*(Job(LOCAL, id_).encode() for id_ in ids))
        return [ids[number] for number in failed]

    def deliver(self, *bodies: str) -> list[int]:
        """Deliver messages in one event; return the numbers of those that come again."""
        records = [record_of(f"message-{number}", body) for number, body in enumerate(bodies)]
        answer = self.worker.deliver(*records)
        assert set(answer) == {"batchItemFailures"}
        failures = [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]
        return [int(name.removeprefix("message-")) for name in failures]

    def hand_over(self, event: JsonObject) -> object:
        """Hand any event to the handler."""
        parts = self.house.parts
        ends_s = parts.clock.monotonic_s() + self.worker.timeout_s
        context = LambdaContext(dashed_id(parts.entropy), FUNCTION, parts.clock, ends_s)
        return self.worker.handler(event, context)

    def mark(self, id_: str = "c1", scope: Scope = LOCAL) -> int:
        """How many turns of a conversation were read."""
        return self.worker.mark(scope, id_)

    def logged(self) -> list[str]:
        """The lines that the function has logged in this test."""
        return self.log.read_text().splitlines() if self.log.exists() else []

    def reasons(self) -> list[str | None]:
        """What those lines give as reasons."""
        return [json.loads(line).get("reason") for line in self.logged()]

    def keys(self, prefix: str) -> list[str]:
        """The keys of the house that begin so."""
        stores = (self.house.data.inner, self.house.parts.derived.inner)
        return sorted({key for store in stores for key in store.list(prefix).keys})


@pytest.fixture
def jobs(
    house: House, loaded_worker: tuple[Function, Handler], opened_house: Opened
) -> Iterator[Jobs]:
    """A worker over a directory, and over S3, that reads by rules."""
    function, handler = loaded_worker
    parts, log = house.parts, opened_house[2].with_name("jobs.log")
    log.unlink(missing_ok=True)
    worker = Worker(house, handler, function.timeout_s, ScriptedChat(noting))
    jobs = Jobs(house, worker, ListedQueue(house.clock, max_depth=9), log)
    parts.join(jobs.queue)
    opened: dict[str, Callable[[object], object]] = {
        "open_extractor": lambda _: jobs.extractor,
        "open_offers": lambda _: parts.offers,
        "open_recall": lambda _: parts,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, function_ in opened.items():
            patch.setattr(f"everturn.edge.job_function.{name}", function_)
        patch.setattr(
            "everturn.edge.job_function.JobEdge.daily_tokens", property(lambda _: jobs.daily_tokens)
        )
        yield jobs
