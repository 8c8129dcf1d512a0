"""Long public conversations, imported: a chat of BEAM, and one of LoCoMo as JSON lines."""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from typer.testing import CliRunner, Result

from cli.stores import Run
from emulation.long_timeouts import long_timeouts
from emulation.moto_server import moto_clients, moto_server
from emulation.s3_endpoint import dummy_environment
from everturn.adapters.aws.s3_clients import S3Clients, shared_clients
from everturn.cli.main import app
from everturn.local.emulation.moto_s3 import MotoServer

__all__ = ["moto_clients", "moto_server"]

Turns = list[dict[str, Any]]
TITLE_CHARS: Final = 60
PREVIEW_CHARS: Final = 100


@pytest.fixture
def s3_run(moto_server: MotoServer, moto_clients: S3Clients, tmp_path: Path) -> Iterator[Run]:
    """Run a command on a bucket of its own, through the clients that the process itself makes."""
    bucket = f"test-{hashlib.sha256(bytes(tmp_path)).hexdigest()[:16]}"
    moto_clients.writes.create_bucket(Bucket=bucket)

    def invoke(*arguments: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(app, [*arguments, "--store", f"s3://{bucket}/m"], input=stdin)

    with dummy_environment() as patch, long_timeouts():
        patch.setenv("AWS_ENDPOINT_URL_S3", moto_server.url)
        shared_clients.cache_clear()
        yield invoke
        shared_clients().reads.close()
        shared_clients().writes.close()
        shared_clients.cache_clear()


@pytest.fixture(params=["directory", "s3"])
def run_on(request: pytest.FixtureRequest) -> Run:
    name = "run" if request.param == "directory" else "s3_run"
    chosen: Run = request.getfixturevalue(name)
    return chosen


def _beam(folder: Path) -> tuple[Path, Turns]:
    """A chat as it was published, and what it says: batches of groups of messages."""
    path = folder / "beam100k" / "1.chat.json"
    batches = json.loads(path.read_text(encoding="utf-8"))
    messages = [message for batch in batches for group in batch["turns"] for message in group]
    return path, [{"role": m["role"], "text": m["content"]} for m in messages]


def _locomo(folder: Path, target: Path) -> tuple[Path, Turns]:
    """The first talk of LoCoMo as JSON lines: a speaker is a role, a minute passes each turn."""
    talk = json.loads((folder / "locomo10.json").read_text(encoding="utf-8"))[0]["conversation"]
    turns: Turns = []
    for number in count(1):
        session = talk.get(f"session_{number}")
        if session is None:
            break
        start = datetime.strptime(
            talk[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y"
        ).replace(tzinfo=UTC)
        times = (start + timedelta(minutes=minute) for minute in count())
        turns += [
            {"role": said["speaker"], "text": said["text"], "ts": f"{time:%Y-%m-%dT%H:%M:%SZ}"}
            for said, time in zip(session, times, strict=False)
        ]
    target.write_text("".join(f"{json.dumps(turn)}\n" for turn in turns), encoding="utf-8")
    return target, turns


def _answer(run: Run, *arguments: str) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def _said(turn: dict[str, Any]) -> tuple[str, str]:
    return turn["role"], turn["text"]


def _one_line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit] + "…"


def _imports_once(run: Run, path: Path, id_: str, turns: Turns) -> dict[str, Any]:
    """Import twice; the row of the list after it."""
    first = run("import", str(path), "--id", id_)
    assert first.exit_code == 0, first.output
    assert f"{id_}: {len(turns)} turns added, 0 already there" in first.stdout
    before = run("export", id_).stdout
    again = run("import", str(path), "--id", id_)
    assert f"{id_}: 0 turns added, {len(turns)} already there" in again.stdout
    assert run("export", id_).stdout == before
    listing = _answer(run, "list")
    assert [row["conversation_id"] for row in listing["conversations"]] == [id_]
    row: dict[str, Any] = listing["conversations"][0]
    assert row["turn_count"] == len(turns)
    assert row["preview"] == _one_line(turns[-1]["text"], PREVIEW_CHARS)
    return row


def test_a_published_chat_is_imported_once_and_shows_title_preview_count_and_end(
    run_on: Run, public_data: Path
) -> None:
    path, turns = _beam(public_data)
    assert len(turns) > 100
    row = _imports_once(run_on, path, "beam-1", turns)
    assert row["title"] == _one_line(turns[0]["text"], TITLE_CHARS)
    shown = _answer(run_on, "show", "beam-1", "--last", "16")["turns"]
    assert [_said(turn) for turn in shown] == [_said(turn) for turn in turns[-16:]]
    assert [turn["index"] for turn in shown] == list(range(len(turns) - 16, len(turns)))
    everything = _answer(run_on, "show", "beam-1", "--all")["turns"]
    assert [_said(turn) for turn in everything] == [_said(turn) for turn in turns]


def test_a_person_sees_the_same_rows_and_turns(run: Run, public_data: Path) -> None:
    path, turns = _beam(public_data)
    run("import", str(path), "--id", "beam-1")
    listed = run("list").stdout
    assert _one_line(turns[0]["text"], TITLE_CHARS) in listed
    assert _one_line(turns[-1]["text"], PREVIEW_CHARS) in listed
    assert f" {len(turns)} " in listed
    shown = run("show", "beam-1", "--last", "16").stdout
    numbers = [line.split()[0] for line in shown.splitlines() if line.startswith("#")]
    own = [f"#{number}" for number in range(len(turns) - 16, len(turns))]
    assert [number for number in numbers if number in own] == own
    assert turns[-1]["text"].splitlines()[-1] in shown


def test_a_talk_of_two_named_people_keeps_speakers_and_times(
    run_on: Run, public_data: Path, tmp_path: Path
) -> None:
    path, turns = _locomo(public_data, tmp_path / "talk.jsonl")
    assert len(turns) > 400
    row = _imports_once(run_on, path, "locomo-0", turns)
    assert row["title"] == "New chat", "nobody in it is the user"
    shown = _answer(run_on, "show", "locomo-0", "--all")["turns"]
    assert [(*_said(turn), turn["ts"]) for turn in shown] == [
        (*_said(turn), turn["ts"]) for turn in turns
    ]
