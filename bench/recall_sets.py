"""Public conversations with questions and the turns that answer them: LoCoMo and BEAM 100K.

It is looked for in `$EVERTURN_DATA`, else in `shared/data` beside the checkout: `locomo10.json` of
https://github.com/snap-research/locomo (CC BY-NC 4.0), and `beam100k/` with the chats of
https://github.com/mohammadtavakoli78/BEAM.
"""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from everturn.conversations.model.turn import TurnDraft
from everturn.recall.language.terms import matchable_text
from everturn.values.timestamps import NANOSECONDS, format_time

# What test programs end with where something that they need is missing:
# https://www.gnu.org/software/automake/manual/html_node/Scripts_002dbased-Testsuites.html
NO_DATA = 77
ADVERSARIAL = "adversarial"
LOCOMO_KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: ADVERSARIAL}
_TURN_S = 60


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its kind, and the turns that answer it, by text (`Talk.texts`)."""

    text: str
    kind: str
    gold: frozenset[int]


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation. `texts[i]` is the first turn that says what turn i says.

    A recall shows one of several turns of the same text, so that any of them stands for all.
    """

    id: str
    turns: tuple[TurnDraft, ...]
    texts: tuple[int, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """A turn as the data has it; `date` is that of its session, or empty."""

    id: str
    speaker: str
    text: str
    session: int
    date: str


def data_folder() -> Path:
    """Return where the data lies; where it does not, say so and end with `NO_DATA`."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("EVERTURN_DATA") or beside)
    if not (folder / "locomo10.json").is_file():
        sys.stderr.write("there is no locomo10.json, name its folder in EVERTURN_DATA\n")
        sys.exit(NO_DATA)
    return folder


def load_talks(name: str, folder: Path) -> list[Talk]:
    """Read a set."""
    return SETS[name](folder)


def _locomo(folder: Path) -> list[Talk]:
    samples = json.loads((folder / "locomo10.json").read_text(encoding="utf-8"))
    return [
        _talk(
            sample["sample_id"],
            list(_sessions(sample["conversation"])),
            (
                (str(asked["question"]), LOCOMO_KINDS[asked["category"]], evidence_of(asked))
                for asked in sample["qa"]
            ),
        )
        for sample in samples
    ]


def _sessions(talk: Mapping[str, Any]) -> Iterator[_Said]:
    numbers = sorted(
        int(match[1]) for key in talk if (match := re.fullmatch(r"session_(\d+)", key))
    )
    for number in numbers:
        date = talk.get(f"session_{number}_date_time", "")
        for said in talk[f"session_{number}"]:
            shares = f" [shares {said['blip_caption']}]" if said.get("blip_caption") else ""
            yield _Said(said["dia_id"], said["speaker"], said["text"] + shares, number, date)


def evidence_of(asked: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of turns that `evidence` names, slips of the pen mended."""
    for part in re.split(r"[;,\s]+", " ".join(map(str, asked.get("evidence") or ()))):
        if match := re.fullmatch(r"\(?D:?(\d+):0*(\d+)\)?", part):
            yield f"D{match[1]}:{int(match[2])}"


def _beam(folder: Path) -> list[Talk]:
    talks = []
    for path in sorted(
        folder.glob("beam100k/*.chat.json"), key=lambda p: int(p.name.split(".")[0])
    ):
        asked = path.with_name(path.name.replace(".chat.", ".questions."))
        kinds = json.loads(asked.read_text(encoding="utf-8"))
        questions = (
            (str(one["question"]), kind, map(str, _numbers(one.get("source_chat_ids"))))
            for kind, of_kind in kinds.items()
            for one in of_kind
        )
        messages = _messages(json.loads(path.read_text(encoding="utf-8")))
        talks.append(_talk(path.name.split(".")[0], list(messages), questions))
    return talks


def _messages(batches: Iterable[Mapping[str, Any]]) -> Iterator[_Said]:
    for batch in batches:
        for message in (message for group in batch["turns"] for message in group):
            # The data's own references to later questions, which nobody said.
            text = re.sub(r"\s*->->\s*[\d,\s]+$", "", message["content"]).strip()
            anchor = message.get("time_anchor") or ""
            yield _Said(str(message["id"]), message["role"], text, batch["batch_number"], anchor)


def _numbers(nested: Any) -> Iterator[int]:
    if isinstance(nested, int):
        yield nested
    elif isinstance(nested, Mapping | list):
        for inner in nested.values() if isinstance(nested, Mapping) else nested:
            yield from _numbers(inner)


def _talk(
    name: str, said: list[_Said], questions: Iterable[tuple[str, str, Iterable[str]]]
) -> Talk:
    first: dict[str, int] = {}
    texts = tuple(first.setdefault(matchable_text(one.text), at) for at, one in enumerate(said))
    at_id: dict[str, int] = {}
    for at, one in enumerate(said):
        at_id.setdefault(one.id, texts[at])
    asked = (
        Question(text, kind, frozenset(at_id[id_] for id_ in ids if id_ in at_id))
        for text, kind, ids in questions
    )
    # What no turn answers says nothing of a ranking.
    return Talk(name, tuple(_drafts(said)), texts, tuple(one for one in asked if one.gold))


def _drafts(said: Iterable[_Said]) -> Iterator[TurnDraft]:
    """Yield the turns, a minute apart from the date of their session on."""
    session, date, time_s = None, "", None
    for one in said:
        if one.date and (one.session != session or one.date != date):
            date, time_s = one.date, date_seconds(one.date)
        elif time_s is not None:
            time_s += _TURN_S
        session = one.session
        ts = None if time_s is None else format_time(time_s * NANOSECONDS)
        yield TurnDraft(one.speaker, one.text, ts=ts)


def date_seconds(date: str) -> int:
    """Return the Unix time of a date as the sets write them."""
    form = "%I:%M %p on %d %B, %Y" if ":" in date else "%B-%d-%Y"
    return int(datetime.strptime(date, form).replace(tzinfo=UTC).timestamp())


SETS: Mapping[str, Callable[[Path], list[Talk]]] = {"locomo": _locomo, "beam": _beam}
