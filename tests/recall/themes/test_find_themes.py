"""Themes: which come out, and of which turns."""

import pytest

from everturn.conversations.model.turn import TurnDraft
from everturn.ports.embedder import Embedder, Purpose
from everturn.values.keys import Scope
from everturn.values.timestamps import TimeWindow
from fakes.planned_embedder import PlannedEmbedder
from scenarios.theme_calls import (
    DAY_NS,
    MINUTE_NS,
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


def test_subjects_of_several_conversations_are_told_apart(world: World, embedder: Embedder) -> None:
    for subject in range(3):
        say(world, sentences(subject), to=f"c{subject}", day=subject)

    found = themes(world, embedder, k=3)

    assert sorted(subjects_of(found), key=min) == [{0}, {1}, {2}]
    assert [theme.share for theme in found.themes] == [pytest.approx(1 / 3)] * 3
    assert not found.degraded
    assert (found.searched.conversations, found.searched.turns) == (3, 36)
    assert found.searched.complete


def test_subjects_that_take_turns_in_one_conversation_are_told_apart(
    world: World, embedder: Embedder
) -> None:
    say(world, mixed(), to="c")

    found = themes(world, embedder, k=3)

    assert sorted(subjects_of(found), key=min) == [{0}, {1}, {2}]


def test_a_theme_that_only_a_model_sees_is_found_by_its_vectors(world: World) -> None:
    """No two turns of these themes share a word."""
    signs = {"ship": 0, "ketch": 0, "sloop": 0, "loaf": 1, "bun": 1, "roll": 1}

    def plan(text: str, purpose: Purpose) -> list[float]:
        del purpose
        return [float(signs[text] == axis) for axis in range(2)]

    say(world, [*signs], to="c")

    found = themes(world, PlannedEmbedder(plan=plan), k=2)

    assert sorted(sorted(texts_of(theme)) for theme in found.themes) == [
        ["bun", "loaf", "roll"],
        ["ketch", "ship", "sloop"],
    ]


def test_the_biggest_theme_comes_first_and_shares_add_up_to_one(world: World) -> None:
    for subject, count in enumerate((5, 15, 10)):
        say(world, sentences(subject, count), to=f"c{subject}", day=subject)

    found = themes(world, k=3)

    assert subjects_of(found) == [{1}, {2}, {0}]
    assert [theme.share * 30 for theme in found.themes] == [15, 10, 5]


def test_shares_are_of_all_turns_with_a_theme(world: World, embedder: Embedder) -> None:
    say(world, [*mixed(), "the", "  what is it  "], to="c")

    shares = [theme.share for theme in themes(world, embedder).themes]

    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1)


def test_a_theme_is_called_by_five_of_its_words_and_shown_by_three_distinct_turns(
    world: World, embedder: Embedder
) -> None:
    for subject in range(3):
        said = sentences(subject)
        say(world, [*said, *said], to=f"c{subject}", day=subject)

    for theme in themes(world, embedder, k=3).themes:
        assert len(theme.terms) == 5
        assert "well" not in theme.terms
        assert len({*texts_of(theme)}) == len(theme.hits) == 3
        scores = [hit.score for hit in theme.hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 1 for score in scores)


def test_a_theme_says_from_when_to_when_it_was_talked_of(world: World, embedder: Embedder) -> None:
    for subject in range(3):
        say(world, sentences(subject), to=f"c{subject}", day=subject)

    found = themes(world, embedder, k=3)

    for theme, [subject] in zip(found.themes, subjects_of(found), strict=True):
        since_ns = START_NS + subject * DAY_NS
        assert (theme.since_ns, theme.until_ns) == (since_ns, since_ns + 11 * MINUTE_NS)


def test_turns_outside_the_window_never_count(world: World, embedder: Embedder) -> None:
    say(world, [*sentences(0), *sentences(1)], to="c")
    window = TimeWindow(START_NS + 12 * MINUTE_NS, START_NS + 20 * MINUTE_NS)

    found = themes(world, embedder, window=window)

    assert set(texts_of(found)) <= {*sentences(1)[:8]}
    assert all_subjects(found) == {1}
    assert min(theme.since_ns or 0 for theme in found.themes) == START_NS + 12 * MINUTE_NS
    assert max(theme.until_ns or 0 for theme in found.themes) == START_NS + 19 * MINUTE_NS


def test_another_scope_has_its_own_themes(world: World, embedder: Embedder) -> None:
    say(world, sentences(0), to="c")
    other = World(clock=world.clock, data=world.data, scope=Scope("acme", "ben"))
    say(other, sentences(1), to="c")

    assert all_subjects(themes(world, embedder)) == {0}
    assert all_subjects(themes(other, embedder)) == {1}
    assert themes(world, embedder, scope=Scope("acme", "eve")).themes == ()


def test_without_turns_there_are_no_themes(world: World, embedder: Embedder) -> None:
    found = themes(world, embedder)
    assert (found.themes, found.degraded) == ((), False)
    assert (found.searched.conversations, found.searched.complete) == (0, True)


def test_blank_turns_and_recalled_blocks_are_in_no_theme(world: World, embedder: Embedder) -> None:
    """A turn without text has content that says nothing to a reader."""
    blank = TurnDraft("tool", content=[{"type": "image"}])
    block = TurnDraft("user", "<recalled_memory>an old secret</recalled_memory>")
    world.process().append_drafts([blank, block], to="c")

    assert themes(world, embedder).themes == ()


def test_one_turn_is_one_theme(world: World, embedder: Embedder) -> None:
    say(world, ["the boat sails"], to="c")

    [theme] = themes(world, embedder, k=5).themes

    assert (theme.share, texts_of(theme)) == (1.0, ["the boat sails"])
    assert set(theme.terms) == {"boat", "sails"}


def test_no_more_themes_come_than_are_asked_for_or_than_turns_differ(
    world: World, embedder: Embedder
) -> None:
    for day, text in enumerate(["boat sail", "bread oven", "boat sail", "chess rook"]):
        say(world, [text], to="c", day=day)

    assert [len(themes(world, embedder, k=k).themes) for k in (1, 2, 3, 20)] == [1, 2, 3, 3]


def test_names_of_speakers_are_no_terms(world: World, embedder: Embedder) -> None:
    texts = [f"hello Caroline, {text}" for text in sentences(0)]
    say(world, texts, to="c", role="Mel")
    say(world, ["hello Mel"], to="c", role="Caroline", day=0.1)

    terms = terms_of(themes(world, embedder))

    assert terms
    assert not terms & {"Caroline", "caroline", "Mel", "mel"}
