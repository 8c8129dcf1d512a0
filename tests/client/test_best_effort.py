import logging
from collections.abc import Callable

import pytest

from client.faults import Fault, FaultyNetwork, answers, lost_answer, lost_request, says
from client.hand_time import HandClock
from everturn import errors
from everturn.client import Everturn
from everturn.client.exchange import ALWAYS_RAISED

Bare = Callable[..., tuple[Everturn, FaultyNetwork, HandClock]]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (lost_request, "unavailable"),
        (answers(429), "unavailable"),
        (answers(502), "unavailable"),
        (answers(404), "misconfigured"),
        (says("corrupt_record", 500), "corrupt_record"),
        (says("internal", 500), "internal"),
        (says("misconfigured", 500), "misconfigured"),
        (says("unavailable", 503, retryable=True), "unavailable"),
    ],
)
def test_a_failure_of_network_or_server_is_an_empty_result(
    bare: Bare, fault: Fault, code: str
) -> None:
    client, network, _ = bare(best_effort=True)
    network.meets([fault] * 10)
    found = client.recall("which port?")
    assert found.failed == code
    assert found.hits == ()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (answers(401), errors.UnauthenticatedError),
        (answers(403), errors.ForbiddenError),
        (says("not_found", 404), errors.NotFoundError),
        (says("conflict", 409), errors.ConflictError),
        (says("conversation_gone", 410), errors.ConversationGoneError),
        (says("precondition_failed", 412), errors.StaleEtagError),
        (says("too_large", 413), errors.TooLargeError),
        (says("unsupported_media_type", 415), errors.UnsupportedMediaError),
        (says("invalid_request", 422), errors.InvalidRequestError),
    ],
)
def test_an_answer_and_a_mistake_are_raised_all_the_same(
    bare: Bare, fault: Fault, kind: type[errors.EverturnError]
) -> None:
    """An empty result would hide for good what the caller alone can mend."""
    client, network, _ = bare(best_effort=True)
    network.meets([fault])
    with pytest.raises(kind):
        client.append_user("c", "hi")
    assert issubclass(kind, ALWAYS_RAISED)


def test_a_failure_is_logged_once_without_what_is_private(
    bare: Bare, caplog: pytest.LogCaptureFixture
) -> None:
    client, network, _ = bare(best_effort=True)
    network.meets([answers(503), says("corrupt_record", 500)])
    with caplog.at_level(logging.DEBUG, "everturn"):
        client.append_user("secret-talk", "secret words")
    assert [record.getMessage() for record in caplog.records if record.name == "everturn"] == [
        "append failed, going on without code=corrupt_record status=500 request_id=r-1"
    ]
    assert "secret" not in caplog.text


@pytest.mark.parametrize(
    "copy", [lambda client: client.export_conversation("c"), lambda client: list(client.export())]
)
def test_a_copy_that_is_none_is_raised_all_the_same(
    bare: Bare, copy: Callable[[Everturn], object]
) -> None:
    client, network, _ = bare(best_effort=True)
    network.meets([answers(502)] * 10)
    with pytest.raises(errors.UnavailableError):
        copy(client)


@pytest.mark.parametrize("fault", [answers(503), lost_request, says("internal", 500)])
@pytest.mark.parametrize(
    "removes",
    [
        lambda client: client.delete_conversation("c"),
        lambda client: client.delete_document("s", "k"),
        lambda client: client.delete_document("s", "k", expect="e"),
        lambda client: client.redact_turn("c", 0),
        lambda client: client.pop_turn("c", expected_turn_count=1),
        lambda client: client.forget_memory("m"),
        lambda client: client.erase(),
    ],
)
def test_what_was_not_removed_never_passes_for_removed(
    bare: Bare, removes: Callable[[Everturn], object], fault: Fault
) -> None:
    client, network, _ = bare(best_effort=True)
    network.meets([fault] * 10)
    with pytest.raises(errors.EverturnError):
        removes(client)


def test_the_etag_of_an_empty_result_overwrites_nothing(bare: Bare) -> None:
    client, network, _ = bare(best_effort=True)
    network.meets([lost_request] * 10)
    found = client.get_document("s", "k")
    assert found.failed
    with pytest.raises(errors.InvalidRequestError):
        client.put_document("s", "k", {}, expect=found.etag)


def test_an_unknown_outcome_is_a_failure_like_any_other(
    memory: Everturn, network: FaultyNetwork
) -> None:
    etag = memory.put_document("s", "k", 1).etag
    bearing = Everturn(
        "http://localhost",
        actor=memory._connection.actor,
        transport=network,
        clock=HandClock(),
        best_effort=True,
    )
    network.meets([lost_answer])
    assert bearing.put_document("s", "k", 2, expect=etag).failed == "unavailable"
