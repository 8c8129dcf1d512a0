"""The files of a long list: runs and index, and how rows are folded into them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everturn.conversations.model.summary import Summary
from everturn.listing.model.cache_root import CacheLimits
from everturn.listing.model.cached_row import CachedRow, RowRun, decode_run, place_of, run_of
from everturn.listing.model.compaction import Fold, Kept, fold, is_long
from everturn.listing.model.list_index import NO_RUN, ListIndex, compare, decode_index, encode_index
from everturn.values.go_json import dumps
from everturn.values.keys import key_token
from strategies.json_values import json_values, texts

LIMITS = CacheLimits(whole_rows=4, recent_rows=2, run_rows=3)
ids = st.sampled_from(["a", "b", "B", "c.1", "\u00fcber", "x/y", "~", "z" * 200])
times = st.integers(0, 5) | st.sampled_from([-62_135_596_800 * 10**9, -(2**63), 4 * 10**18])
rows_of_ids = st.dictionaries(
    ids, st.tuples(times, texts, texts, st.integers(0, 9), st.none() | texts), max_size=8
)


def key_of(conversation_id: str) -> str:
    return f"c/t/a/{key_token(conversation_id)}.json"


def cached(
    conversation_id: str, updated_ns: int = 1, etag: str = '"e"', title: str = ""
) -> CachedRow:
    return CachedRow(etag, Summary(conversation_id, title, "", 1, updated_ns))


def rows(drawn: dict[str, tuple[int, str, str, int, str | None]]) -> dict[str, CachedRow]:
    return {
        key_of(own): CachedRow(
            f'"{number}"', Summary(own, title, preview, 1, updated_ns, folder), newest
        )
        for number, (own, (updated_ns, title, preview, newest, folder)) in enumerate(drawn.items())
    }


def known(index: ListIndex) -> dict[str, str]:
    return dict(zip(index.keys, index.etags, strict=True))


def folded(found: dict[str, CachedRow]) -> tuple[Fold, ListIndex, list[RowRun]]:
    """Fold rows into an empty cache."""
    made = fold(Kept(ListIndex(), ()), found, runs=(), merged=frozenset(), limits=LIMITS)
    index = decode_index(made.files[made.index])
    assert index is not None
    return made, index, [decode_run(made.files[name]) for name in made.runs]


@given(rows_of_ids)
def test_a_run_gives_each_row_at_its_etag_and_no_other(
    drawn: dict[str, tuple[int, str, str, int, str | None]],
) -> None:
    found = rows(drawn)
    run = decode_run(run_of(found).encode())
    assert {key: run.row(key, row.etag) for key, row in found.items()} == found
    assert not any(run.row(key, "other") for key in found)
    assert run.row("c/t/a/none.json", '"0"') is None
    some = frozenset(list(found)[::2])
    left = decode_run(run.without(some).encode())
    for key, row in found.items():
        assert left.row(key, row.etag) == (None if key in some else row)


def test_a_row_that_stands_under_another_key_is_none() -> None:
    body = run_of({key_of("a"): cached("a")}).encode()
    assert decode_run(body.replace(b"a.json", b"b.json", 1)).row(key_of("b"), '"e"') is None


@given(st.binary() | json_values.map(dumps).map(str.encode), st.binary())
def test_no_bytes_break_a_reader(body: bytes, more: bytes) -> None:
    run = decode_run(body + b"\n" + more)
    assert run.row(key_of("a"), '"e"') is None
    assert decode_index(body) is None
    assert decode_index(body + b"\n" + more + b"\na\nb") is None


@pytest.mark.parametrize("at", range(6))
def test_an_index_whose_columns_differ_in_length_is_none(at: int) -> None:
    _, index, _ = folded({key_of(own): cached(own) for own in "abc"})
    body = encode_index(index)
    lines = body.split(b"\n", 3)
    wrong = [
        [*lines[:1], lines[1] + b"\tx", *lines[2:]],
        [*lines[:2], lines[2] + b"\tx", *lines[3:]],
        [*lines[:3], lines[3][:-4]],
        [*lines[:3], lines[3] + b"four"],
        lines[:3],
        [b'{"ids":{}}', *lines[1:]],
    ]
    assert decode_index(b"\n".join(wrong[at])) is None


@given(rows_of_ids, st.lists(ids))
def test_folded_rows_stand_in_order_each_in_the_run_that_the_index_says(
    drawn: dict[str, tuple[int, str, str, int, str | None]], hidden: list[str]
) -> None:
    shown = rows(drawn)
    blind = {
        f"c/t/a/h{number}.json": CachedRow("h", None, unreadable=own == "a")
        for number, own in enumerate(hidden)
    }
    made, index, runs = folded({**shown, **blind})

    wanted = sorted((place_of(row.row), key) for key, row in shown.items() if row.row)
    assert [(index.place(at), index.keys[at]) for at in index.order] == wanted
    assert index.keys == sorted({**shown, **blind})
    for at in index.order:
        key = index.keys[at]
        assert runs[index.runs[at]].row(key, index.etags[at]) == shown[key]
    assert {index.keys[at] for at in index.unreadable} == {
        key for key, row in blind.items() if row.unreadable
    }
    assert all(index.runs[at] == NO_RUN for at, key in enumerate(index.keys) if key in blind)
    assert {key: shown[key].newest_ns for key in index.ahead} == index.ahead
    assert set(index.ahead) == {
        key for key, row in shown.items() if row.row and row.newest_ns > row.row.updated_ns
    }
    assert known(index) == {key: row.etag for key, row in {**shown, **blind}.items()}
    assert set(made.files) == {made.index, *made.runs}
    assert decode_index(encode_index(index)) == index
    for place, _ in wanted:
        behind = [index.place(at) for at in index.newest_first(place)]
        assert behind == [other for other, _ in wanted if other > place]


@given(st.lists(st.lists(st.integers(0, 14), min_size=3, max_size=3), max_size=12))
def test_after_any_folds_every_row_is_found_and_the_runs_stay_few(changes: list[list[int]]) -> None:
    """And each older row that is still in a run is known to be there."""
    _, index, runs = folded({key_of(f"c{n}"): cached(f"c{n}", n, '"0"') for n in range(15)})
    names = tuple(map(str, range(len(runs))))
    etags = known(index)
    for number, changed in enumerate(changes, start=1):
        recent = {
            key_of(f"c{n}"): cached(f"c{n}", 100 * number + n, f'"{number}"') for n in changed
        }
        etags.update((key, row.etag) for key, row in recent.items())
        kept = Kept(index, {at for at, key in enumerate(index.keys) if key in recent})
        merged = kept.merged_runs(len(runs), limits=LIMITS)
        moving = {
            index.keys[at]: runs[index.runs[at]].row(index.keys[at], index.etags[at])
            for at in kept.rows()
            if index.runs[at] in merged
        }
        found = {**{key: row for key, row in moving.items() if row}, **recent}
        made = fold(kept, found, runs=names, merged=merged, limits=LIMITS)
        held = dict(zip(names, runs, strict=True))
        runs = [held[n] if n in held else decode_run(made.files[n]) for n in made.runs]
        names = made.runs
        new = decode_index(made.files[made.index])
        assert new is not None
        index = new
        assert known(index) == etags
        for at, key in enumerate(index.keys):
            row = runs[index.runs[at]].row(key, index.etags[at])
            assert row is not None
            assert place_of(row.row or Summary("", "", "", 0, 0)) == index.place(at)
        for key in etags:
            holding = {
                at
                for at, run in enumerate(runs)
                if run.without(frozenset({key})).encode() != run.encode()
            }
            assert index.runs_with(frozenset({key})) == holding
        assert len(runs) <= 2 * 5 + 2


@pytest.mark.parametrize(
    ("count", "indexed", "long"),
    [(4, False, False), (5, False, True), (2, True, False), (3, True, True)],
)
def test_a_root_is_long_above_its_limit(count: int, *, indexed: bool, long: bool) -> None:
    assert is_long(count, indexed=indexed, limits=LIMITS) == long


def test_what_is_not_listed_any_more_leaves_the_index() -> None:
    blind = {"c/t/a/h.json": CachedRow("h", None), "c/t/a/g.json": CachedRow("g", None)}
    made, index, _ = folded({**{key_of(own): cached(own) for own in "abc"}, **blind})
    gone = {at for at, key in enumerate(index.keys) if key not in {key_of("a"), "c/t/a/h.json"}}
    again = fold(Kept(index, gone), {}, runs=made.runs, merged=frozenset(), limits=LIMITS)
    left = decode_index(again.files[again.index])
    assert left is not None
    assert known(left) == {key_of("a"): '"e"', "c/t/a/h.json": "h"}
    assert sorted(left.stale) == [(0, key_of("b")), (0, key_of("c"))]


def test_rows_that_are_spread_over_many_runs_come_together_again() -> None:
    """As those of a list that was made in many calls."""
    limits = CacheLimits(run_rows=3, newest_runs=2)
    index = ListIndex(runs=[0, 1, 2, 0, 1, 2], order=range(6), keys="abcdef", etags="abcdef")
    assert Kept(index, ()).merged_runs(3, limits=limits) == {0, 1, 2}
    index = ListIndex(runs=[0, 1, 0, 2, 1, 2], order=range(6), keys="abcdef", etags="abcdef")
    assert Kept(index, ()).merged_runs(3, limits=limits) == set()


def test_runs_of_which_half_is_stale_are_merged() -> None:
    limits = CacheLimits(run_rows=3)
    index = ListIndex(
        runs=[0, 0, 0, 1, 1, 1], order=range(6), keys="abcdef", etags="abcdef", stale=[(1, "x")]
    )
    assert Kept(index, {0}).merged_runs(2, limits=limits) == set()
    assert Kept(index, {0, 1}).merged_runs(2, limits=limits) == {0}
    assert Kept(index, {3}).merged_runs(2, limits=limits) == {1}


def test_all_runs_are_merged_where_there_are_far_too_many() -> None:
    limits = CacheLimits(run_rows=6, newest_runs=9)
    index = ListIndex(runs=[0, 1, 2, 3, 4, 5], order=range(6), keys="abcdef", etags="abcdef")
    assert Kept(index, ()).merged_runs(6, limits=limits) == set(range(6))
    assert Kept(index, ()).merged_runs(3, limits=limits) == set()


listed_heads = st.dictionaries(
    st.sampled_from([f"c/t/a/{letter}.json" for letter in "abcdefgh"]), st.sampled_from("123")
)


@given(listed_heads, listed_heads, listed_heads, st.integers(1, 4))
def test_a_listing_is_compared_head_by_head(
    indexed: dict[str, str], root: dict[str, str], store: dict[str, str], page_keys: int
) -> None:
    """What is listed is in the root, in the index, or changed; of all else nothing holds."""
    index = ListIndex(keys=sorted(indexed), etags=[indexed[key] for key in sorted(indexed)])
    rows = {key: CachedRow(etag, None) for key, etag in root.items()}
    keys = sorted(store)
    starts = range(0, max(len(keys), 1), page_keys)
    pages = [keys[start : start + page_keys] for start in starts]
    found = compare(
        ((page, [store[key] for key in page]) for page in pages),
        index,
        rows,
    )
    holding = {key for at, key in enumerate(index.keys) if at not in found.outdated}
    for key, etag in store.items():
        in_root, in_index = root.get(key) == etag, indexed.get(key) == etag
        assert (key in found.recent) == in_root
        assert (key in holding) == (in_index and not in_root)
        assert (key in found.changed) == (not in_root and not in_index)
        assert found.changed.get(key, etag) == etag
    assert holding <= store.keys()
    assert found.recent.keys() <= store.keys()


def test_what_is_no_head_is_not_looked_at() -> None:
    found = compare([(["c/t/a/x.txt"], ["1"])], ListIndex(), {})
    assert (found.changed, found.recent, found.outdated) == ({}, {}, set())
