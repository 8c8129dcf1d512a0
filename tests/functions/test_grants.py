"""What the routes of memory ask of the stores, their functions' roles allow."""

from collections.abc import Callable
from functools import partial
from typing import Final

import pytest

from fakes.fake_embedder import FakeEmbedder
from fakes.listed_queue import ListedQueue
from fakes.wrapped_store import Verb
from functions.house import House, Json, embedders_of
from functions.remembered import (
    MEMORIES,
    at,
    post,
    prove,
    remember,
    retrieve,
    send,
)
from template.policies import Request, decision, role_of, statements_of
from template.resolved import resolved

# A put or a delete with a condition has to read as well; lists are allowed everywhere.
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
_ACTIONS: Final[dict[Verb, tuple[str, ...]]] = {
    "get": ("s3:GetObject",),
    "put": ("s3:PutObject", "s3:GetObject"),
    "overwrite": ("s3:PutObject",),
    "delete": ("s3:DeleteObject", "s3:GetObject"),
    "delete_many": ("s3:DeleteObject",),
    "list": (),
}


class Watched:
    """A house whose requests are checked against the role of a function."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.refused: set[tuple[str, str, str]] = set()
        self._template = resolved()

    def runs(self, function: str, *sends: Callable[[], object]) -> None:
        """Let a function answer, and note what it may not do."""
        for send_one in sends:
            doors = {"DataBucket": self.house.data, "DerivedBucket": self.house.parts.derived}
            for door in doors.values():
                door.calls.clear()
            send_one()
            for bucket, door in doors.items():
                for verb, key in door.calls:
                    self._check(function, verb, f"arn:{bucket}/{key}")

    def _check(self, function: str, verb: Verb, resource: str) -> None:
        statements = statements_of(self._template, role_of(self._template, function))
        for action in _ACTIONS[verb]:
            if decision(statements, Request(action, resource)) != "allowed":
                self.refused.add((function, action, resource))


@pytest.fixture
def watched(directory_house: House) -> Watched:
    directory_house.parts.embedders = embedders_of(FakeEmbedder())
    return Watched(directory_house)


def _fill(watched: Watched) -> None:
    """Twenty memories are enough for the files of an index."""
    for number in range(20):
        watched.runs("Append", partial(_say, watched.house, number))
        watched.runs("Remember", partial(_remember, watched.house, number))


def _say(house: House, number: int) -> None:
    assert house.append(f"c{number % 4}", "We deploy on port 80.").is_success


def _remember(house: House, number: int) -> None:
    source = {"conversation_id": f"c{number % 4}", "from": number // 4}
    remember(house, f"The port of {number} is 80.", source=source)


def test_keeping_memories_needs_no_more_than_the_role_allows(watched: Watched) -> None:
    house = watched.house
    _fill(watched)
    pattern, fact = prove(house), remember(house, "x is y")
    watched.runs(
        "Remember",
        lambda: house.read(MEMORIES, superseded="true"),
        lambda: house.client.patch(at(fact["id"]), json={"statement": "x is z"}),
        lambda: house.client.patch(at(fact["id"]), json={"pinned": True}),
        lambda: house.read(at(fact["id"])),
        lambda: house.client.delete(at(pattern["id"])),
    )
    house.send("DELETE", "c1")
    late: Json = {"kind": "fact", "statement": "late", "source": {"conversation_id": "c1"}}
    watched.runs("Remember", lambda: send(house, **late))
    assert watched.refused == set()


def test_a_memory_of_a_sealed_turn_needs_no_more_than_the_role_allows(watched: Watched) -> None:
    house = watched.house
    for letter in "abcd":
        assert house.append("long", letter * 100_000).is_success
    source = {"conversation_id": "long", "from": 0}
    watched.runs("Remember", lambda: remember(house, "x is y", source=source))
    assert [key for _, key in house.data.calls if key.startswith("s/")]
    assert watched.refused == set()


def test_outcomes_and_skills_of_patterns_need_no_more_than_the_role_allows(
    watched: Watched,
) -> None:
    house = watched.house
    _fill(watched)
    pattern = prove(house)
    source = {"conversation_id": "c1"}
    for _ in range(2):
        watched.runs(
            "Patterns",
            lambda: house.client.post(
                at(pattern["id"], "/outcomes"), json={"status": "success", "source": source}
            ),
            lambda: house.client.post(at(pattern["id"], "/promote"), json={}),
        )
        assert house.client.delete(at(remember(house, "x is y")["id"])).is_success
        house.parts.forget()
    assert watched.refused == set()


def test_retrieval_needs_no_more_than_the_role_allows(watched: Watched) -> None:
    house = watched.house
    _fill(watched)
    for _ in range(2):
        watched.runs(
            "Retrieve",
            lambda: retrieve(house, "which port"),
            lambda: post(house, "/v1/memories/pinned"),
            lambda: post(house, "/v1/memories/procedural", goal="x"),
            lambda: post(house, "/v1/context", query="which port", conversation_id="c1"),
            lambda: post(house, "/v1/context", query="which port"),
        )
        house.parts.forget()
    assert watched.refused == set()


def test_what_takes_a_source_back_needs_no_more_than_the_role_allows(watched: Watched) -> None:
    house = watched.house
    _fill(watched)
    retrieve(house, "which port")
    last = "/turns/last?expected_turn_count=5"
    for send_one in (
        lambda: house.send("PATCH", "c0", "/turns/0", json={}),
        lambda: house.send("DELETE", "c0", last),
    ):
        _consolidated(house, "c0")
        watched.runs("Turns", send_one)
    _consolidated(house, "c1")
    watched.runs("Conversations", lambda: house.send("DELETE", "c1"))
    watched.runs("Actor", lambda: house.client.get("/v1/export"))
    _consolidated(house, "c2")
    watched.runs("Actor", lambda: house.client.delete("/v1/me"))
    assert watched.refused == set()


def _consolidated(house: House, id_: str) -> None:
    """Let there be all that consolidation keeps of a conversation."""
    for kind in ("x", "q"):
        house.data.inner.overwrite(f"{kind}/local/local/{id_}/000000000000.json", b"{}")
    house.data.inner.overwrite(f"w/local/local/{id_}.json", b"{}")
    house.parts.derived.inner.overwrite(f"dirty/0000000001/local/local/{id_}", b"{}")


def test_an_offer_that_is_refused_needs_no_more_than_the_role_allows(watched: Watched) -> None:
    house = watched.house
    house.parts.join(ListedQueue(house.clock, max_depth=0))
    watched.runs("Append", lambda: house.append("c1", "a"))
    assert house.parts.derived.verbs() == ["overwrite"]
    watched.runs("Append", lambda: house.send("POST", "c1", "/consolidate"))
    assert watched.refused == set()
