"""Memories that tests are made of: statements and patterns said by conversations, in order."""

from collections.abc import Iterable

from everturn.memory.model.draft import MemoryDraft, SourceDraft, new_memory, new_source
from everturn.memory.model.identity import source_ref
from everturn.memory.model.memory import Memory

DAY_NS = 24 * 3_600 * 1_000_000_000
START_NS = 20_000 * DAY_NS


def ref_of(conversation_id: str) -> str:
    return source_ref("conversation", conversation_id)


def in_conversation(
    id_: str, first: int | None = None, last: int | None = None, quote: str = ""
) -> SourceDraft:
    return SourceDraft(id_, first, last, quote)


def fact(statement: str, *sources: SourceDraft) -> Memory:
    """A fact that these sources said, a day after one another."""
    return _said((MemoryDraft("fact", statement), source) for source in sources)


def pattern(*said: tuple[str, str]) -> Memory:
    """A pattern of one name: (conversation, step) for each time that it was said."""
    return _said(
        (MemoryDraft("pattern", spec={"name": "Deploy", "steps": [step]}), SourceDraft(id_))
        for id_, step in said
    )


def told(*said: tuple[SourceDraft, str]) -> Memory:
    """A pattern of one name: (source, step) for each time that it was said."""
    return _said(
        (MemoryDraft("pattern", spec={"name": "Deploy", "steps": [step]}), source)
        for source, step in said
    )


def steps_of(memory: Memory | None) -> list[str]:
    """The steps of a pattern as it is, then as it was."""
    assert memory is not None
    assert memory.spec is not None
    return [*memory.spec.steps, *(step for one in memory.earlier for step in one.spec.steps)]


def _said(drafts: Iterable[tuple[MemoryDraft, SourceDraft]]) -> Memory:
    memory: Memory | None = None
    for day, (draft, source) in enumerate(drafts):
        new = new_memory(draft)
        said = new_source(source, new, now_ns=START_NS + day * DAY_NS)
        memory = new.with_source(said) if memory is None else memory.reinforced(new, said)
    assert memory is not None
    return memory
