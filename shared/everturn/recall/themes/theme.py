"""What the conversations of a scope were about: values."""

from dataclasses import dataclass

from everturn.recall.index.recall_request import Hit, Searched


@dataclass(frozen=True, slots=True)
class Theme:
    """Turns that are about the same.

    `terms` are the words that tell it from the others, the most telling first; `share` its part of
    all turns with a theme, above 0 to 1; `since_ns` and `until_ns` the times of its oldest and its
    newest turn, None where no turn has one; `hits` turns that stand for it, verbatim, the nearest
    to its centre first, and their scores the cosine with that, 0 to 1.
    """

    terms: tuple[str, ...]
    share: float
    since_ns: int | None
    until_ns: int | None
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Themes:
    """Themes, the biggest first, whose shares add up to 1; none where there are no turns.

    `searched` says how far they were looked for, `degraded` that a lane was missing or turns were
    not looked at yet, and `reason` why.
    """

    themes: tuple[Theme, ...]
    searched: Searched
    degraded: bool = False
    reason: str | None = None
