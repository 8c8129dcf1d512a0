"""The function Sweep: started by a schedule, it sweeps, counts, and fails aloud."""

import importlib.util
import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.consolidation.enqueue_job import JobOffers
from everturn.edge.function import METRICS
from everturn.errors import EverturnError, UnavailableError
from everturn.values.keys import DIRTY_PREFIX, SWEEP_KEY
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import Verb
from functions.house import Door, Parts, hand_on
from scenarios.process import Process
from upkeep.sweep_calls import DAY_S

APP = Path(__file__).parents[2] / "functions" / "sweep" / "app.py"
EVENT = {"source": "aws.events", "detail-type": "Scheduled Event", "detail": {}}

_SERIAL = count()

Handler = Callable[[Any, Any], dict[str, Any]]


class Context:
    """What Lambda hands over."""

    function_name = "Sweep"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:eu-central-1:123456789012:function:Sweep"
    aws_request_id = "request-1"

    def __init__(self, left_ms: int = 900_000) -> None:
        self._left_ms = left_ms

    def get_remaining_time_in_millis(self) -> int:
        return self._left_ms


@pytest.fixture
def parts() -> Parts:
    """One store in memory for all, on a clock that the test moves."""
    clock = ManualClock()
    store = Door(MemoryStore(clock))
    return Parts(store, store, clock=clock)


def _process(parts: Parts) -> Process:
    return Process(parts.data, parts.clock, parts.entropy, parts.derived)


def _age(parts: Parts, days: float) -> None:
    parts.clock.sleep(days * DAY_S)


def _load(parts: Parts, monkeypatch: pytest.MonkeyPatch, **settings: str) -> Handler:
    monkeypatch.setattr("everturn.edge.function.open_backends", lambda _: parts)
    offers = JobOffers(ListedQueue(parts.clock, max_depth=9), parts.derived, parts.clock, 2)
    monkeypatch.setattr("everturn.edge.function.open_offers", lambda _: offers)
    for name, value in {"EVERTURN_STORE": "chosen-by-the-test", **settings}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Everturn")
    # A logger of one name keeps the output of the test that made it.
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", f"sweep-{next(_SERIAL)}")
    monkeypatch.setenv("POWERTOOLS_METRICS_DISABLED", "false")
    spec = importlib.util.spec_from_file_location("_sweep_app", APP)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    handler: Handler = module.handler
    return handler


def _metrics(capsys: pytest.CaptureFixture[str]) -> dict[str, float]:
    [line] = [json.loads(text) for text in capsys.readouterr().out.splitlines() if "_aws" in text]
    names = {m["Name"] for m in line["_aws"]["CloudWatchMetrics"][0]["Metrics"]}
    assert names <= set(METRICS.values())
    return {name: line[name][0] for name in names}


def test_a_run_says_what_went_and_counts_it(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _process(parts).create("empty")
    _process(parts).append("a", to="used")
    _age(parts, 2)
    answer = _load(parts, monkeypatch)(EVENT, Context())
    assert answer == {
        "empty": 1, "tombstones": 0, "finished": 0, "expired": 0, "orphans": 0, "heads_read": 3,
        "skipped": 0, "failed": 0, "offered_tails": 1, "offered_markers": 0, "watermarks": 0,
        "staged": 0, "complete": True,
    }  # fmt: skip
    assert _metrics(capsys) == {
        "SweptEmpty": 1, "SweepHeadsRead": 3, "SweepComplete": 1, "Events": 1, "TailsOffered": 1,
        "DirtyAge": 0,
    }  # fmt: skip


@pytest.mark.parametrize(("setting", "expired"), [("0", 0), ("", 0), ("30", 1)])
def test_conversations_expire_where_the_setting_says_so(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, setting: str, expired: int
) -> None:
    _process(parts).append("a")
    _age(parts, 31)
    handler = _load(parts, monkeypatch, EVERTURN_IDLE_DAYS=setting)
    assert handler(EVENT, Context())["expired"] == expired


def test_a_run_ends_before_lambda_ends_it_and_the_next_goes_on(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(40):
        _process(parts).create(f"e{number}")
    _age(parts, 2)
    handler = _load(parts, monkeypatch)
    first = handler(EVENT, Context(left_ms=50_000))
    assert first["complete"] is False
    assert 0 < first["empty"] < 40
    second = handler(EVENT, Context())
    assert (second["complete"], first["empty"] + second["empty"]) == (True, 40)


def test_a_store_that_does_not_answer_is_an_error_of_the_function(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise UnavailableError("the store does not answer")

    parts.data.step_in = fail
    with pytest.raises(UnavailableError):
        _load(parts, monkeypatch)(EVENT, Context())
    assert '"failed"' in capsys.readouterr().out


def test_a_run_does_not_tell_the_age_of_a_marker_that_one_before_saw_and_failed(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It looks itself, or tells none: the marker may be gone."""
    handler = _load(parts, monkeypatch)
    handler(EVENT, Context())

    def fail_late(verb: Verb, key: str, send: Callable[[], Any]) -> object:
        if verb == "overwrite" and key == SWEEP_KEY and looks:
            raise UnavailableError("the store does not answer")
        answer = send()
        looks.extend([key] if verb == "list" and key == DIRTY_PREFIX else [])
        return answer

    looks: list[str] = []
    parts.data.step_in = fail_late
    with pytest.raises(UnavailableError):
        handler(EVENT, Context())
    assert looks
    for number in range(40):
        _process(parts).create(f"e{number}")
    _age(parts, 2)
    parts.data.step_in = hand_on
    capsys.readouterr()
    assert handler(EVENT, Context(left_ms=50_000))["complete"] is False
    assert "DirtyAge" not in _metrics(capsys)


def test_a_crash_is_logged_without_its_message(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A message may quote what a user said, and Lambda prints what is raised."""

    def crash(*_: object) -> None:
        raise ZeroDivisionError("SECRET")

    parts.data.step_in = crash
    with pytest.raises(EverturnError, match="something went wrong") as raised:
        _load(parts, monkeypatch)(EVENT, Context())
    assert raised.value.__suppress_context__
    printed = capsys.readouterr()
    assert "ZeroDivisionError" in printed.out
    assert "SECRET" not in printed.out + printed.err


@pytest.mark.parametrize(("url", "tails"), [("", 0), ("https://sqs.test/q", 1)])
def test_without_a_queue_no_conversation_is_looked_at_for_consolidation(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, url: str, tails: int
) -> None:
    _process(parts).append("a")
    _age(parts, 0.5)
    settings = {"EVERTURN_QUEUE_URL": url, "EVERTURN_DEAD_LETTERS_URL": url}
    handler = _load(parts, monkeypatch, EVERTURN_STORE="s3://bucket", **settings)
    answer = handler(EVENT, Context())
    assert (answer["offered_tails"], answer["heads_read"]) == (tails, 1 + tails)
