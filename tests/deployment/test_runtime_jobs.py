"""The functions that no HTTP request starts, as Lambda has them: jobs of the queue, the sweep."""

import json
from typing import TYPE_CHECKING, Final

import pytest

from deployment.moto_account import Account
from deployment.template_functions import TICK, queue_event, sample_event
from emulation.moto_sqs import MotoSqs

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import MessageTypeDef

pytestmark = pytest.mark.slow

# What the template gives SettleSeconds.
SETTLE_S: Final = 60


def _said(account: Account, conversation_id: str, text: str) -> None:
    asked = sample_event("append_iam")
    asked["pathParameters"] = {"id": conversation_id}
    asked["body"] = json.dumps({"turns": [{"role": "user", "text": text}]})
    assert account.request(asked)[0] == 200


def _taken(account: Account) -> "list[MessageTypeDef]":
    taken = account.sqs.receive_message(QueueUrl=account.names["JobQueue"], MaxNumberOfMessages=10)
    return taken.get("Messages", [])


def _remembered(account: Account) -> list[str]:
    asked = sample_event("list_memories_iam")
    asked["queryStringParameters"] = {"limit": "100"}
    asked["rawQueryString"] = "limit=100"
    status, body = account.request(asked)
    assert status == 200, body
    return [memory["statement"] for memory in body["memories"]]


def test_what_an_append_offered_is_done_when_it_has_settled(
    account: Account, moto_sqs: MotoSqs, monkeypatch: pytest.MonkeyPatch
) -> None:
    _said(account, "gates", "Remember that the gate is B12.")
    assert _taken(account) == []
    monkeypatch.setattr(moto_sqs, "ahead_s", moto_sqs.ahead_s + SETTLE_S + 1)
    [message] = _taken(account)
    assert "B12" not in message["Body"]

    job = queue_event((message["MessageId"], message["Body"]))
    answer = account.running("Consolidate").invoke(job)

    assert answer == {"batchItemFailures": []}
    assert any("B12" in statement for statement in _remembered(account))


def test_of_a_batch_the_messages_that_failed_are_named_and_the_others_are_done(
    account: Account,
) -> None:
    _said(account, "seats", "Remember that the seat is 14F.")
    ids = {"tenant": "default", "actor": "alice", "conversation_id": "seats"}
    batch = queue_event(("junk", "no job"), ("good", json.dumps(ids)))

    answer = account.running("Consolidate").invoke(batch)

    assert answer == {"batchItemFailures": [{"itemIdentifier": "junk"}]}
    assert any("14F" in statement for statement in _remembered(account))


def test_a_sweep_ends_its_pass_and_says_what_went(account: Account) -> None:
    _said(account, "kept", "hello")

    answer = account.running("Sweep").invoke(TICK)

    assert answer["complete"] is True
    assert {"empty", "tombstones", "orphans", "offered_tails"} <= set(answer)
    assert answer["failed"] == answer["tombstones"] == 0
