"""An emulated AWS account: MiniStack, with TLS, signatures and IAM policies in force.

Its Lambda runs functions as processes, with the Python of its environment.
"""

import os
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import httpx
import pytest
from botocore.credentials import Credentials
from botocore.session import get_session

from deployment import killed_with_us
from deployment.certificate import Certificate, make_certificate
from deployment.locked_environment import locked_environment

LOCK: Final = Path(__file__).with_name("ministack.lock")
ACCOUNT: Final = "000000000000"
REGION: Final = "us-east-1"
# The root user of the account: whoever deploys.
ROOT_KEYS: Final[Mapping[str, str]] = MappingProxyType(
    {"AWS_ACCESS_KEY_ID": "testing1", "AWS_SECRET_ACCESS_KEY": "testing1secret"}
)
_ROOT: Final = Credentials(ROOT_KEYS["AWS_ACCESS_KEY_ID"], ROOT_KEYS["AWS_SECRET_ACCESS_KEY"])
_START_TIMEOUT_S: Final = 90.0
_LINES_SHOWN: Final = 30


@dataclass(frozen=True, slots=True)
class Ministack:
    """One that runs, at `url`, a https:// of loopback that `certificate` vouches for."""

    url: str
    certificate: Certificate
    log: Path

    @property
    def environment(self) -> dict[str, str]:
        """Variables for programs that are to work in this account as its root user."""
        return {
            **ROOT_KEYS,
            "AWS_DEFAULT_REGION": REGION,
            "AWS_ENDPOINT_URL": self.url,
            "AWS_CA_BUNDLE": str(self.certificate.path),
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "AWS_EC2_METADATA_DISABLED": "true",
        }

    @property
    def trust(self) -> ssl.SSLContext:
        """What an HTTP client needs to know to believe the certificate."""
        return ssl.create_default_context(cafile=self.certificate.path)

    def client(self, service: str, credentials: Credentials = _ROOT) -> Any:  # noqa: ANN401 - botocore's clients are made at run time
        """A client of one service, for the root user if nobody is named; the caller closes it."""
        return get_session().create_client(
            service,
            region_name=REGION,
            endpoint_url=self.url,
            verify=str(self.certificate.path),
            aws_access_key_id=credentials.access_key,
            aws_secret_access_key=credentials.secret_key,
            aws_session_token=credentials.token,
        )

    def said(self) -> str:
        """The end of its log, for the message of a failure.

        Lines with a time alone: the rest are stacks of connections that clients left.
        """
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        told = [line for line in lines if line[:2] == "20" and "[asyncio]" not in line]
        return "\n".join((told or lines)[-_LINES_SHOWN:])


@pytest.fixture(scope="session")
def ministack(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Ministack]:
    """An empty account; all that it ran is gone at the end, and its log is kept."""
    python = locked_environment(LOCK, pytestconfig) / "bin" / "python"
    folder = tmp_path_factory.mktemp("ministack")
    # Functions are unpacked there, each worker of each.
    scratch = folder / "scratch"
    scratch.mkdir()
    port = _free_port()
    started = Ministack(
        f"https://127.0.0.1:{port}", make_certificate(folder), folder / "ministack.log"
    )
    command = [sys.executable, killed_with_us.__file__, str(python), "-m", "ministack"]
    with started.log.open("wb") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=log, stderr=log, cwd=folder,
            env=_environment(started, port=port, scratch=scratch),
        )  # fmt: skip
    try:
        _wait_until_up(started, process)
        yield started
    finally:
        process.communicate()
        shutil.rmtree(scratch, ignore_errors=True)


def _environment(server: Ministack, *, port: int, scratch: Path) -> dict[str, str]:
    certificate = server.certificate
    return {
        # Nothing of the developer's own account, and no packages but its own.
        **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
        **ROOT_KEYS,
        "AUTH": "true",
        "BIND_HOST": "127.0.0.1",
        "GATEWAY_PORT": str(port),
        "MINISTACK_ACCOUNT_ID": ACCOUNT,
        "MINISTACK_REGION": REGION,
        # It would listen on another port.
        "IOT_MTLS_ENABLED": "0",
        "TMPDIR": str(scratch),
        "S3_DATA_DIR": str(scratch / "s3"),
        "STATE_DIR": str(scratch / "state"),
        # The bucket policies refuse plain HTTP.
        "USE_SSL": "1",
        "MINISTACK_SSL_CERT": str(certificate.path),
        "MINISTACK_SSL_KEY": str(certificate.key),
        # For the functions, and for itself where it fetches the keys of an issuer of tokens.
        "AWS_CA_BUNDLE": str(certificate.path),
        "SSL_CERT_FILE": str(certificate.path),
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def _wait_until_up(server: Ministack, process: "subprocess.Popen[bytes]") -> None:
    deadline_s = time.monotonic() + _START_TIMEOUT_S  # noqa: TID251 - a foreign process
    with httpx.Client(verify=server.trust, trust_env=False) as client:
        while process.poll() is None and time.monotonic() < deadline_s:  # noqa: TID251 - as above
            if _answers(client, server.url):
                return
            time.sleep(0.1)  # noqa: TID251 - as above
    pytest.fail(f"ministack did not start: {server.said()}")


def _answers(client: httpx.Client, url: str) -> bool:
    try:
        return client.get(f"{url}/_ministack/health", timeout=2).is_success
    except httpx.TransportError:
        return False
