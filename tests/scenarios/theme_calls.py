"""Turns about planted subjects, and the themes that a test finds in them."""

from collections.abc import Sequence
from itertools import chain
from random import Random  # noqa: TID251 - a repeatable test draws from its own seed

from everturn.adapters.hash_embedder import HashEmbedder
from everturn.conversations.model.turn import TurnDraft
from everturn.ports.embedder import Embedder
from everturn.ports.object_store import ObjectStore
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.index_cache import IndexCache
from everturn.recall.themes.find_themes import Theme, Themes, find_themes
from everturn.values.keys import Scope
from everturn.values.timestamps import EVER, TimeWindow, format_time
from scenarios.world import World

# A month before the clock of a world: what is ahead of that would be set back to it.
START_NS = 1_764_547_200_000_000_000
MINUTE_NS, DAY_NS = 60 * 10**9, 86_400 * 10**9
SUBJECTS = (
    ("sail", "boat", "harbour", "rigging", "anchor", "tide", "mast", "regatta"),
    ("bread", "oven", "sourdough", "flour", "dough", "crust", "yeast", "baker"),
    ("chess", "rook", "opening", "endgame", "bishop", "pawn", "castling", "queen"),
)


def sentences(subject: int, count: int = 12) -> list[str]:
    """Turns about a subject, each with four of its words."""
    dice = Random(subject)  # noqa: S311 - a repeatable test, no secret
    chosen = (dice.sample(SUBJECTS[subject], 4) for _ in range(count))
    return [f"well: {a}, {b}, {c}, {d}" for a, b, c, d in chosen]


def mixed() -> list[str]:
    """Turns about all subjects, by turns."""
    said = (sentences(subject) for subject in range(3))
    return list(chain.from_iterable(zip(*said, strict=True)))


def say(world: World, texts: Sequence[str], *, to: str, day: float = 0, role: str = "user") -> None:
    """Append turns, a minute apart from a day on."""
    times = [START_NS + round(day * DAY_NS) + at * MINUTE_NS for at in range(len(texts))]
    drafts = [
        TurnDraft(role, text, ts=format_time(time)) for text, time in zip(texts, times, strict=True)
    ]
    world.process().append_drafts(drafts, to=to)


def themes(
    world: World,
    embedder: Embedder | None = None,
    *,
    data: ObjectStore | None = None,
    scope: Scope | None = None,
    window: TimeWindow = EVER,
    k: int | None = None,
    indexes: IndexCache | None = None,
    fell_back: bool = False,
) -> Themes:
    """Find the themes of a world, by words unless there is an embedder."""
    return find_themes(
        data=data or world.data,
        derived=world.derived,
        scope=scope or world.scope,
        clock=world.clock,
        embedder=EmbedderChoice(embedder or HashEmbedder(), "fake", "of the test", fell_back),
        indexes=indexes or IndexCache(),
        window=window,
        k=k,
    )


def texts_of(found: Themes | Theme) -> list[str]:
    """The turns that stand for themes."""
    parts = found.themes if isinstance(found, Themes) else (found,)
    return [hit.turn.text for theme in parts for hit in theme.hits]


def subjects_of(found: Themes) -> list[set[int]]:
    """Which subjects the hits and the terms of each theme are about."""
    return [
        {
            number
            for number, words in enumerate(SUBJECTS)
            if any(word in text for word in words for text in (*texts_of(theme), *theme.terms))
        }
        for theme in found.themes
    ]


def all_subjects(found: Themes) -> set[int]:
    """Which subjects the themes are about."""
    return set(chain.from_iterable(subjects_of(found)))


def terms_of(found: Themes) -> set[str]:
    """The terms of all themes."""
    return set(chain.from_iterable(theme.terms for theme in found.themes))
