"""The command up: serve the whole API on one's own machine, until Ctrl-C.

It prints where the data is, what it works with, and lines to paste.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from everturn.cli.output.console import note, say, version
from everturn.cli.output.consolidation_lines import counted, extractor_words
from everturn.cli.output.errors import CliError
from everturn.cli.output.model_lines import ask_embedder, embedder_line
from everturn.cli.target.options import reporting
from everturn.cli.target.store_choice import DEFAULT_DIRECTORY, StoreChoice, choose_local_store
from everturn.local.emulation.emulated_aws import DATA_BUCKET, EmulatedAws, emulated_aws
from everturn.local.environment import environment_of
from everturn.local.guard import is_loopback
from everturn.local.job_worker import work_on_jobs
from everturn.local.server import listen, url_of
from everturn.local.workers import Awaited, Task, WorkerPlan, Workers, stop_signals, work
from everturn.settings.process import Settings, read_settings


@dataclass(frozen=True, slots=True)
class Backing:
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
        plan, processes = backing.plan, Workers()
        # What is wrong with the settings is said before anything is started.
        learns = learning_line(plan)
        try:
            processes.start([*[partial(work, listener, plan)] * workers, *_learning(plan)])
            say_banner(host, url_of(listener), backing, learns=learns)
            if processes.supervise([stop, *backing.deaths]) is not stop:
                raise CliError("emulated aws ended by itself: what it held is lost")
        finally:
            processes.end()
    note("ended")


def _learning(plan: WorkerPlan) -> list[Task]:
    """Return the process that works on the queue; none where there is no queue."""
    return [partial(work_on_jobs, plan)] if has_queue(plan) else []


def has_queue(plan: WorkerPlan) -> bool:
    """Say whether what is appended is consolidated by itself."""
    return _settings_of(plan).queue is not None


@contextmanager
def _backing(host: str, directory: Path | None, *, emulate: bool) -> Iterator[Backing]:
    if emulate:
        with emulated_aws() as aws:
            yield _emulated(host, aws, directory or Path(DEFAULT_DIRECTORY))
        return
    choice = choose_local_store(directory, os.environ)
    plan = WorkerPlan(host, choice.settings, {}, choice.log)
    holds = None if choice.directory is None else count_line(choice)
    yield Backing(str(choice), plan, holds=holds)


def _emulated(host: str, aws: EmulatedAws, directory: Path) -> Backing:
    log = directory.absolute() / "logs" / "everturn.log"
    plan = WorkerPlan(host, aws.handler_settings, aws.process_environment, log)
    choice = StoreChoice(f"s3://{DATA_BUCKET}", f"emulated at {aws.url}")
    return Backing(str(choice), plan, deaths=(aws.death,))


_MAX_COUNTED = 1_000
# What a person waits for without wondering; a model on this machine is read in half a second.
_EMBEDDER_S = 2.0
# Rules learn something of it, so that a memory shows within seconds whatever is configured.
_SAID = '{"turns":[{"role":"user","text":"Remember that the server listens on port 8080."}]}'


def say_banner(host: str, url: str, backing: Backing, *, learns: str) -> None:
    """Say what a server serves, and give lines to paste."""
    url = url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
    if not is_loopback(host):
        note(f"warning: whoever reaches this address is user local of tenant local host={host}")
    say(f"Everturn {version()} serves {url}")
    say(f"docs   {url}/docs")
    say(f"store  {backing.store}")
    if backing.holds:
        say(f"holds  {backing.holds}")
    if backing.plan.log:
        # The file is made with its first line, and handlers log failures alone.
        say(f"errors {backing.plan.log} (made with the first one)")
    say(f"finds  {_found_by(backing.plan)}")
    say(f"learns {learns}\n")
    say(_examples(url))
    say("\nCtrl-C ends it.")


def _found_by(plan: WorkerPlan) -> str:
    """Say how turns are found; an embedder that takes its time does not hold up the start."""
    choice = ask_embedder(_settings_of(plan), within_s=_EMBEDDER_S)
    if choice is None:
        return "turns by words until an embedder answers, everturn status tells"
    kind = "meaning and words" if choice.embedder.semantic else "words alone"
    return f"turns by {kind}, {embedder_line(choice)}"


def learning_line(plan: WorkerPlan) -> str:
    """Say what makes memories of conversations.

    Raises:
        MisconfiguredError: what the environment says of it cannot work.
    """
    from everturn.bootstrap.components import open_extractor

    how = extractor_words(open_extractor(_settings_of(plan)).name)
    if has_queue(plan):
        return f"from what is said, {how}"
    return f"when everturn consolidate runs, {how}; this store has no queue"


def count_line(choice: StoreChoice) -> str:
    """Say how many conversations the default user has, as far as one page tells."""
    from everturn.bootstrap.components import open_backends
    from everturn.errors import UnavailableError
    from everturn.listing.list_conversations import list_conversations
    from everturn.values.keys import Scope

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
    return f"{more}{counted(len(page.rows), 'conversation')}"


def _settings_of(plan: WorkerPlan) -> Settings:
    return read_settings(environment_of(plan.settings))


def _examples(url: str) -> str:
    conversation = f"{url}/v1/conversations/demo"
    return "\n".join(
        (
            f"curl -s {conversation}/turns -H 'content-type: application/json' \\",
            f"  -d '{_SAID}'",
            f"curl -s {url}/v1/conversations",
            f"curl -s '{conversation}/turns?last=16'",
            f"curl -s {conversation}/recall -H 'content-type: application/json' \\",
            """  -d '{"query":"which port does the server listen on?"}'""",
            f"curl -s {url}/v1/memories -H 'content-type: application/json' \\",
            """  -d '{"kind":"preference","statement":"Likes short answers."}'""",
            f"curl -s {url}/v1/memories/retrieve -H 'content-type: application/json' \\",
            """  -d '{"query":"how does the user like answers?"}'""",
            f"curl -s {url}/v1/memories",
            f"curl -s {conversation}",
        )
    )
