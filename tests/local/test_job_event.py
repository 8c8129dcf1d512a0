import hashlib
from typing import Any

import pytest
from aws_lambda_powertools.utilities.data_classes import SQSEvent

from everturn.local.job_worker import job_event, names_a_failure
from everturn.ports.queue import Lease
from everturn.values.job import Job, parse_job
from everturn.values.keys import Scope

JOB = Job(Scope("acme", "Ünal"), "c/1")


def test_an_event_reads_as_one_message_of_sqs() -> None:
    event = job_event(Lease(JOB, "receipt", 3), message_id="m1")

    (record,) = SQSEvent(event).records
    assert (record.message_id, record.receipt_handle) == ("m1", "receipt")
    assert parse_job(record.body) == JOB
    assert record.attributes.approximate_receive_count == "3"
    assert record.event_source == "aws:sqs"
    assert record.md5_of_body == hashlib.md5(record.body.encode()).hexdigest()  # noqa: S324 - SQS's
    assert record.queue_url.endswith("/everturn-local")


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (None, False),
        ("done", False),
        ({}, False),
        ({"batchItemFailures": None}, False),
        ({"batchItemFailures": []}, False),
        ({"batchItemFailures": [{"itemIdentifier": "m1"}]}, True),
        ({"batchItemFailures": [{"itemIdentifier": "unknown"}]}, True),
        ({"batchItemFailures": [{}]}, True),
    ],
)
def test_an_answer_gives_a_message_back_where_lambda_would(answer: Any, *, failed: bool) -> None:  # noqa: ANN401 - whatever a handler returns
    assert names_a_failure(answer) is failed
