"""The command up: the whole API on one's own machine, until Ctrl-C.

Not here: the server and its processes (everturn.local).
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from everturn.cli.console import note, say
from everturn.cli.embedder_lines import ask_embedder, embedder_line
from everturn.cli.failures import CliError
from everturn.cli.options import reporting
from everturn.cli.store_choice import DEFAULT_DIRECTORY, StoreChoice, choose_local_store
from everturn.cli.version import version
from everturn.local.emulated_aws import HANDLER_SETTINGS, EmulatedAws, emulated_aws
from everturn.local.guard import is_loopback
from everturn.local.server import listen, url_of
from everturn.local.worker import WorkerPlan
from everturn.local.workers import Awaited, Workers, stop_signals

_MAX_COUNTED = 1_000
# What a person waits for without wondering; a model on this machine is read in half a second.
_EMBEDDER_S = 2.0


@dataclass(frozen=True, slots=True)
class _Backing:
    """Where the data is: what to print, and what the workers are told."""

    store: str
    plan: WorkerPlan
    deaths: tuple[Awaited, ...] = ()
    holds: str | None = None


@reporting
def up(
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0: any free one.")] = 8787,
    directory: Annotated[
        Path | None, typer.Option("--dir", help="Where conversations lie [default: ./.everturn].")
    ] = None,
    emulate_aws: Annotated[
        bool, typer.Option("--emulate-aws", help="Keep them in S3 emulated by moto, until the end.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes.")] = 1,
) -> None:
    """Serve the whole API on this machine, until Ctrl-C."""
    if not host.strip():
        raise typer.BadParameter("an address to listen on is not blank", param_hint="--host")
    listener = listen(host, port)
    with (
        listener,
        stop_signals() as stop,
        _backing(host, directory, emulate=emulate_aws) as backing,
    ):
        processes = Workers(listener, backing.plan)
        try:
            processes.start(workers)
            _say_banner(host, url_of(listener), backing)
            if processes.supervise([stop, *backing.deaths]) is not stop:
                raise CliError("emulated aws ended by itself: what it held is lost")
        finally:
            processes.end()
    note("ended")


@contextmanager
def _backing(host: str, directory: Path | None, *, emulate: bool) -> Iterator[_Backing]:
    if emulate:
        with emulated_aws() as aws:
            yield _emulated(host, aws, directory or Path(DEFAULT_DIRECTORY))
        return
    choice = choose_local_store(directory, os.environ)
    plan = WorkerPlan(host, choice.settings, {}, choice.log)
    holds = None if choice.directory is None else _count(choice)
    yield _Backing(str(choice), plan, holds=holds)


def _emulated(host: str, aws: EmulatedAws, directory: Path) -> _Backing:
    log = directory.absolute() / "logs" / "everturn.log"
    plan = WorkerPlan(host, HANDLER_SETTINGS, aws.process_environment, log)
    choice = StoreChoice(str(HANDLER_SETTINGS["EVERTURN_STORE"]), f"emulated at {aws.url}")
    return _Backing(str(choice), plan, deaths=(aws.death,))


def _say_banner(host: str, url: str, backing: _Backing) -> None:
    url = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    if not is_loopback(host):
        note(f"warning: whoever reaches this address is user local of tenant local host={host}")
    say(f"Everturn {version()} serves {url}")
    say(f"store  {backing.store}")
    if backing.holds:
        say(f"holds  {backing.holds}")
    if backing.plan.log:
        # The file is made with its first line, and handlers log failures alone.
        say(f"errors {backing.plan.log} (made with the first one)")
    say(f"finds  {_found_by(backing.plan)}\n")
    say(_examples(url))
    say("\nCtrl-C ends it.")


def _found_by(plan: WorkerPlan) -> str:
    """Say how turns are found; an embedder that takes its time does not hold up the start."""
    from everturn.local.environment import environment_of
    from everturn.settings import read_settings

    choice = ask_embedder(read_settings(environment_of(plan.settings)), within_s=_EMBEDDER_S)
    if choice is None:
        return "turns by words until an embedder answers, everturn status tells"
    kind = "meaning and words" if choice.embedder.semantic else "words alone"
    return f"turns by {kind}, {embedder_line(choice)}"


def _count(choice: StoreChoice) -> str:
    """Say how many conversations the default user has, as far as one page tells."""
    from everturn.bootstrap import open_backends
    from everturn.domain.keys import Scope
    from everturn.errors import UnavailableError
    from everturn.local.environment import environment_of
    from everturn.services.list_conversations import list_conversations
    from everturn.settings import read_settings

    parts = open_backends(read_settings(environment_of(choice.settings)))
    try:
        page = list_conversations(
            data=parts.data,
            derived=parts.derived,
            clock=parts.clock,
            scope=Scope("local", "local"),
            limit=_MAX_COUNTED,
        )
    except UnavailableError:
        return "many conversations; the first list of them takes some calls"
    more = "more than " if page.next_cursor else ""
    return f"{more}{len(page.rows)} conversations"


def _examples(url: str) -> str:
    conversation = f"{url}/v1/conversations/demo"
    return "\n".join(
        (
            f"curl -s {conversation}/turns -H 'content-type: application/json' \\",
            """  -d '{"turns":[{"role":"user","text":"My server listens on port 8080."}]}'""",
            f"curl -s {url}/v1/conversations",
            f"curl -s '{conversation}/turns?last=16'",
            f"curl -s {conversation}/recall -H 'content-type: application/json' \\",
            """  -d '{"query":"which port does it listen on?"}'""",
            f"curl -s {url}/v1/memories -H 'content-type: application/json' \\",
            """  -d '{"kind":"preference","statement":"Likes short answers."}'""",
            f"curl -s {url}/v1/memories/retrieve -H 'content-type: application/json' \\",
            """  -d '{"query":"how does the user like answers?"}'""",
            f"curl -s {conversation}",
        )
    )
