"""The worker's fixtures.

Its handler, loaded once, and a queue in SQS. Import them into a conftest.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from cases.worker import Worker, noting
from emulation.moto_sqs import MotoSqs, fresh_queues
from everturn.adapters.scripted_chat import ScriptedChat
from everturn.extraction.model_extractor import ModelExtractor
from everturn.local.bundle import find_bundle
from everturn.local.functions import Handler, load_handlers
from everturn.local.handler_log import HandlerLog
from everturn.local.job_worker import FUNCTION
from everturn.local.template import Function, read_function
from functions.house import House
from functions.house_fixtures import Opened

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_MAX_RECEIVES = 5
_MAX_DEPTH = 1_000


@pytest.fixture(scope="session")
def loaded_worker(opened_house: Opened) -> tuple[Function, Handler]:
    """The function of the template that works on jobs, and its handler on the house's parts."""
    _, parts, log = opened_house
    bundle = find_bundle()
    function = read_function(bundle.template, FUNCTION)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("everturn.edge.function.open_backends", lambda _: parts)
        handlers = load_handlers(
            {function},
            bundle=bundle,
            settings={"EVERTURN_STORE": str(log.with_name("chosen-by-each-test"))},
            log=HandlerLog(log.with_name("jobs.log")),
        )
    return function, handlers[function.name]


@pytest.fixture
def worker(directory_house: House, loaded_worker: tuple[Function, Handler]) -> Iterator[Worker]:
    """A worker on a directory, without a queue: who has one calls `join`."""
    function, handler = loaded_worker
    parts = directory_house.parts
    worker = Worker(directory_house, handler, function.timeout_s, ScriptedChat(noting))
    with pytest.MonkeyPatch.context() as patch:
        for name, opened in {
            "open_extractor": lambda _: ModelExtractor([worker.model], clock=parts.clock),
            "open_offers": lambda _: parts.offers,
            "open_recall": lambda _: parts,
        }.items():
            patch.setattr(f"everturn.edge.job_function.{name}", opened)
        yield worker


@pytest.fixture
def queued_worker(worker: Worker, moto_sqs: MotoSqs, sqs_client: "SQSClient") -> Worker:
    """A worker on a queue of its own in SQS, whose time passes only with the house's."""
    queues = fresh_queues(sqs_client, max_receives=_MAX_RECEIVES)
    clock = worker.house.clock

    def elapse(seconds: float) -> None:
        moto_sqs.ahead_s += seconds
        clock.sleep(seconds)

    worker.join(queues.open(sqs_client, clock, max_depth=_MAX_DEPTH), elapse)
    return worker
