"""What a case's `check` asks for, one function for each of its words.

A word that none of them knows fails the test.
"""

import json
from collections.abc import Callable
from typing import Any, Final

from cases.adapter import TENANT, Run
from cases.case import Case
from cases.job_checks import JOB_CHECKS
from cases.list_checks import LIST_CHECKS
from cases.outcome import REFUSED, all_answers, allowed, bodies
from cases.recall_checks import RECALL_CHECKS
from cases.words import message_of
from everturn.ports.object_store import StoredObject
from everturn.values.keys import Scope, segment_key
from everturn.values.timestamps import parse_time
from functions.house import Json


def check(run: Run, asked: Case) -> None:
    """Hold a finished run against everything that its case asks for."""
    for word, wanted in asked.items():
        CHECKS[word](run, wanted)


def _texts(turns: list[Json]) -> list[str]:
    return [turn["text"] for turn in turns]


def _conversation(run: Run) -> tuple[str, str]:
    """The user and the conversation of the last step that names one."""
    step = next(step for step in reversed(_flat(run.steps)) if "conversation_id" in step)
    return step.get("as", run.user), step["conversation_id"]


def _flat(steps: list[Case]) -> list[Case]:
    return [inner for step in steps for inner in step.get("parallel_group", [step])]


def _stored(run: Run) -> list[Json]:
    """The turns in the store at the end, sealed ones included, behind the API's back."""
    user, id_ = _conversation(run)
    scope = Scope(TENANT, user)
    head = run.house.stored_json(id_, scope)
    turns: list[Json] = []
    for segment in head.get("sealed", {}).get("segs", ()):
        stored = run.house.data.inner.get(segment_key(scope, id_, segment["name"]))
        assert isinstance(stored, StoredObject)
        turns += json.loads(stored.body)["turns"]
    return [*turns, *head["turns"]]


def _steps_status(run: Run, wanted: list[list[int] | None]) -> None:
    assert len(wanted) == len(run.answers)
    for responses, statuses in zip(run.answers, wanted, strict=True):
        if statuses is not None:
            assert responses
            assert {response.status_code for response in responses} <= allowed(statuses)


def _status(run: Run, wanted: list[int]) -> None:
    assert {response.status_code for response in all_answers(run)} <= allowed(wanted)


def _no_5xx(run: Run, _: object) -> None:
    assert max(response.status_code for response in all_answers(run)) < 500


def _final_status(run: Run, wanted: int) -> None:
    assert run.answers[-1][-1].status_code == wanted


def _count(run: Run, wanted: int) -> None:
    assert len(_stored(run)) == wanted
    for body in bodies(run, "turns")[-1:]:
        assert len(body["turns"]) == wanted


def _contents(run: Run, wanted: list[str]) -> None:
    assert _texts(bodies(run, "turns")[-1]["turns"]) == wanted


def _contents_any_of(run: Run, wanted: list[list[str] | None]) -> None:
    last = run.answers[-1][-1]
    found = _texts(last.json()["turns"]) if last.is_success else None
    assert found in wanted


def _step_message(run: Run, wanted: dict[str, list[str]]) -> None:
    for step, texts in wanted.items():
        assert _texts(run.answers[int(step)][-1].json()["turns"]) == texts


def _old_messages_absent(run: Run, wanted: list[str]) -> None:
    last = run.answers[-1][-1]
    texts = _texts(last.json()["turns"]) if last.is_success else []
    assert not set(wanted) & set(texts)


def _acknowledged(run: Run, _: object) -> None:
    appends = [body for body in bodies(run, "appended") if not body["replayed"]]
    assert len(_stored(run)) == sum(body["appended"] for body in appends)
    user, id_ = _conversation(run)
    assert len(_stored(run)) == len(run.sent[f"{user} {id_}"])


def _final(run: Run, wanted: Json) -> None:
    last = run.answers[-1][-1].json()
    assert {name: last.get(name) for name in wanted} == wanted


def _limit_rules(run: Run, wanted: dict[str, list[str]]) -> None:
    everything = ["m0", "m1", "m2", "m3", "m4"]
    for step, responses in zip(run.steps, run.answers, strict=True):
        if step["do"] != "recent":
            continue
        limit = step["limit"]
        rule = wanted["null" if limit is None else str(limit)]
        response = responses[-1]
        if not response.is_success:
            assert response.status_code in REFUSED
            assert "400" in rule
            continue
        texts = _texts(response.json()["turns"])
        meaning = {"empty": [], "all": everything, "default": everything}
        assert texts == rule or texts in [meaning[word] for word in rule if word in meaning]


def _year_between(run: Run, wanted: list[int]) -> None:
    first, last = wanted
    years = [int(turn["ts"][:4]) for turn in _stored(run)]
    assert all(first <= year <= last for year in years)
    assert all(parse_time(turn["ts"]) is not None for turn in _stored(run))


def _max_response_bytes(run: Run, wanted: int) -> None:
    assert max(len(response.content) for response in all_answers(run)) <= wanted


def _truncation_is_flagged(run: Run, _: object) -> None:
    cut = [body for body in bodies(run, "next") if body["next"] == len(body["turns"])]
    assert cut


def _max_store_calls(run: Run, wanted: int) -> None:
    assert 0 < run.calls[-1] <= wanted


def _stored_utf8(run: Run, _: object) -> None:
    user, id_ = _conversation(run)
    json.loads(run.house.stored(id_, Scope(TENANT, user)).decode("utf-8", "strict"))


def _roundtrip(run: Run, _: object) -> None:
    user, id_ = _conversation(run)
    messages = [message_of(turn) for turn in bodies(run, "turns")[-1]["turns"]]
    assert messages == run.sent[f"{user} {id_}"]


CHECKS: Final[dict[str, Callable[[Run, Any], None]]] = {
    "acknowledged_equals_stored": _acknowledged,
    "contents": _contents,
    "contents_any_of": _contents_any_of,
    "count": _count,
    "final": _final,
    "final_status": _final_status,
    "limit_rules": _limit_rules,
    "max_response_bytes": _max_response_bytes,
    "max_store_calls": _max_store_calls,
    "no_5xx": _no_5xx,
    "old_messages_absent": _old_messages_absent,
    "roundtrip": _roundtrip,
    "status": _status,
    "status_in": lambda run, wanted: _status(run, [*wanted, 410]),
    "step_message": _step_message,
    "steps_status": _steps_status,
    "stored_utf8": _stored_utf8,
    "truncation_is_flagged": _truncation_is_flagged,
    "year_between": _year_between,
    **JOB_CHECKS,
    **LIST_CHECKS,
    **RECALL_CHECKS,
}
