"""What a page holds: its fenced blocks with their marks, its links and its headings.

A mark is a comment on the line directly above a block. `example` runs a block of Python in an empty
folder; a block of commands runs there under any name. One named `http`, or ending in `-http`, runs
beside `everturn up`, whose address stands for http://127.0.0.1:8787. `continued` runs a block where
the one before it has run, `not run: why` says why a block is left alone. A block of text directly
after one of Python is what it prints.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

CONTINUED: Final = "continued"
NOT_RUN: Final = "not run: "
_PYTHON_MARKS = re.compile(r"example|http|continued|not run: \w.*")
_COMMAND_MARKS = re.compile(r"[a-z]+(-[a-z]+)*|not run: \w.*")

_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>[^\n]+?) -->\n)?```(?P<language>\w*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_OUTPUT = re.compile(r"\n+```text\n(?P<output>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: where its first line stands, what it says, and what it is to print."""

    page: Path
    line: int
    language: str
    mark: str | None
    code: str
    output: str | None = None

    @property
    def runs(self) -> bool:
        """Whether it is run; what it says may be wrong otherwise, and nobody would know."""
        known = self.mark is not None and not self.mark.startswith(NOT_RUN)
        return known and self.mark_is_known

    @property
    def mark_is_known(self) -> bool:
        """Whether its mark says what to do with it; no mark is one too."""
        marks = {"python": _PYTHON_MARKS, "console": _COMMAND_MARKS}.get(self.language)
        return self.mark is None or (marks is not None and bool(marks.fullmatch(self.mark)))

    @property
    def is_served(self) -> bool:
        """Whether it wants a server beside it."""
        return self.runs and str(self.mark).rpartition("-")[2] == "http"

    def __str__(self) -> str:
        """Return page and line, as a person looks for them."""
        return f"{named(self.page)}:{self.line}"


def named(page: Path) -> str:
    """Return a page's name as the repository has it."""
    return str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name


def blocks_of(page: Path) -> list[Block]:
    """Return the blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [_block(page, text, found) for found in _BLOCK.finditer(text)]


def _block(page: Path, text: str, found: re.Match[str]) -> Block:
    line = text.count("\n", 0, found.start("code")) + 1
    output = _OUTPUT.match(text, found.end()) if found["language"] == "python" else None
    printed = output["output"] if output else None
    return Block(page, line, found["language"], found["mark"], found["code"], printed)


def stories_of(page: Path) -> list[tuple[Block, ...]]:
    """Return the blocks that run, those together that run in one folder one after the other."""
    stories: list[tuple[Block, ...]] = []
    for block in blocks_of(page):
        if block.runs and block.mark == CONTINUED:
            stories[-1] = (*stories[-1], block)
        elif block.runs:
            stories.append((block,))
    return stories


def links_of(page: Path) -> list[str]:
    """Return what a page links to within the repository: paths, some with a `#part`."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    return [target for target in _LINK.findall(text) if "://" not in target]


def parts_of(page: Path) -> Iterator[str]:
    """Yield what `#` names on a page: its headings as GitHub writes them in an address."""
    for heading in re.findall(r"^#+ (.+)$", _BLOCK.sub("", page.read_text("utf-8")), re.MULTILINE):
        kept = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading))
        yield kept.strip().lower().replace(" ", "-")
