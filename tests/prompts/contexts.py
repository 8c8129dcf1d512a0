"""What contexts are made of in tests, and the lines of one, by heading."""

from typing import Any, Final

from everturn.memory.model.draft import SourceDraft
from everturn.prompts.context_block import BuiltContext
from everturn.prompts.turn_line import turn_line
from everturn.values.prompt_text import one_line
from scenarios.memory_process import MemoryProcess
from scenarios.process import CONVERSATION, Process

PORT = "The deploy port is 8080."

HEADINGS = (
    "Identity:", "Rules:", "Hard constraints:", "User profile:", "Goal:", "Long-term memory:",
    "Proven patterns:", "Relevant earlier turns:", "Recent turns:",
)  # fmt: skip

TOLD: Final[dict[str, Any]] = {"identity": "You are Ever.", "rules": ("Never lie.",)}


def talk(writer: Process, turns: int = 40, to: str = CONVERSATION) -> None:
    """Say so many turns; every tenth is about the harbour."""
    about = {0: "The harbour fee is {n} EUR.", 5: "The museum opens at {n}."}
    texts = [about.get(n % 10, "We spoke of the weather {n}.").format(n=n) for n in range(turns)]
    writer.append(*texts, to=to)


def filled(process: MemoryProcess) -> MemoryProcess:
    """Remember something for every part."""
    process.remember("Never deploy on Fridays.", "constraint", hard=True)
    process.remember("My name is Ada.", subject="user")
    process.remember(PORT)
    process.remember("The harbour is closed on Sundays.")
    for number in range(3):
        process.remember(
            None,
            "pattern",
            spec={"name": "Pay the harbour fee", "steps": ["open the office", "pay in cash"]},
            source=SourceDraft(conversation_id=f"old-{number}"),
        )
    return process


def lines(built: BuiltContext) -> dict[str, list[str]]:
    """The lines of the text, by heading."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in built.text.splitlines()[2:-1]:
        if line in HEADINGS:
            heading = line
        else:
            found.setdefault(heading, []).append(line.removeprefix("- "))
    return found


def shown_by_parts(built: BuiltContext) -> dict[str, list[str]]:
    """The lines that the parts of the answer stand for, by heading."""
    pinned = built.pinned.parts
    parts = {
        "Identity:": pinned["identity"],
        "Rules:": pinned["rules"],
        "Hard constraints:": pinned["constraints"],
        "User profile:": pinned["profile"],
        "Goal:": pinned["goal"],
        "Long-term memory:": [one.text for one in built.memories],
        "Proven patterns:": [one_line(one.text) for one in built.patterns],
        "Relevant earlier turns:": [turn_line(hit.turn) for hit in built.recalled],
        "Recent turns:": [turn_line(turn) for turn in built.recent],
    }
    return {heading: list(said) for heading, said in parts.items() if said}
