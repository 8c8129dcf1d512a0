"""Where `min_score` tells a question asked in its conversation from one asked in a wrong one.

Questions whose answer is among the first eight hits are drawn by a seed, and each is asked again in
another conversation of its set.
"""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import Row
from recall_sets import ADVERSARIAL, Question, Talk
from recalling import Recalling

from everturn.ports.embedder import Embedder
from everturn.recall.index.choose_embedder import EmbedderChoice
from everturn.recall.index.recall_request import MAX_BUDGET_TOKENS, RecallRequest

_SEED, _TOP_K = 11, 8
_SHOWN = tuple(cut / 100 for cut in range(5, 100, 5))
_TRIED = tuple(cut / 100 for cut in range(1, 100))


@dataclass(frozen=True, slots=True)
class Pair:
    """A question, where it belongs and where not, and the best scores that it got in both.

    `right` is that of the best turn that answers it.
    """

    question: Question
    own: int
    other: int
    right: float
    wrong: float


@dataclass(frozen=True, slots=True)
class Curve:
    """The pairs that were drawn."""

    pairs: tuple[Pair, ...]

    def shares(self, cut: float) -> tuple[float, float]:
        """Return the percent of answers that a `min_score` keeps, and of wrong asks it empties."""
        count = len(self.pairs) / 100
        kept = sum(pair.right >= cut for pair in self.pairs)
        return kept / count, sum(pair.wrong < cut for pair in self.pairs) / count

    @property
    def best(self) -> float:
        """The `min_score` at which the smaller of both is largest."""
        return max(_TRIED, key=lambda cut: min(self.shares(cut)))


def draw_curve(talks: Sequence[Talk], embedder: Embedder, pairs: int) -> Curve:
    """Draw so many pairs, and make sure that a recall with the best `min_score` says the same."""
    with _opened(talks, embedder) as opened:
        found = Asking(talks, opened).draw(pairs)
        cut = found.best
        again = [_scores(opened[pair.own], pair.question, min_score=cut) for pair in found.pairs]
        kept = sum(
            any(talks[pair.own].texts[turn] in pair.question.gold for turn in scores)
            for pair, scores in zip(found.pairs, again, strict=True)
        )
        silent = sum(
            not _scores(opened[pair.other], pair.question, min_score=cut) for pair in found.pairs
        )
        assert found.shares(cut) == (kept * 100 / len(again), silent * 100 / len(again))
    return found


def curve_rows(name: str, embedder: str, curve: Curve) -> list[Row]:
    """Return one row a `min_score`: percent of the right kept, percent of the wrong cut."""
    shares = {cut: curve.shares(cut) for cut in _SHOWN}
    return [
        {"data": name, "embedder": embedder, "min_score": cut, "right": right, "wrong empty": wrong}
        for cut, (right, wrong) in shares.items()
    ]


@dataclass(frozen=True, slots=True)
class Asking:
    """Conversations that can be asked."""

    talks: Sequence[Talk]
    opened: Sequence[Recalling]

    def draw(self, pairs: int) -> Curve:
        """Draw questions until so many were answered."""
        drawing = random.Random(_SEED)  # noqa: S311 - a draw, no secret
        questions = [
            (at, question)
            for at, talk in enumerate(self.talks)
            for question in talk.questions
            if question.kind != ADVERSARIAL
        ]
        drawing.shuffle(questions)
        drawn = (self._pair(at, question, drawing) for at, question in questions)
        found = [pair for pair, _ in zip((p for p in drawn if p), range(pairs), strict=False)]
        return Curve(tuple(found))

    def _pair(self, own: int, question: Question, drawing: random.Random) -> Pair | None:
        texts = self.talks[own].texts
        scores = _scores(self.opened[own], question)
        right = [score for turn, score in scores.items() if texts[turn] in question.gold]
        if not right:
            return None
        other = drawing.choice([at for at in range(len(self.talks)) if at != own])
        wrong = _scores(self.opened[other], question).values()
        return Pair(question, own, other, max(right), max(wrong, default=0.0))


@contextmanager
def _opened(talks: Sequence[Talk], embedder: Embedder) -> Iterator[list[Recalling]]:
    with TemporaryDirectory() as folder:
        choice = EmbedderChoice(embedder, "bench", "asked for")
        opened = [Recalling(Path(folder), talk.id, choice) for talk in talks]
        for talk, recalling in zip(talks, opened, strict=True):
            recalling.append(talk.turns)
            recalling.index_all(talk.questions[0].text)
        yield opened


def _scores(
    recalling: Recalling, question: Question, *, min_score: float = 0.0
) -> dict[int, float]:
    """Return the scores of the turns that come, by their numbers."""
    request = RecallRequest(
        question.text, top_k=_TOP_K, budget_tokens=MAX_BUDGET_TOKENS, min_score=min_score
    )
    return {hit.turn.index: hit.score for hit in recalling.recall(request).hits}
