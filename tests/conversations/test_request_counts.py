"""What each use case costs in requests on a quiet store."""

import pytest

from everturn.conversations.model.patch import Patch
from everturn.errors import ConversationGoneError
from fakes.interleaved_store import InterleavedStore
from scenarios.process import Process
from scenarios.world import World


@pytest.fixture
def store(world: World) -> InterleavedStore:
    return InterleavedStore(world.data)


@pytest.fixture
def process(world: World, store: InterleavedStore) -> Process:
    return world.process(store)


def test_a_first_append_is_two_requests(process: Process, store: InterleavedStore) -> None:
    process.append("a")

    assert store.verbs == ["get", "put"]


def test_a_warm_append_is_one_request(process: Process, store: InterleavedStore) -> None:
    process.append("a")
    store.verbs.clear()
    for text in "bcd":
        process.append(text)

    assert store.verbs == ["put"] * 3


def test_a_warm_append_with_a_key_and_the_right_count_is_one_request(
    process: Process, store: InterleavedStore
) -> None:
    process.append("a")
    store.verbs.clear()
    process.append("b", key="k", expected=1, must_exist=True)

    assert store.verbs == ["put"]


def test_a_cold_append_is_two_requests(
    world: World, process: Process, store: InterleavedStore
) -> None:
    world.process().append("a")
    process.append("b")

    assert store.verbs == ["get", "put"]


def test_an_append_after_another_writer_is_three_requests_and_warm_again(
    world: World, process: Process, store: InterleavedStore
) -> None:
    process.append("a")
    world.process().append("b")
    store.verbs.clear()
    process.append("c")
    process.append("d")

    assert store.verbs == ["put", "get", "put", "put"]


def test_a_replayed_append_is_one_read(process: Process, store: InterleavedStore) -> None:
    process.append("a", key="k")
    store.verbs.clear()
    process.append("a", key="k")

    assert store.verbs == ["get"]


def test_an_append_of_blanks_never_writes(process: Process, store: InterleavedStore) -> None:
    process.append(" ")
    process.append("a")
    process.append(" ")

    assert store.verbs == ["get", "get", "put", "get"]


@pytest.mark.parametrize("conversation_id", [None, "chosen"])
def test_a_create_with_a_fresh_id_is_one_request(
    process: Process, store: InterleavedStore, conversation_id: str | None
) -> None:
    process.create(conversation_id)

    assert store.verbs == ["put"]


def test_the_append_after_a_create_is_one_request(
    process: Process, store: InterleavedStore
) -> None:
    made = process.create(None)
    store.verbs.clear()
    process.append("a", to=made.summary.conversation_id)

    assert store.verbs == ["put"]


def test_a_create_of_what_exists_is_two_requests(process: Process, store: InterleavedStore) -> None:
    process.create()
    store.verbs.clear()
    process.create()

    assert store.verbs == ["put", "get"]


def test_a_resume_of_sixteen_turns_is_one_request(
    process: Process, store: InterleavedStore
) -> None:
    for number in range(40):
        process.append(str(number))
    store.verbs.clear()
    page = process.read(last=16)

    assert [turn.index for turn in page.turns] == list(range(24, 40))
    assert store.verbs == ["get"]


def test_a_patch_is_two_requests_and_leaves_the_head_warm(
    world: World, process: Process, store: InterleavedStore
) -> None:
    world.process().append("a")
    process.patch(Patch(title="t"))
    assert store.verbs == ["get", "put"]

    process.append("b")
    assert store.verbs == ["get", "put", "put"]


def test_a_patch_that_changes_nothing_is_one_read(
    process: Process, store: InterleavedStore
) -> None:
    process.create(title="t")
    store.verbs.clear()
    process.patch(Patch(title="t"))

    assert store.verbs == ["get"]


def test_a_delete_looks_at_every_place_where_something_of_it_may_lie(
    process: Process, store: InterleavedStore
) -> None:
    """The tombstone, the four places, memories, the tombstone again: done."""
    process.append("a")
    store.verbs.clear()
    process.delete()

    assert store.verbs == ["get", "put", "get", *["list"] * 5, "get", "put"]


def test_an_append_after_a_delete_by_this_process_is_one_read(
    process: Process, store: InterleavedStore
) -> None:
    process.append("a")
    process.delete()
    store.verbs.clear()
    with pytest.raises(ConversationGoneError):
        process.append("b")

    assert store.verbs == ["get"]


@pytest.mark.parametrize(("conversations", "pages"), [(0, 1), (3, 1), (10, 1), (25, 3)])
def test_a_list_of_unchanged_conversations_reads_the_cache_and_the_listing_alone(
    conversations: int, pages: int
) -> None:
    world = World(page_keys=10)
    for number in range(conversations):
        world.process().append("a", to=f"c{number}")
    world.process().list_page()
    data, derived = InterleavedStore(world.data), InterleavedStore(world.derived)
    process = Process(data, world.clock, world.entropy, derived)

    page = process.list_page(limit=100)

    assert len(page.rows) == conversations
    assert data.verbs == ["list"] * pages
    assert derived.verbs == ["get"]


def test_a_list_reads_the_changed_heads_alone_and_writes_the_cache_once(world: World) -> None:
    writer = world.process()
    for number in range(10):
        writer.append("a", to=f"c{number}")
    writer.list_page()
    writer.append("b", to="c3")
    writer.delete("c5")
    writer.append("b", to="new")
    data, derived = InterleavedStore(world.data), InterleavedStore(world.derived)

    page = Process(data, world.clock, world.entropy, derived).list_page()

    assert page.read == 3
    assert sorted(data.verbs) == ["get", "get", "get", "list"]
    assert derived.verbs == ["get", "put"]


def test_tombstones_and_empty_conversations_are_not_read_again(world: World) -> None:
    process = world.process()
    process.create("empty")
    process.append("a", to="deleted")
    process.delete("deleted")

    assert process.list_page().read == 2
    again = process.list_page()

    assert (again.read, again.rows) == (0, ())
