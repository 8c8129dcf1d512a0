"""The command up: the whole API on one's own machine, until Ctrl-C."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from everturn.cli.output.console import note
from everturn.cli.output.errors import CliError
from everturn.cli.serve.up_banner import Backing, count_line, has_queue, learning_line, say_banner
from everturn.cli.target.options import reporting
from everturn.cli.target.store_choice import DEFAULT_DIRECTORY, StoreChoice, choose_local_store
from everturn.local.emulation.emulated_aws import DATA_BUCKET, EmulatedAws, emulated_aws
from everturn.local.job_worker import work_on_jobs
from everturn.local.server import listen, url_of
from everturn.local.worker import WorkerPlan, work
from everturn.local.workers import Task, Workers, stop_signals


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
