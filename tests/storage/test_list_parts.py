"""Listing in parallel: all keys once, whatever the edges are."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.adapters.memory_store import MemoryStore
from everturn.adapters.system_clock import ManualClock
from everturn.ports.object_store import ANY, ObjectStore
from everturn.storage.list_keys import Listing, list_parts
from everturn.values.keys import head_key, heads_prefix
from fakes.interleaved_store import InterleavedStore
from scenarios.process import SCOPE

PREFIX = heads_prefix(SCOPE)
names = st.text("abc.-~", max_size=3)


def stored(keys: set[str], *, page_keys: int = 3) -> MemoryStore:
    store = MemoryStore(ManualClock(), page_keys=page_keys)
    for key in keys:
        store.overwrite(key, key.encode())
    return store


def listed(store: ObjectStore, *edges: str) -> Listing:
    with ThreadPoolExecutor(4) as executor:
        return list_parts(store=store, prefix=PREFIX, edges=lambda _: edges, executor=executor)


def keys_of(listing: Listing) -> list[str]:
    return [key for page in listing.pages for key in page.keys]


@given(st.sets(names), st.lists(names | names.map(PREFIX.__add__)), st.integers(1, 4))
def test_every_key_is_listed_once_and_in_order_whatever_the_edges_are(
    found: set[str], edges: list[str], page_keys: int
) -> None:
    keys = {f"{PREFIX}{name}.json" for name in found}
    store = stored(keys | {"c/acme/anna/x.json", "d"}, page_keys=page_keys)
    listing = listed(store, *edges)

    assert keys_of(listing) == sorted(keys)
    assert keys_of(listed(store, *listing.edges())) == sorted(keys)
    for page in listing.pages:
        assert len(page.keys) == len(page.etags) == len(page.sizes) == len(page.modified_ns)


@given(st.sets(names, min_size=1), st.sets(names), st.sets(names))
def test_what_comes_and_goes_since_the_edges_were_known_is_listed(
    before: set[str], gone: set[str], new: set[str]
) -> None:
    store = stored({f"{PREFIX}{name}.json" for name in before})
    edges = listed(store).edges()
    for name in gone:
        store.delete(f"{PREFIX}{name}.json", expect=ANY)
    for name in new:
        store.overwrite(f"{PREFIX}{name}.json", b"")

    wanted = {f"{PREFIX}{name}.json" for name in (before - gone) | new}
    assert keys_of(listed(store, *edges)) == sorted(wanted)


@pytest.mark.parametrize(("keys", "pages"), [(0, 1), (1, 1), (9, 3), (10, 4), (11, 4)])
def test_known_edges_cost_no_more_pages_than_one_after_the_other(keys: int, pages: int) -> None:
    store = InterleavedStore(stored({head_key(SCOPE, f"c{number:02}") for number in range(keys)}))
    edges = listed(store).edges()
    assert (len(store.verbs), len(edges)) == (pages, pages - 1)
    listed(store, *edges)
    assert len(store.verbs) == 2 * pages


def test_a_key_more_costs_one_page_more_until_the_edges_are_known_anew() -> None:
    inner = stored({head_key(SCOPE, f"c{number:02}") for number in range(12)})
    edges = listed(inner).edges()
    inner.overwrite(head_key(SCOPE, "c035"), b"")
    store = InterleavedStore(inner)

    again = listed(store, *edges)
    assert (len(keys_of(again)), len(store.verbs)) == (13, 5)
    assert len(listed(store, *again.edges()).pages) == 5


def test_the_newest_heads_come_first() -> None:
    clock = ManualClock()
    store = MemoryStore(clock)
    for name in ("b.json", "a.json", "c.json"):
        store.overwrite(PREFIX + name, b"")
        clock.sleep(1)

    wanted = [PREFIX + name for name in ("a.json", "b.json", "none.json")]
    assert listed(store).newest_first(wanted) == wanted[:2]
