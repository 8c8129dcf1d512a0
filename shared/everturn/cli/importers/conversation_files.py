"""Reads conversations out of files: plain records, JSONL of turns, JSON that holds turns in lists.

Of a turn the fields of the API are taken (`content` that is a string is its text); other fields of
foreign formats are left.
"""

import json
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from everturn.cli.importers.json_stream import read_whole
from everturn.cli.output.errors import CliError
from everturn.conversations.model.turn import check_depth
from everturn.errors import InvalidRequestError

JsonObject = dict[str, Any]
SUFFIXES = (".json", ".jsonl", ".ndjson")
_TURN_FIELDS = ("role", "text", "intent_id", "ts", "name", "content", "metadata")
_HEAD_FIELDS = ("title", "folder", "metadata")
_HOLDERS = ("turns", "messages")


class UnknownFormError(CliError):
    """A file of JSON is none that is known."""


@dataclass(frozen=True, slots=True)
class FoundConversation:
    """One conversation of a file: its turns in order, as the API takes them.

    `head` holds title, folder and metadata where the file has them, `archived` likewise;
    `record` is the whole file where it is a plain conversation file, and `refused` says why the
    API cannot take its turns, where it cannot. `redacted` are the places of its redacted turns,
    which a file can hold and no append can bring. `notes` say what of the file is not in it.
    """

    conversation_id: str
    turns: tuple[JsonObject, ...]
    head: JsonObject
    archived: bool = False
    record: bytes | None = None
    refused: str | None = None
    redacted: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()


def find_files(path: Path) -> list[Path]:
    """Return a file, or the conversation files of a directory in order of their names.

    Raises:
        CliError: the directory has none.
    """
    if not path.is_dir():
        return [path]
    files = sorted(p for p in path.iterdir() if p.suffix in SUFFIXES and p.is_file())
    if not files:
        raise CliError(f"no *.json, *.jsonl or *.ndjson here directory={path}")
    return files


def read_conversations(path: Path, conversation_id: str | None) -> list[FoundConversation]:
    """Read every conversation of a file.

    Args:
        path: the file.
        conversation_id: the id where the file names none; a plain conversation file is renamed.

    Raises:
        OSError: it cannot be read.
        CliError: it holds no turns, or something that is neither a turn nor holds turns, or it is
            what is left of a deleted conversation.
    """
    # A mark of the byte order is none of the text, and no record begins with one.
    body = read_whole(path).removeprefix(BOM_UTF8)
    default = conversation_id or path.stem
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as exc:
        return _from_lines(body, default, exc)
    try:
        return _from_document(document, body, path, conversation_id)
    except RecursionError as exc:
        raise CliError("turns are nested too deeply") from exc


def conversation_of_record(document: JsonObject, body: bytes) -> FoundConversation:
    """Return what one plain conversation file says.

    Raises:
        CliError: it is what is left of a deleted conversation.
    """
    return _record(document, body, None)


def _from_document(
    document: Any,  # noqa: ANN401 - any JSON value
    body: bytes,
    path: Path,
    conversation_id: str | None,
) -> list[FoundConversation]:
    default = conversation_id or path.stem
    if _is_record(document):
        return [_record(document, body, conversation_id)]
    if path.suffix == ".jsonl" and isinstance(document, dict):
        return _grouped([_numbered_turn(document, "line=1")], default)
    return _titled(_grouped(_walk(document, "$"), default), document)


def _is_record(document: object) -> bool:
    if not isinstance(document, dict) or not isinstance(document.get("conversation_id"), str):
        return False
    turns = document.get("turns", "")
    if not isinstance(turns, list | None):
        return False
    return "updated" in document or not any(map(_is_foreign, turns or []))


def _is_foreign(turn: object) -> bool:
    """Say whether other programs write such turns and records do not: kept so, none could read it.

    A turn that merely lacks its role or text is no sign of another program.
    """
    if isinstance(turn, dict):
        return "text" not in turn and any(name in turn for name in ("content", *_HOLDERS))
    return isinstance(turn, list)


def _record(document: JsonObject, body: bytes, wanted_id: str | None) -> FoundConversation:
    own_id = document["conversation_id"]
    if isinstance(document.get("deleted"), dict) and document["deleted"]:
        raise CliError(f"the file is what is left of a deleted conversation conversation={own_id}")
    turns: tuple[JsonObject, ...] = ()
    refused = None
    values = document.get("turns") or []
    try:
        turns = tuple(_turn(v, f"position=$.turns[{index}]") for index, v in enumerate(values))
    except CliError as error:
        refused = str(error)
    head = {name: document[name] for name in _HEAD_FIELDS if document.get(name)}
    try:
        _check_depths(head, "position=$")
    except CliError as error:
        refused = refused or str(error)
    return FoundConversation(
        own_id if wanted_id is None else wanted_id,
        turns,
        head,
        archived=document.get("archived") is True,
        record=body if wanted_id in {None, own_id} else None,
        refused=refused,
        redacted=frozenset(i for i, value in enumerate(values) if _is_redacted(value)),
    )


def _is_redacted(value: object) -> bool:
    return isinstance(value, dict) and value.get("redacted") is True


def _from_lines(body: bytes, default: str, no_json: Exception) -> list[FoundConversation]:
    turns: list[tuple[str | None, JsonObject]] = []
    number = 0
    try:
        for number, line in enumerate(body.decode().split("\n"), 1):
            if line.strip():
                turns.append(_numbered_turn(json.loads(line), f"line={number}"))
    except (ValueError, RecursionError) as exc:
        # A file whose first line is no JSON is not one of lines: its fault is elsewhere.
        at = number if turns else getattr(no_json, "lineno", 1)
        raise CliError(f"neither JSON nor JSON lines line={at}") from exc
    return _grouped(turns, default)


def _numbered_turn(value: object, position: str) -> tuple[str | None, JsonObject]:
    turn = _turn(value, position)
    own_id = value.get("conversation_id") if isinstance(value, dict) else None
    return (own_id if isinstance(own_id, str) else None), turn


def _turn(value: object, position: str) -> JsonObject:
    if not isinstance(value, dict) or not _is_turn(value):
        raise CliError(f"a turn needs a role, and a text or content {position}")
    turn = {name: value[name] for name in _TURN_FIELDS if value.get(name) is not None}
    if "text" not in turn and isinstance(turn.get("content"), str):
        turn["text"] = turn.pop("content")
    _check_depths(turn, position)
    return turn


def _check_depths(fields: JsonObject, position: str) -> None:
    """Refuse what the API refuses, before Python's JSON writer gives up on it."""
    for name, value in fields.items():
        try:
            check_depth(value, field=name)
        except InvalidRequestError as exc:
            raise CliError(f"{exc.message} field={name} {position}") from exc


def _is_turn(value: JsonObject) -> bool:
    has_words = "text" in value or "content" in value
    return value.get("role") is not None and has_words


def _walk(
    value: object, position: str, conversation_id: str | None = None
) -> Iterator[tuple[str | None, JsonObject]]:
    """Find the turns of nested lists and of objects with `turns` or `messages`, in order."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, f"{position}[{index}]", conversation_id)
    elif isinstance(value, dict) and _is_turn(value):
        yield conversation_id, _turn(value, f"position={position}")
    elif isinstance(value, dict) and any(name in value for name in _HOLDERS):
        own_id = value.get("conversation_id")
        inner = own_id if isinstance(own_id, str) else conversation_id
        for name in _HOLDERS:
            yield from _walk(value.get(name) or [], f"{position}.{name}", inner)
    else:
        raise UnknownFormError(f"neither a turn nor something that holds turns position={position}")


def _grouped(
    turns: Iterable[tuple[str | None, JsonObject]], default: str
) -> list[FoundConversation]:
    """Gather turns by their conversation, in the order of first appearance."""
    groups: dict[str, list[JsonObject]] = {}
    for conversation_id, turn in turns:
        groups.setdefault(conversation_id or default, []).append(turn)
    if not groups:
        raise CliError("no turns in it")
    return [FoundConversation(name, tuple(group), {}) for name, group in groups.items()]


def _titled(found: list[FoundConversation], document: object) -> list[FoundConversation]:
    """Give the one conversation of a document the document's title."""
    title = document.get("title") if isinstance(document, dict) else None
    if len(found) > 1 or not isinstance(title, str) or not title:
        return found
    return [replace(found[0], head={"title": title})]
