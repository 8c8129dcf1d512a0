"""The forms of files of other programs: which one a file has, and what it holds."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from everturn.cli.importers.agentcore import looks_like_agentcore, read_events
from everturn.cli.importers.chatgpt import chatgpt_conversation, looks_like_chatgpt
from everturn.cli.importers.claude import claude_conversation, looks_like_claude
from everturn.cli.importers.conversation_files import FoundConversation, JsonObject, find_files
from everturn.cli.importers.export_files import Found
from everturn.cli.importers.json_stream import Value, values_of
from everturn.cli.importers.messages import (
    anthropic_conversation,
    langchain_conversation,
    looks_like_anthropic,
    looks_like_langchain,
    looks_like_openai,
    messages_in,
    openai_conversation,
)
from everturn.cli.importers.strands import read_session, sessions_in
from everturn.cli.output.errors import CliError

OWN, STRANDS = "everturn", "strands"
# Of a list of messages all are looked at, as text alone is alike everywhere; of a list of
# conversations or events the first one tells.
_LOOKED_AT: Final = 100_000
# How a record of ours begins: it may be large, and is none of the others.
_RECORD: Final = b'{"conversation_id":'


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of an import say: the id where a file names none, and whose events."""

    conversation_id: str | None = None
    actor: str | None = None

    def id_of(self, path: Path, position: str) -> str:
        """Return the id of a conversation that names none; one of several lines has its own."""
        line = position.removeprefix("line=") if position.startswith("line=") else ""
        return (self.conversation_id or path.stem) + (f"-{line}" if line else "")


@dataclass(frozen=True, slots=True)
class FoundBroken:
    """One of several things in a file that cannot be imported, and why."""

    why: str


Reading = Callable[[Path, Wishes], Iterable[Found | FoundBroken]]
"""Yields what a file holds; raises OSError or CliError where nothing more can be read."""


def _each(read_one: Callable[[JsonObject, str], FoundConversation]) -> Reading:
    """Return the reading of a file whose values are conversations: a broken one stops no other."""

    def read(path: Path, wishes: Wishes) -> Iterator[Found | FoundBroken]:
        del wishes
        for position, value in _conversations(values_of(path)):
            if isinstance(value, dict):
                yield _read_or_broken(read_one, value, position)
            else:
                yield FoundBroken(f"no conversation {position}")

    return read


def _read_or_broken(
    read: Callable[..., FoundConversation], *parts: object, **names: str
) -> FoundConversation | FoundBroken:
    try:
        return read(*parts, **names)
    except CliError as error:
        return FoundBroken(str(error))


def _conversations(values: Iterable[Value]) -> Iterator[Value]:
    """Yield conversations; some tools put the list of them into an object."""
    for position, value in values:
        held = value.get("conversations") if isinstance(value, dict) else None
        if isinstance(held, list):
            yield from ((f"{position}.conversations[{at}]", one) for at, one in enumerate(held))
        else:
            yield position, value


def _lists(read_one: Callable[..., FoundConversation]) -> Reading:
    """Return the reading of a file that is one list of messages, or whose lines hold one each."""

    def read(path: Path, wishes: Wishes) -> Iterator[Found | FoundBroken]:
        loose: list[Any] = []
        for position, value in values_of(path):
            messages = messages_in(value)
            if messages is None:
                loose.append(value)
            else:
                id_ = wishes.id_of(path, position)
                yield _read_or_broken(read_one, messages, conversation_id=id_, position=position)
        if loose:
            yield read_one(loose, conversation_id=wishes.id_of(path, ""), position="position=$")

    return read


def _read_agentcore(path: Path, wishes: Wishes) -> Iterable[Found]:
    return read_events(values_of(path), actor=wishes.actor)


def _read_strands(path: Path, wishes: Wishes) -> Iterator[Found | FoundBroken]:
    del wishes
    folders = sessions_in(path)
    if not folders:
        raise CliError("no session folder with a session.json here")
    for folder in folders:
        try:
            yield from read_session(folder)
        except CliError as error:
            yield FoundBroken(str(error))


READINGS: Final[dict[str, Reading]] = {
    STRANDS: _read_strands,
    "langchain": _lists(langchain_conversation),
    "chatgpt": _each(chatgpt_conversation),
    "openai": _lists(openai_conversation),
    "claude": _each(claude_conversation),
    "anthropic": _lists(anthropic_conversation),
    "agentcore": _read_agentcore,
}
"""How each form of another program is read."""

FORMATS: Final = (OWN, *READINGS)

_BY_FIRST: Final[dict[str, Callable[[object], bool]]] = {
    "chatgpt": looks_like_chatgpt,
    "claude": looks_like_claude,
    "agentcore": looks_like_agentcore,
    "langchain": looks_like_langchain,
}
_BY_ANY: Final[dict[str, Callable[[object], bool]]] = {
    "openai": looks_like_openai,
    "anthropic": looks_like_anthropic,
}


def sources_of(path: Path, format_: str | None) -> list[Path]:
    """Return what is read one by one: the files of a directory, or a folder of sessions as one.

    Raises:
        CliError: the directory has neither.
    """
    if format_ == STRANDS or (format_ is None and sessions_in(path)):
        return [path]
    return find_files(path)


def format_of(path: Path) -> str:
    """Return which form a file or a folder has, where that is certain; else that of our own.

    Raises:
        OSError: it cannot be read.
    """
    if path.is_dir():
        return STRANDS
    with path.open("rb") as file:
        if file.read(len(_RECORD)) == _RECORD:
            return OWN
    # What is no JSON, or breaks off, is for whoever reads it to say.
    with suppress(CliError):
        return _looked_at(_flat(values_of(path)))
    return OWN


def _looked_at(values: Iterator[object]) -> str:
    for number, value in enumerate(islice(values, _LOOKED_AT)):
        certain = {**_BY_FIRST, **_BY_ANY} if number == 0 else _BY_ANY
        found = next((name for name, looks in certain.items() if looks(value)), None)
        if found is not None:
            return found
        if not isinstance(value, dict) or "role" not in value:
            # A list of anything else is no list of messages.
            break
    return OWN


def _flat(values: Iterable[Value]) -> Iterator[object]:
    """Yield values; of one that holds messages or conversations, those."""
    for _, value in _conversations(values):
        held = messages_in(value)
        if held is None:
            yield value
        else:
            yield from held
