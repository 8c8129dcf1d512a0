"""Every request of every route is one that the credentials of its scope allow, and no others."""

from dataclasses import dataclass, field

import httpx
import pytest

from emulation.counting_store import CountingStore
from everturn.adapters.memory_store import MemoryStore
from everturn.local.bundle import find_bundle
from everturn.local.routing import RouteTable
from everturn.local.template import read_routes
from everturn.values.job import Job
from everturn.values.keys import Scope, key_token
from fakes.fake_embedder import FakeEmbedder
from fakes.listed_queue import ListedQueue
from functions.every_route import CALLS, ROUTES, Call, prepare
from functions.house import House, embedders_of
from functions.jobs import Jobs
from template.scope_access import DATA, DERIVED, Asked, ScopeAccess

ACCESS = ScopeAccess()
FUNCTION_OF = {route.key: route.function.name for route in read_routes(find_bundle().template)}
TABLE = RouteTable(FUNCTION_OF)
ALICE = Scope("acme", "alice")
SCOPES = [
    ALICE,
    Scope("acme", "al"),
    Scope("acme", "Alice"),
    Scope("other", "alice"),
    Scope("a", "b/c"),
    Scope("a/b", "c"),
    Scope("a*", "?"),
    Scope("*", "*"),
    Scope("${aws:PrincipalTag/tenant}", "${aws:PrincipalTag/actor}"),
    Scope("-", "~"),
    # A plain id that another's hash is, but for what a hash begins with.
    Scope(key_token("a/b")[1:], key_token("b/c")[1:]),
]
NAMES = [f"{scope.tenant} {scope.actor}" for scope in SCOPES]


@dataclass
class Watch:
    """Writes down what each function asks of the stores while it works for one scope."""

    house: House
    doors: dict[str, CountingStore]
    asked: list[tuple[str, Asked]] = field(default_factory=list)

    def note(self, function: str) -> None:
        """All that was asked since belongs to this function."""
        for bucket, door in self.doors.items():
            for verb, keys in door.calls:
                # One delete_many has many keys; no key holds a blank.
                parts = keys.split(" ") if verb == "delete_many" else [keys]
                self.asked += ((function, Asked(bucket, verb, key)) for key in parts)
            door.calls.clear()

    def __call__(self, response: httpx.Response) -> None:
        """Note what a request asked."""
        raw_path = response.request.url.raw_path.decode("ascii").partition("?")[0]
        match = TABLE.match(response.request.method, raw_path)
        assert match
        self.note(FUNCTION_OF[match.key])

    def acting_as(self, scope: Scope) -> House:
        house = self.house.acting_as(scope.actor, scope.tenant)
        house.client.event_hooks["response"].append(self)
        return house


@pytest.fixture
def watch(jobs: Jobs) -> Watch:
    """Two stores, as deployed, and one embedder that has vectors to be kept."""
    house = jobs.house
    clock = house.clock
    doors = {bucket: CountingStore(MemoryStore(clock)) for bucket in (DATA, DERIVED)}
    house.parts.data.settle(doors[DATA])
    house.parts.derived.settle(doors[DERIVED])
    house.parts.embedders = embedders_of(FakeEmbedder())
    jobs.daily_tokens = 1_000_000
    jobs.ask()
    return Watch(house, doors)


def _story(watch: Watch, jobs: Jobs, scope: Scope) -> None:
    """Every route, warm and cold, with jobs in between, and with a queue that is full."""
    house = watch.acting_as(scope)
    rid = prepare(house)
    for number, letter in enumerate("abcd"):
        assert house.append("long", letter * 100_000, key=f"k{number}").is_success
    assert house.append_turns("many", [{"role": "user", "text": "I like 9."}] * 130).is_success
    for id_ in ("c1", "long", "many"):
        assert jobs.deliver(Job(scope, id_).encode()) == []
        watch.note("Consolidate")
    reading = [call for call in CALLS if call.method != "DELETE"]
    taking = [call for call in CALLS if call.method == "DELETE"]
    for calls in (reading, reading, _with_a_full_queue(watch), taking):
        house.parts.forget()
        for call in calls:
            # By its second time a promoted pattern or a removed one may say no; that asks as well.
            assert call.send(house, rid=rid, count="3").status_code < 500
        assert jobs.deliver(Job(scope, "c1").encode()) == []
        watch.note("Consolidate")


def _with_a_full_queue(watch: Watch) -> list[Call]:
    watch.house.parts.join(ListedQueue(watch.house.clock, max_depth=0))
    return [call for call in CALLS if call.route.endswith(("/turns", "/consolidate"))]


# One house of the two: its stores are replaced.
once = pytest.mark.parametrize("house", ["directory"], indirect=True)


@once
@pytest.mark.parametrize(
    "scope",
    [*SCOPES[:1], *(pytest.param(scope, marks=pytest.mark.slow) for scope in SCOPES[1:])],
    ids=NAMES,
)
def test_a_request_is_allowed_to_its_own_scope_and_denied_to_any_other(
    watch: Watch, jobs: Jobs, scope: Scope
) -> None:
    _story(watch, jobs, scope)
    assert {function for function, _ in watch.asked} == {*FUNCTION_OF.values(), "Consolidate"}
    assert len(watch.asked) > 5 * len(ROUTES)
    by_itself = [one for one in watch.asked if ACCESS.reached_by_itself(*one)]
    in_scope = [one for one in watch.asked if one not in by_itself]
    refused = [one for one in in_scope if not ACCESS.reached(one[0], scope, one[1])]
    assert refused == []
    for other in SCOPES:
        reached = {
            asked.key
            for _, asked in in_scope
            if other != scope and ACCESS.reached_by_scope(other, asked)
        }
        assert reached <= _shared(scope, other)
    assert {asked.key.partition("/")[0] for _, asked in by_itself} == {"dirty"}


def _shared(scope: Scope, other: Scope) -> set[str]:
    """The role lets markers be listed, policies but for one do not; tokens are a tenant's."""
    tokens = {f"i/{key_token(scope.tenant)}/.tokens"} if scope.tenant == other.tenant else set()
    return {"dirty/", *tokens}


@once
def test_all_that_lies_in_the_stores_is_in_the_story(watch: Watch, jobs: Jobs) -> None:
    """Else a kind of key could be one that no scope may reach, and nobody would see it."""
    _story(watch, jobs, ALICE)
    kinds = {(asked.bucket, asked.key.partition("/")[0]) for _, asked in watch.asked}
    assert kinds == {
        *((DATA, letter) for letter in "csmwxqo"),
        *((DERIVED, letter) for letter in "iv"),
        (DERIVED, "dirty"),
    }
    assert any(asked.key == "i/acme/.tokens" for _, asked in watch.asked)


@once
def test_what_a_process_keeps_of_one_scope_is_kept_under_its_name(watch: Watch) -> None:
    """So that no user is answered from what another one was read."""
    kept: list[set[object]] = []
    for scope in (ALICE, Scope("acme", "bob")):
        house = watch.acting_as(scope)
        parts = house.parts
        parts.forget()
        rid = prepare(house)
        for call in CALLS:
            if call.method != "DELETE":
                call.send(house, rid=rid, count="3")
        caches = [
            parts.indexes.indexes, parts.indexes.segments, parts.memories.records,
            parts.memories.rows, parts.memories.watermarks, parts.memory_indexes.indexes,
        ]  # fmt: skip
        keys: set[object] = {key for cache in caches for key in cache._kept}  # type: ignore[attr-defined]
        assert keys
        kept.append(keys | set(parts.heads._bases))
    assert not kept[0] & kept[1]
