"""PATCH .../turns/{n} redacts one turn, DELETE .../turns/last takes the newest back."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.conversations.model import sealing
from everturn.conversations.model.sealing import SealLimits
from everturn.local.gateway import open_gateway
from functions.house import CONVERSATIONS, Door, House, Json, Parts, client_of, fault

SMALL = SealLimits(
    above_bytes=1_000, tail_bytes=250, tail_turns=4, max_tail_bytes=600, segment_bytes=2_000
)


def redact(house: House, number: object, body: object = None, id_: str = "c1") -> httpx.Response:
    return house.send("PATCH", id_, f"/turns/{number}", json={} if body is None else body)


def pop(house: House, expected: object, id_: str = "c1") -> httpx.Response:
    return house.send("DELETE", id_, "/turns/last", params={"expected_turn_count": expected})


@pytest.fixture
def sealed(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """The API with a conversation of 40 turns, most of them in a segment."""
    monkeypatch.setattr(sealing, "LIMITS", SMALL)
    for number in range(40):
        house.append("c1", f"turn {number:04d}")
    assert house.stored_json()["sealed"]["turns"] > 20
    return house


def test_a_redaction_is_answered_by_the_turn_as_it_reads_now(house: House) -> None:
    house.append_turns(
        "c1", [{"role": "user", "text": "SECRET", "intent_id": "SECRET", "metadata": {"SECRET": 1}}]
    )
    before = house.turns()[0]
    answer = redact(house, 0).json()
    turn = {"index": 0, "role": "user", "text": "", "ts": before["ts"], "redacted": True}
    assert answer == {
        "conversation_id": "c1", "turn": turn, "turn_count": 1, "complete": True,
        "updated": house.stored_json()["updated"],
    }  # fmt: skip
    assert house.turns() == [turn]
    assert b"SECRET" not in house.stored()


def test_a_text_may_take_its_place(house: House) -> None:
    house.append("c1", "a", "b")
    assert redact(house, 1, {"text": "[removed]"}).json()["turn"]["text"] == "[removed]"
    assert house.texts() == ["a", "[removed]"]


@pytest.mark.parametrize("number", [0, 20, 39])
def test_a_turn_is_redacted_wherever_it_stands(sealed: House, number: int) -> None:
    assert redact(sealed, number).status_code == 200
    texts = sealed.texts()
    assert (texts[number], len(texts)) == ("", 40)
    assert all(text for at, text in enumerate(texts) if at != number)


def test_list_and_title_forget_a_redacted_turn_at_once(house: House) -> None:
    house.append("c1", "SECRET", "b")
    house.listed()
    redact(house, 0)
    (row,) = house.read(CONVERSATIONS)["conversations"]
    assert (row["title"], row["preview"]) == ("b", "b")


@pytest.mark.parametrize("number", [2, 10**6])
def test_a_turn_that_is_not_there_is_not_found(house: House, number: int) -> None:
    house.append("c1", "a", "b")
    before = house.stored()
    assert fault(redact(house, number), 404)["code"] == "not_found"
    assert house.stored() == before


@pytest.mark.parametrize("number", ["-1", "x", "1.5", "0x1", "%20", "\u0661", "1e3", "1" * 1_001])
def test_a_number_that_is_none_is_refused(house: House, number: str) -> None:
    house.append("c1", "a", "b")
    assert fault(redact(house, number), 422)["field"]
    assert house.texts() == ["a", "b"]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"text": 5}, 422, "text"),
        ({"text": None}, 422, "text"),
        ({"text": "x" * 1_001}, 422, "text"),
        ({"role": "user"}, 422, "role"),
        ([], 400, None),
    ],
)
def test_a_wrong_body_is_refused(
    house: House, body: object, status: int, field: str | None
) -> None:
    house.append("c1", "a")
    assert fault(redact(house, 0, body), status).get("field") == field
    assert house.texts() == ["a"]


def test_a_pop_is_answered_by_the_turn_that_was_taken_back(house: House) -> None:
    house.append("c1", "a", "SECRET")
    turn = house.turns()[1]
    answer = pop(house, 2).json()
    assert answer == {
        "deleted": {"turns": 1}, "conversation_id": "c1", "turn": turn, "turn_count": 1,
        "updated": house.stored_json()["updated"], "complete": True,
    }  # fmt: skip
    assert house.texts() == ["a"]
    assert b"SECRET" not in house.stored()
    assert house.append("c1", "again").json()["first_turn"] == 1


def test_a_sealed_conversation_can_be_popped_down_to_nothing(sealed: House) -> None:
    for count in range(40, 0, -1):
        assert pop(sealed, count).json()["turn"]["text"] == f"turn {count - 1:04d}"
    assert sealed.texts() == []
    assert sealed.listed() == []


@pytest.mark.parametrize("expected", [1, 3])
def test_another_count_than_expected_is_a_conflict_that_names_the_field(
    house: House, expected: int
) -> None:
    house.append("c1", "a", "b")
    error = fault(pop(house, expected), 409)
    assert (error["code"], error["field"]) == ("conflict", "expected_turn_count")
    assert "actual=2" in error["message"]
    assert house.texts() == ["a", "b"]


@pytest.mark.parametrize("expected", [0, -1, "x", "", "1.5"])
def test_a_count_that_is_none_is_refused(house: House, expected: object) -> None:
    house.append("c1", "a")
    assert fault(pop(house, expected), 422)["field"] == "expected_turn_count"
    assert house.texts() == ["a"]


def test_a_pop_without_a_count_is_refused(house: House) -> None:
    house.append("c1", "a")
    error = fault(house.send("DELETE", "c1", "/turns/last"), 422)
    assert error["field"] == "expected_turn_count"
    assert house.texts() == ["a"]


def test_a_turn_has_no_other_route(house: House) -> None:
    house.append("c1", "a")
    fault(house.send("DELETE", "c1", "/turns/0"), 404)
    fault(house.send("PATCH", "c1", "/turns/0/", json={}), 404)
    assert house.texts() == ["a"]


@pytest.mark.parametrize("call", ["redact", "pop"])
def test_a_foreign_an_unknown_and_a_deleted_conversation_look_alike(
    house: House, call: str
) -> None:
    alice, bob = house.acting_as("alice"), house.acting_as("bob")
    alice.append("foreign", "secret")
    bob.append("deleted", "a")
    bob.send("DELETE", "deleted")
    errors: list[Json] = []
    for id_ in ("foreign", "unknown", "deleted"):
        answer = redact(bob, 0, id_=id_) if call == "redact" else pop(bob, 1, id_=id_)
        errors.append(fault(answer, 404))
        del errors[-1]["request_id"]
    assert errors[0] == errors[1] == errors[2]
    assert errors[0]["code"] == "not_found"
    assert alice.texts("foreign") == ["secret"]


def test_an_id_of_any_kind_works(house: House) -> None:
    house.append("a/b %2F\u00fc", "x", "y")
    assert redact(house, 0, id_="a/b %2F\u00fc").status_code == 200
    assert pop(house, 2, id_="a/b %2F\u00fc").status_code == 200
    assert house.texts("a/b %2F\u00fc") == [""]


@pytest.fixture
def versioned_house(tmp_path: Path) -> Iterator[House]:
    """The API over a bucket that keeps for 30 days what was replaced or removed."""
    store = MemoryStore(ManualClock())
    parts, log = Parts(Door(store), Door(store)), tmp_path / "handlers.log"
    environment = {"EVERTURN_STORE": str(tmp_path / "chosen"), "EVERTURN_VERSION_DAYS": "30"}
    with pytest.MonkeyPatch.context() as patch:
        for module in ("everturn.edge.api_function", "everturn.local.gateway"):
            patch.setattr(f"{module}.open_backends", lambda _: parts)
        gateway = open_gateway(environment, log=log)
    with client_of(gateway) as client:
        yield House(gateway, parts, log, client)


def test_every_receipt_says_when_the_kept_versions_are_gone(versioned_house: House) -> None:
    """A version of 2026-01-01T00:00Z is removed at the midnight 30 days later."""
    house = versioned_house
    house.append("c1", "a", "b")
    answers = [redact(house, 0).json(), pop(house, 2).json(), house.send("DELETE", "c1").json()]
    kept = {"days": 30, "gone": "2026-01-31T00:00:00Z"}
    assert [answer["noncurrent_versions"] for answer in answers] == [kept] * 3
