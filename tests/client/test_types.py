"""What a type checker infers of the client; mypy checks this file, and that nothing is let through.

Nothing is called here: a call that is never made shows its types all the same.
"""

from collections.abc import AsyncIterator, Iterator
from importlib import resources
from typing import Any, assert_type

from everturn.client import AsyncEverturn, Everturn
from everturn.wire.conversations import Appended, Receipt, Summary, Turn, TurnPage
from everturn.wire.deployment import Document
from everturn.wire.memories import Remembered
from everturn.wire.search import Recalled


def what_threads_get(memory: Everturn) -> None:
    with memory as same:
        assert_type(same, Everturn)
    assert_type(Everturn.local("d"), Everturn)
    assert_type(memory.append("c", [{"role": "user", "text": "Hi."}]), Appended)
    assert_type(memory.append_user("c", "Hi."), Appended)
    assert_type(memory.get_turns("c", last=16), TurnPage)
    assert_type(memory.all_turns("c"), Iterator[Turn])
    assert_type(memory.all_conversations(), Iterator[Summary])
    assert_type(memory.recall("x", conversation_id="c"), Recalled)
    assert_type(memory.remember("fact", "x"), Remembered)
    assert_type(memory.get_document("s", "k"), Document)
    assert_type(memory.export_conversation("c"), bytes)
    assert_type(memory.export(), Iterator[dict[str, Any]])
    assert_type(memory.erase(), Receipt)
    assert_type(memory.get_turns("c").turns[0].ts, str | None)
    assert_type(memory.erase().failed, str | None)


async def what_tasks_get(memory: AsyncEverturn) -> None:
    async with memory as same:
        assert_type(same, AsyncEverturn)
    assert_type(await memory.append("c", [{"role": "user", "text": "Hi."}]), Appended)
    assert_type(memory.all_turns("c"), AsyncIterator[Turn])
    assert_type(await memory.export_conversation("c"), bytes)


def what_is_refused(memory: Everturn) -> None:
    memory.append("c")  # type: ignore[call-arg]
    memory.append(1, [])  # type: ignore[arg-type]
    memory.append("c", [], None)  # type: ignore[call-arg]
    memory.append("c", [], key="k")  # type: ignore[call-arg]
    memory.remember("idea", "x")  # type: ignore[arg-type]
    memory.get_turns("c", last="16")  # type: ignore[arg-type]
    memory.put_document("s", "k", 1, expect=1)  # type: ignore[arg-type]
    memory.forget()  # type: ignore[attr-defined]


def test_types_are_told_to_whoever_installs_the_package() -> None:
    """Without this marker a checker infers nothing of all this (PEP 561)."""
    assert (resources.files("everturn") / "py.typed").is_file()
