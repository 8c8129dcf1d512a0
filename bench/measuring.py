"""What the benches share: counted requests, CPU time, a table and one JSON object a row."""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from everturn.adapters.aws.s3_clients import make_clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.local.emulation.emulated_aws import DATA_BUCKET, emulated_aws

Row = Mapping[str, str | int | float]


@dataclass(slots=True)
class Traffic:
    """Requests and bytes that crossed the wire since the last reset."""

    requests: int = 0
    sent: int = 0
    received: int = 0

    def on_send(self, request: Any, **_: Any) -> None:
        """Count a request; for botocore's before-send event."""
        self.requests += 1
        body = request.body or b""
        self.sent += len(body if isinstance(body, bytes) else body.read())
        if hasattr(body, "seek"):
            body.seek(0)

    def on_receive(self, response_dict: Mapping[str, Any], **_: Any) -> None:
        """Count an answer; for botocore's before-parse event."""
        self.received += int(response_dict["headers"].get("content-length", 0))


@contextmanager
def emulated_store() -> Iterator[tuple[S3Store, Any, Traffic]]:
    """Give a store in an emulated bucket, its bare client, and what crosses the wire."""
    with emulated_aws() as aws:
        os.environ.update({k: v for k, v in aws.process_environment.items() if v is not None})
        clients = make_clients(endpoint_url=aws.url)
        traffic = Traffic()
        for client in (clients.writes, clients.reads):
            client.meta.events.register("before-send.s3", traffic.on_send)
            client.meta.events.register_first("before-parse.s3", traffic.on_receive)
        store = S3Store(bucket=DATA_BUCKET, prefix="", writes=clients.writes, reads=clients.reads)
        yield store, clients.writes, traffic


def cpu_ms(action: Callable[[], object]) -> float:
    """Return the CPU milliseconds that one call of an action takes."""
    began_s = time.process_time()
    action()
    return (time.process_time() - began_s) * 1e3


def options(about: str, **numbers: int) -> argparse.Namespace:
    """Read the options that every bench has, and this one's numbers with their defaults.

    A number is at least 1, but for milliseconds and seeds, which may be 0.
    """
    return option_parser(about, **numbers).parse_args()


def option_parser(about: str, **numbers: int) -> argparse.ArgumentParser:
    """Return what reads the options of `options`, for a bench that has others beside."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--json", type=_writable, metavar="FILE", help="one JSON object a row")
    parser.add_argument("--quick", action="store_true", help="small numbers, to see that it runs")
    for name, default in numbers.items():
        option = f"--{name.replace('_', '-')}"
        least = 0 if name == "seed" or name.endswith("_ms") else 1
        parser.add_argument(
            option, type=_at_least(least), default=default, help=f"{default} if not given"
        )
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        value = int(text)
        if value < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, not {value}")
        return value

    return number


def _writable(text: str) -> Path:
    """Return the path of a file that can be written: nobody measures for an hour to learn it."""
    path = Path(text)
    there = path.exists()
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as exc:
        raise argparse.ArgumentTypeError(f"cannot be written: {exc}") from exc
    if not there:
        path.unlink()
    return path


def report(title: str, rows: Sequence[Row], to: Path | None) -> None:
    """Print rows as a table and write them to a file; without rows, say so and end."""
    if not rows:
        raise SystemExit("nothing is measured: the numbers given leave no row")
    table = Table(title=title)
    for name in rows[0]:
        numeric = not isinstance(rows[0][name], str)
        table.add_column(name, justify="right" if numeric else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(f"{v:.2f}" if isinstance(v, float) else str(v) for v in row.values()))
    # A wide table goes into a file as it is: cut numbers are none.
    console = Console()
    console.width = max(console.width, 160)
    console.print(table)
    if to is not None:
        write_rows(rows, to)


def write_rows(rows: Sequence[Row], to: Path) -> None:
    """Write one JSON object a row."""
    to.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
