"""Themes where turns are removed concurrently, files are damaged, the model fails, time is up."""

from collections.abc import Callable

import pytest

from everturn.errors import UnavailableError
from everturn.ports.embedder import Embedder
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.themes import clusters
from everturn.recall.themes import find_themes as service
from fakes.fake_embedder import FakeEmbedder
from fakes.faulty_store import Fault, FaultyStore
from fakes.interleaved_store import InterleavedStore
from scenarios.sealed_world import fill, put_segment, sealed_of
from scenarios.theme_calls import (
    DAY_NS,
    START_NS,
    all_subjects,
    mixed,
    say,
    sentences,
    subjects_of,
    terms_of,
    texts_of,
    themes,
)
from scenarios.world import World


def test_a_redacted_turn_is_gone_from_themes(world: World, embedder: Embedder) -> None:
    say(world, [*sentences(0, 4), "a secret boat", *sentences(1, 4)], to="c")
    indexes = IndexCache()
    before = themes(world, embedder, k=9, indexes=indexes)
    world.process().redact(4, text="gone boat", conversation_id="c")

    for cache in (indexes, IndexCache()):
        after = themes(world, embedder, k=9, indexes=cache)
        terms = terms_of(after)
        assert not {"a secret boat", "gone boat"} & {*texts_of(after)}
        assert not {"secret", "gone"} & terms
    assert "a secret boat" in texts_of(before)


def test_a_conversation_deleted_meanwhile_is_in_no_theme(world: World, embedder: Embedder) -> None:
    say(world, sentences(0), to="c0")
    say(world, sentences(1), to="c1", day=1)
    delete: Callable[[], object] = lambda: world.process().delete("c0")  # noqa: E731
    store = InterleavedStore(world.data, before={("get", 1): delete})

    assert all_subjects(themes(world, embedder, data=store)) == {1}


@pytest.mark.usefixtures("small")
def test_turns_of_segments_stand_for_themes_too(world: World, embedder: Embedder) -> None:
    process = world.process()
    for subject in range(3):
        for text in sentences(subject):
            process.append(text)
    assert len(sealed_of(world).segments) > 1

    found = themes(world, embedder, k=3)

    assert sorted(subjects_of(found), key=min) == [{0}, {1}, {2}]


@pytest.mark.usefixtures("small")
def test_a_segment_that_cannot_be_read_any_more_hides_its_turns_alone(world: World) -> None:
    """Its rows are known; the theme is shown by turns that can still be read."""
    fill(world.process(), 40)
    indexes = IndexCache()
    themes(world, indexes=indexes)
    [broken, *_] = sealed_of(world).segments
    put_segment(world, broken.name, b"{")
    indexes.segments = IndexCache().segments

    found = themes(world, indexes=indexes)

    shown = [hit.turn.index for theme in found.themes for hit in theme.hits]
    assert shown
    assert min(shown) > broken.last


@pytest.mark.usefixtures("small")
def test_a_turn_redacted_while_themes_are_read_is_not_shown(world: World) -> None:
    """The segment goes after the index was loaded, as late as can be."""
    for text in ["a secret boat", *sentences(0), *sentences(1)]:
        world.process().append(text)
    indexes = IndexCache()
    themes(world, indexes=indexes)
    redact: Callable[[], object] = lambda: world.process().redact(0)  # noqa: E731
    indexes.segments = IndexCache().segments
    store = InterleavedStore(world.data, before={("get", 1): redact})

    found = themes(world, data=store, indexes=indexes, k=9)

    assert store.verbs.count("get") > 1
    assert found.themes
    assert "a secret boat" not in texts_of(found)


def test_a_model_that_fails_leaves_themes_of_words_and_says_so(world: World) -> None:
    say(world, mixed(), to="c")
    failing = FakeEmbedder(failing=UnavailableError("it did not answer"))

    found = themes(world, failing, k=3)

    assert sorted(subjects_of(found), key=min) == [{0}, {1}, {2}]
    assert (found.degraded, found.reason) == (True, "embedder_failed")


def test_an_embedder_that_stands_in_is_told(world: World) -> None:
    say(world, ["the boat sails"], to="c")
    found = themes(world, fell_back=True)
    assert (found.degraded, found.reason) == (True, "embedder_fell_back")


def test_every_process_finds_the_same(world: World, embedder: Embedder) -> None:
    say(world, mixed(), to="c")
    say(world, ["of something else entirely"], to="d", day=1)
    indexes = IndexCache()
    first = themes(world, embedder, indexes=indexes)

    assert themes(world, embedder, indexes=indexes) == first
    assert themes(world, embedder) == first


def test_of_too_many_turns_the_newest_count_and_the_answer_says_so(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "MAX_TURNS", 12)
    say(world, sentences(0), to="c0")
    say(world, sentences(1), to="c1", day=1)

    found = themes(world)

    assert all_subjects(found) == {1}
    assert (found.searched.turns, found.searched.complete) == (12, False)
    assert found.searched.oldest_ns == START_NS + DAY_NS


def test_when_time_is_up_themes_come_without_texts(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_READING_S", 0.0)
    say(world, mixed(), to="c")

    found = themes(world, k=3)

    assert [theme.share for theme in found.themes] == [pytest.approx(1 / 3)] * 3
    assert texts_of(found) == []


def test_a_store_that_does_not_answer_is_an_error(world: World) -> None:
    say(world, mixed(), to="c")
    gone = FaultyStore(world.data, lambda verb: Fault.UNAVAILABLE if verb == "get" else None)
    with pytest.raises(UnavailableError):
        themes(world, data=gone)
