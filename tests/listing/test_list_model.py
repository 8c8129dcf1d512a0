"""Lists against brute force: any changes between them, any file of the cache lost, races of two."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.conversations.model.head import Head, parse_record
from everturn.conversations.model.patch import Patch
from everturn.conversations.model.summary import Summary
from everturn.errors import ConversationGoneError, NotFoundError
from everturn.listing.list_conversations import Filters, list_conversations
from everturn.listing.model.cache_root import CacheLimits
from everturn.listing.model.cached_row import place_of, row_of
from everturn.listing.walk_rows import open_rows
from everturn.ports.object_store import ANY, StoredObject
from everturn.values.keys import head_key, heads_prefix
from fakes.content_etags import ContentEtags
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE
from scenarios.world import World

LIMITS = CacheLimits(whole_rows=3, recent_rows=2, run_rows=2, walked_rows=4)
NAMES = [f"c{number}" for number in range(9)] + ["\u00fcber", "a/b"]
LAST_NS = 10**18


@dataclass(frozen=True)
class Step:
    """One change, or one loss of cache files."""

    kind: str
    name: str = ""
    number: int = 0


def _steps(*kinds: str) -> st.SearchStrategy[Step]:
    return st.builds(Step, st.sampled_from(kinds), st.sampled_from(NAMES), st.integers(0, 5))


CHANGES = _steps("append", "append", "append", "patch", "delete", "foreign", "remove", "corrupt")
LOSSES = _steps("lose", "break")


ETAGS = st.sampled_from(["counted", "of content"])


def _world(etags: str) -> World:
    """Pages of three keys; etags that never come again, or those of S3, which do."""
    clock = ManualClock()
    store = ContentEtags if etags == "of content" else MemoryStore
    return World(clock=clock, data=store(clock, page_keys=3))


def _foreign(name: str, number: int) -> bytes:
    """A head of another program: with any `updated`, and a turn that may be newer than it."""
    turn = f'{{"role":"user","text":"{number}","ts":"2001-{2 * number + 1:02}-01T00:00:00Z"}}'
    ns = [0, -62_135_596_800 * 10**9, LAST_NS, 1_000_000_000 * 10**9, 1, LAST_NS]
    return Head(name).with_turns([turn.encode()], updated_ns=ns[number]).encode()


def _files(world: World) -> list[str]:
    return [entry.key for entry in world.derived.list("i/").entries]


def _lose(world: World, step: Step) -> None:
    """Remove or break every file, or each that a number chooses."""
    for at, key in enumerate(_files(world)):
        if step.number == 0 or at % step.number == 0:
            if step.kind == "lose":
                world.derived.delete(key, expect=ANY)
            else:
                world.derived.overwrite(key, b"{")


def _do(world: World, step: Step) -> None:
    process = world.process()
    world.clock.sleep(0.5)
    match step.kind:
        case "append":
            process.append(f"text {step.number}", to=step.name)
        case "patch":
            folder, archived = f"f{step.number % 2}", bool(step.number % 3)
            process.patch(Patch(folder=folder, archived=archived), step.name)
        case "delete":
            process.delete(step.name)
        case "foreign":
            world.place(_foreign(step.name, step.number), step.name)
        case "remove":
            world.remove(step.name)
        case "corrupt":
            world.place(b"{", step.name)
        case _:
            _lose(world, step)


def apply(world: World, step: Step) -> None:
    """Do it, if what is there allows it."""
    try:
        _do(world, step)
    except (NotFoundError, ConversationGoneError):
        return
    except Exception as error:
        if type(error).__name__ != "CorruptRecordError":
            raise


def _all_rows(world: World) -> tuple[list[tuple[Summary, int]], int]:
    """Every row with its newest `ts`, and how many heads are unreadable, without any cache."""
    rows, unreadable, after, more = [], 0, "", True
    while more:
        page = world.data.list(heads_prefix(SCOPE), start_after=after)
        for key in page.keys:
            stored = world.data.get(key)
            assert isinstance(stored, StoredObject)
            try:
                record = parse_record(stored.body, name=key)
            except Exception:  # noqa: BLE001  # whatever it is, the list has to live with it
                unreadable += 1
                continue
            cached = row_of(record, key=key, etag=stored.etag)
            unreadable += cached.unreadable
            if cached.row is not None:
                rows.append((cached.row, cached.newest_ns))
        after, more = page.keys[-1] if page.keys else "", page.more
    return sorted(rows, key=lambda item: place_of(item[0])), unreadable


def _walk(world: World, limit: int, filters: Filters) -> tuple[list[Summary], set[int]]:
    rows: list[Summary] = []
    cursor, skipped = None, set()
    for _ in range(50):
        page = list_conversations(
            data=world.data, derived=world.derived, clock=world.clock, scope=SCOPE,
            limit=limit, cursor=cursor, filters=filters, limits=LIMITS,
        )  # fmt: skip
        rows += page.rows
        skipped.add(page.skipped)
        cursor = page.next_cursor
        assert len(page.rows) == limit or filters != Filters() or cursor is None
        if cursor is None:
            return rows, skipped
    raise AssertionError("a walk without an end")


def _check(world: World, limit: int) -> None:
    wanted, unreadable = _all_rows(world)
    for filters in (Filters(), Filters(folder="f1"), Filters(archived=False, title_part="3")):
        rows, skipped = _walk(world, limit, filters)
        assert rows == [row for row, _ in wanted if filters.match(row)]
        assert skipped == {unreadable}
    with open_rows(
        data=world.data, derived=world.derived, scope=SCOPE, clock=world.clock, limits=LIMITS
    ) as walk:
        listed = list(walk.newest_turn_first())
        assert [item.row for item in walk.newest_first()] == [row for row, _ in wanted]
        assert walk.read == 0
    assert [(item.row, item.newest_ns) for item in listed] == sorted(
        wanted, key=lambda item: (-max(item[0].updated_ns, item[1]), item[0].conversation_id)
    )
    assert [item.key for item in listed] == [
        head_key(SCOPE, item.row.conversation_id) for item in listed
    ]


@given(
    st.lists(st.tuples(st.lists(CHANGES | LOSSES, max_size=8), st.integers(1, 4)), max_size=6),
    st.lists(CHANGES, min_size=6, max_size=14),
    ETAGS,
)
def test_a_list_shows_what_brute_force_finds(
    rounds: list[tuple[list[Step], int]], first: list[Step], etags: str
) -> None:
    world = _world(etags)
    for steps, limit in [(first, 3), *rounds]:
        for step in steps:
            apply(world, step)
        _check(world, limit)


@given(
    st.lists(CHANGES, min_size=6, max_size=14),
    st.lists(CHANGES, max_size=6),
    st.lists(CHANGES | LOSSES, max_size=6),
    st.sampled_from(["get", "list", "put", "overwrite", "delete_many"]),
    st.integers(1, 4),
    st.booleans(),
    ETAGS,
)
def test_two_lists_at_once_leave_a_cache_that_shows_nothing_wrong(  # noqa: PLR0917
    first: list[Step],
    before: list[Step],
    meanwhile: list[Step],
    verb: str,
    number: int,
    in_data: bool,  # noqa: FBT001
    etags: str,
) -> None:
    """Another list, after some changes, comes between any two requests of a list."""
    world = _world(etags)
    for step in first:
        apply(world, step)
    _check(world, 2)
    for step in before:
        apply(world, step)

    def between() -> None:
        for step in meanwhile:
            apply(world, step)
        _walk(world, 3, Filters())

    place: dict[tuple[str, int], Callable[[], object]] = {(verb, number): between}
    slow = InterleavedStore(world.data if in_data else world.derived, before=place)  # type: ignore[arg-type]
    list_conversations(
        data=slow if in_data else world.data,
        derived=world.derived if in_data else slow,
        clock=world.clock, scope=SCOPE, limits=LIMITS,
    )  # fmt: skip
    _check(world, 2)
