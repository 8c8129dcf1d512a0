"""Runs blocks of a page as a reader would: in an empty folder, offline, on nobody's account."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Final

from docs.page_blocks import Block

# As the pages say it; a free port takes its place.
SERVED: Final = "http://127.0.0.1:8787"
# Nothing listens on port 9: what leaves this machine fails at once, and does not wait.
_NOWHERE = "http://127.0.0.1:9"
_STEERING = ("AWS_", "EVERTURN_", "POWERTOOLS_")
# What differs each time, and what a better ranking changes.
_VARIES = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+Z|Z)?|^[01]\.\d{3}(?=  )|(?<=\"score\":)[01]\.\d+",
    re.MULTILINE,
)
_LIMIT_S = 120


def run_story(story: Sequence[Block], folder: Path) -> None:
    """Run blocks one after the other in a folder; each is to end well and print what it says.

    Raises:
        AssertionError: one does not; page and line are in the message.
    """
    work, home = folder / "work", folder / "home"
    work.mkdir()
    home.mkdir()
    environment = environment_of(home)
    wanted = any(one.is_served for one in story)
    with served(folder, environment) if wanted else nullcontext(SERVED) as url:
        for block in story:
            for command, output, where in _steps(block, work):
                here = [part.replace(SERVED, url) for part in command]
                printed = _printed(here, work, environment, where)
                assert agrees(output, printed), _difference(where, output, printed)


def run_again(story: Sequence[Block], folder: Path) -> None:
    """Run the Python of a story once more where it ran; what it prints then may differ.

    Raises:
        AssertionError: it does not end well.
    """
    for block in story:
        for command, _, where in _steps(block, folder / "work"):
            _printed(command, folder / "work", environment_of(folder / "home"), where)


def environment_of(home: Path) -> dict[str, str]:
    """Return the environment of somebody who has installed Everturn and nothing more."""
    kept = {k: v for k, v in os.environ.items() if not k.upper().startswith(_STEERING)}
    proxies = {
        name: _NOWHERE
        for lower in ("http_proxy", "https_proxy", "all_proxy")
        for name in (lower, lower.upper())
    }
    return {
        **kept,
        **proxies,
        "NO_PROXY": "127.0.0.1,localhost",
        "no_proxy": "127.0.0.1,localhost",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "TZ": "UTC",
    }


@contextmanager
def served(folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Run `everturn up` on a directory of its own within this folder, and give its address."""
    everturn = Path(sys.executable).with_name("everturn")
    command = [str(everturn), "up", "--port", "0", "--dir", str(folder / "served")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


def _steps(block: Block, work: Path) -> Iterator[tuple[list[str], str, str]]:
    """Yield each command of a block, what it is to print, and where it stands."""
    if block.language == "python":
        # Its lines have the numbers that they have on the page, in tracebacks too.
        script = work / f"{block.page.name}.py"
        script.write_text("\n" * (block.line - 1) + block.code, encoding="utf-8")
        yield [sys.executable, script.name], block.output or "", str(block)
        return
    for command, output in commands_of(block):
        yield ["sh", "-c", command], output, f"{block}: {command}"


def commands_of(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a block, of one or several lines, each with what it is to print."""
    found = re.split(r"^\$ ((?:.*\\\n)*.*)\n", block.code, flags=re.MULTILINE)
    assert found[0] == "", f"{block} does not begin with a command"
    return list(zip(found[1::2], found[2::2], strict=True))


def _printed(command: list[str], work: Path, environment: dict[str, str], where: str) -> str:
    done = subprocess.run(
        command, cwd=work, env=environment, capture_output=True, timeout=_LIMIT_S, check=False
    )
    assert done.returncode == 0, f"{where}\n{done.stdout.decode()}\n{done.stderr.decode()}"
    return done.stdout.decode()


def agrees(expected: str, printed: str) -> bool:
    """Say whether this is what was to be printed.

    Times and scores differ; `...` stands for any part of a line, alone in a line for any lines.
    """
    parts = [_any_of(line) for line in _settled(expected).splitlines()]
    text = "".join(f"{line}\n" for line in _settled(printed).splitlines())
    return re.fullmatch("".join(parts), text) is not None


def _settled(text: str) -> str:
    return _VARIES.sub("VARIES", text).rstrip("\n")


def _any_of(line: str) -> str:
    return r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"


def _difference(where: str, expected: str, printed: str) -> str:
    return f"{where}\n--- on the page\n{expected}\n--- printed\n{printed}"
