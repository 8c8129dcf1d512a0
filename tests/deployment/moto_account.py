"""The template's functions as Lambda has them, on buckets and queues that moto emulates."""

import dataclasses
import itertools
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from deployment.template_functions import deployed_function, function_of_route
from emulation.lambda_sandbox import Deployed, Sandbox, lay_out_client
from emulation.moto_sqs import fresh_queues
from emulation.s3_endpoint import emulator_clients
from everturn.adapters.aws.s3_clients import S3Clients
from everturn.adapters.aws.s3_store import S3Store
from everturn.local.emulation.moto_s3 import MotoServer

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

Json = dict[str, Any]
_RECEIVES: Final = 3
_NONE: Final[Mapping[str, str]] = {}
# Each module of tests has buckets of its own.
_ACCOUNTS: Final = itertools.count()


@dataclass(frozen=True, slots=True)
class Account:
    """Physical names by logical id, and where they are served."""

    url: str
    s3: S3Clients
    sqs: "SQSClient"
    names: Mapping[str, str]
    layer: Path
    client: Path
    folder: Path
    _open: ExitStack = field(default_factory=ExitStack)
    _numbers: "itertools.count[int]" = field(default_factory=itertools.count)
    _sandboxes: dict[str, Sandbox] = field(default_factory=dict)

    def deployed(
        self, name: str, variables: Mapping[str, str] = _NONE, *, code: Path | None = None
    ) -> Deployed:
        """A function with the variables that the template gives it, and these beside.

        Its folder, or `code` in place of it, is laid out anew, as /var/task.
        """
        emulated = {"AWS_ENDPOINT_URL_S3": self.url, "AWS_ENDPOINT_URL_SQS": self.url}
        function = deployed_function(
            name, layer=self.layer, names=self.names, variables={**emulated, **variables}
        )
        task = self._new("task")
        shutil.copytree(code or function.code, task, ignore=shutil.ignore_patterns("__pycache__"))
        return dataclasses.replace(function, code=task)

    def sandbox(self, function: Deployed) -> Sandbox:
        """An environment of its own for a function; it ends with the account."""
        sandbox = Sandbox(function, client=self.client, log=self._new("log"))
        self._open.callback(sandbox.close)
        return sandbox

    def running(self, name: str) -> Sandbox:
        """The environment that answers for a function."""
        if name not in self._sandboxes:
            self._sandboxes[name] = self.sandbox(self.deployed(name))
        return self._sandboxes[name]

    def request(self, asked: Json) -> tuple[int, Json]:
        """Have an HTTP event answered by its route's function: status, and body as JSON."""
        answer = self.running(function_of_route(asked["routeKey"])).invoke(asked)
        return answer["statusCode"], _json_of(answer["body"])

    def keys(self, bucket: str, prefix: str = "") -> list[str]:
        """The first thousand keys of a bucket, which is given by its logical id."""
        store = S3Store(
            bucket=self.names[bucket], prefix="", writes=self.s3.writes, reads=self.s3.reads
        )
        return list(store.list(prefix).keys)

    def put(self, bucket: str, key: str, body: bytes) -> None:
        """Put an object there as another program would."""
        self.s3.writes.put_object(Bucket=self.names[bucket], Key=key, Body=body)

    def _new(self, kind: str) -> Path:
        return self.folder / f"{kind}-{next(self._numbers)}"

    def close(self) -> None:
        """End all that runs."""
        self._open.close()


@pytest.fixture(scope="module")
def account(
    moto_server: MotoServer,
    sqs_client: "SQSClient",
    layer: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Account]:
    """The functions on buckets and queues that are this module's alone."""
    s3 = emulator_clients(moto_server.url)
    number = next(_ACCOUNTS)
    buckets = {name: f"{name.lower()}-{number}" for name in ("DataBucket", "DerivedBucket")}
    for bucket in buckets.values():
        s3.writes.create_bucket(Bucket=bucket)
    queues = fresh_queues(sqs_client, max_receives=_RECEIVES)
    names = {**buckets, "JobQueue": queues.url, "DeadLetters": queues.dead_url}
    client = lay_out_client(tmp_path_factory.mktemp("runtime"))
    folder = tmp_path_factory.mktemp("account")
    opened = Account(moto_server.url, s3, sqs_client, names, layer, client, folder)
    yield opened
    opened.close()
    s3.writes.close()
    s3.reads.close()


def _json_of(body: str) -> Json:
    """The first line: an export has several."""
    lines = body.splitlines()
    found: Json = json.loads(lines[0]) if lines else {}
    return found
