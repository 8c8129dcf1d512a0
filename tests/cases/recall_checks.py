"""What a case's `check` asks of recalls and of what the embedder was given."""

import re
from collections.abc import Callable
from typing import Any, Final

from cases.adapter import Run
from functions.house import Json

_BLOCK: Final = re.compile(r"<recalled_memory>(.*?)</recalled_memory>", re.DOTALL)


def _hits(run: Run) -> list[Json]:
    """The hits of the last recall."""
    hits: list[Json] = run.answers[-1][-1].json()["hits"]
    return hits


def _final_contains(run: Run, wanted: list[str]) -> None:
    texts = [hit["text"] for hit in _hits(run)]
    assert all(any(part in text for text in texts) for part in wanted), texts


def _inputs(run: Run) -> list[str]:
    """Everything that the embedder was given, once all that is stored was recalled from."""
    run.again({"do": "recall", "query": "anything at all"})
    return [*run.embedder.inputs, *run.embedder.queries]


def _read_by_a_model(run: Run) -> list[str]:
    """Everything that the model was asked by the worker, which has a question if there is one."""
    if run.worker is None:
        return []
    assert run.worker.model.prompts
    return [prompt.user for prompt in run.worker.model.prompts]


def _recalled(run: Run) -> list[str]:
    """The lines of marked blocks in what was said; a prompt may write the marks otherwise."""
    said = [str(message["content"]) for messages in run.sent.values() for message in messages]
    blocks = [block for text in said for block in _BLOCK.findall(text)]
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def _inputs_exclude(run: Run, forbidden: list[str]) -> None:
    inputs = _inputs(run)
    assert inputs
    inputs += _read_by_a_model(run)
    forbidden = [*forbidden, *_recalled(run)]
    assert not [text for text in inputs if any(part in text for part in forbidden)]


def _inputs_max_chars(run: Run, wanted: int) -> None:
    assert 0 < max(map(len, _inputs(run))) <= wanted


def _inputs_exclude_blank(run: Run, _: object) -> None:
    """What is not stored can be embedded by nobody."""
    appends = [step[-1].json() for step in run.answers[:-1]]
    assert [body["appended"] for body in appends] == [0] * len(appends)
    assert all(text.strip() for text in _inputs(run))


def _max_inputs(run: Run, wanted: int) -> None:
    """An append embeds nothing; the recall after it embeds what is new."""
    assert run.embedder.inputs == []
    run.again({"do": "recall", "query": "one"})
    before = len(run.embedder.inputs)
    run.again({**run.steps[-1], "messages": [{"role": "user", "content": "and another"}]})
    run.again({"do": "recall", "query": "one"})
    assert len(run.embedder.inputs) - before <= wanted


def _same_as_cold_start(run: Run, _: object) -> None:
    others = [number for number, step in enumerate(run.steps) if step["as"] != run.user]
    assert others
    for number in others:
        warm, cold = run.answers[number][-1], run.again(run.steps[number])[-1]
        assert (warm.status_code, warm.json()) == (cold.status_code, cold.json())


RECALL_CHECKS: Final[dict[str, Callable[[Run, Any], None]]] = {
    "embed_inputs_exclude": _inputs_exclude,
    "embed_inputs_exclude_blank": _inputs_exclude_blank,
    "embed_inputs_max_chars": _inputs_max_chars,
    "final_contains": _final_contains,
    "max_embed_inputs": _max_inputs,
    "same_as_cold_start": _same_as_cold_start,
}
