"""The functions with a role of scopes, on S3: who signs what, and how many requests it costs.

moto asks nobody who signed: it knows no conditions on a principal's tags.
"""

import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.exceptions import ClientError

from cases.worker import record_of
from emulation.fake_sts import FakeSts
from emulation.long_timeouts import long_timeouts
from emulation.s3_endpoint import dummy_environment
from emulation.s3_faults import answered
from emulation.s3_wire import Wire
from everturn.adapters.aws.s3_clients import shared_clients
from everturn.adapters.aws.scope_credentials import session_tags
from everturn.adapters.aws.session import shared_session
from everturn.adapters.system_clock import ManualClock, SeededEntropy, SystemClock
from everturn.local.bundle import find_bundle
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.local.functions import Handler, load_handlers
from everturn.local.gateway import Gateway, open_gateway
from everturn.local.invocation import LambdaContext, dashed_id
from everturn.local.job_worker import FUNCTION
from everturn.local.template import read_function
from everturn.values.job import Job
from everturn.values.keys import Scope
from functions.every_route import CALLS, prepare
from functions.house import House, client_of

ALICE, BOB = Scope("acme", "alice"), Scope("acme", "b/c")
# Of another tenant, with an id that means somebody else there.
NAMESAKE = Scope("other", "alice")
USERS = (ALICE, BOB, NAMESAKE)
# Says what there is to say, and that it is not complete.
STATUS = "GET /v1/status"
APPEND = "POST /v1/conversations/{id}/turns"
TOKEN = "x-amz-security-token"
_ABSENT = 404
# So many reads of a route go on though another one failed; whoever tries again asks six times.
_READS = 3


class Forbidding(Wire):
    """Answers 403 where an object is absent, as S3 does without `s3:ListBucket` for its key."""

    def __call__(self, request: AWSPreparedRequest, **options: object) -> AWSResponse | None:
        url = urlsplit(request.url or "")
        if request.method == "GET" and not url.query and not _is_there(urlunsplit(url)):
            self.sent.append(request)
            return answered(request, 403, "AccessDenied")
        return super().__call__(request, **options)


def _is_there(url: str) -> bool:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=60):  # noqa: S310 - the test's own server
            return True
    except urllib.error.HTTPError as error:
        # What is there is nobody's to read without a signature.
        return error.code != _ABSENT


@dataclass
class Deployed:
    """The functions of a stack with TenantRole in one process."""

    gateway: Gateway
    worker: Handler
    wire: Wire
    sts: FakeSts
    log: Path

    def client(self, scope: Scope) -> httpx.Client:
        headers = {"x-everturn-tenant": scope.tenant, "x-everturn-actor": scope.actor}
        return client_of(self.gateway, headers)

    def work(self, *jobs: Job) -> None:
        """Do jobs in one event, which must not fail."""
        clock, entropy = SystemClock(), SeededEntropy()
        context = LambdaContext(dashed_id(entropy), FUNCTION, clock, clock.monotonic_s() + 240)
        records = [record_of(f"m{number}", job.encode()) for number, job in enumerate(jobs)]
        assert self.worker({"Records": records}, context) == {"batchItemFailures": []}

    def signers(self) -> list[str]:
        """The session tokens of the requests since the last look; "" is the function's own role."""
        found = []
        for request in self.wire.sent:
            headers: Mapping[str, object] = {
                name.lower(): value for name, value in request.headers.items()
            }
            token = headers.get(TOKEN, b"")
            found.append(token.decode() if isinstance(token, bytes) else str(token))
        self.wire.sent.clear()
        return found


def _token(scope: Scope) -> str:
    return "&".join(f"{name}={value}" for name, value in session_tags(scope))


@pytest.fixture
def deployed(
    moto_server: MotoServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Deployed]:
    moto_server.reset()
    sts = FakeSts(SystemClock())
    monkeypatch.setattr("everturn.adapters.aws.scope_credentials.shared_client", lambda: sts)
    caches = (shared_session, shared_clients)
    for cache in caches:
        cache.cache_clear()
    with dummy_environment() as patch, long_timeouts():
        patch.setenv("AWS_ENDPOINT_URL", moto_server.url)
        clients, bucket = shared_clients(), tmp_path.name.replace("_", "-").lower()
        settings = {
            "EVERTURN_STORE": f"s3://data-{bucket}",
            "EVERTURN_DERIVED_STORE": f"s3://derived-{bucket}",
            "EVERTURN_SCOPE_ROLE": "arn:aws:iam::111122223333:role/ScopeRole",
        }
        for kind in ("data", "derived"):
            clients.writes.create_bucket(Bucket=f"{kind}-{bucket}")
        bundle = find_bundle()
        gateway = open_gateway(settings, log=tmp_path / "log", bundle=bundle)
        function = read_function(bundle.template, FUNCTION)
        handlers = load_handlers({function}, bundle=bundle, settings=settings)
        wire = Forbidding(clients)
        yield Deployed(gateway, handlers[FUNCTION], wire, sts, tmp_path / "log")
        wire.close()
        clients.writes.close()
        clients.reads.close()
    for cache in caches:
        cache.cache_clear()


def _house(deployed: Deployed, scope: Scope) -> House:
    """A house for the table of requests, which asks it for nothing but its client."""
    return House(deployed.gateway, None, deployed.log, deployed.client(scope))  # type: ignore[arg-type]


@pytest.mark.slow
def test_every_request_to_s3_is_signed_for_the_caller_and_sts_is_asked_once_for_each(
    deployed: Deployed,
) -> None:
    """Three users take turns on one process; an absent key answers 403, and no caller notices."""
    houses = {scope: _house(deployed, scope) for scope in USERS}
    rids = {}
    for scope, house in houses.items():
        rids[scope] = prepare(house)
        assert set(deployed.signers()) == {_token(scope)}
    for call in CALLS:
        for scope, house in houses.items():
            response = call.send(house, rid=rids[scope], count="3")
            assert response.is_success, response.text
            assert set(deployed.signers()) == {_token(scope)}
    asked = [{tag["Key"]: tag["Value"] for tag in one["Tags"]} for one in deployed.sts.requests]
    assert asked == [dict(session_tags(scope)) for scope in USERS]


def test_a_job_reads_and_writes_for_its_own_scope_alone(deployed: Deployed) -> None:
    for scope in USERS:
        house = _house(deployed, scope)
        assert house.append("c1", "Remember that the port is 8080.").is_success
        deployed.signers()
        deployed.work(Job(scope, "c1"))
        assert set(deployed.signers()) == {_token(scope)}
        assert len(house.read("/v1/memories")["memories"]) == 1
    deployed.signers()
    deployed.work(*(Job(scope, "c1") for scope in USERS))
    signers, tokens = deployed.signers(), [_token(scope) for scope in USERS]
    assert signers == sorted(signers, key=tokens.index)
    assert set(signers) == set(tokens)
    assert len(deployed.sts.requests) == 3


def test_a_new_conversation_costs_one_request_more_and_a_known_one_none(
    deployed: Deployed,
) -> None:
    house = _house(deployed, ALICE)
    assert house.append("c1", "a").is_success
    assert deployed.wire.methods() == ["GET", "GET", "PUT"]
    deployed.wire.sent.clear()
    assert house.append("c1", "b").is_success
    assert deployed.wire.methods() == ["PUT"]


def test_without_the_role_nothing_is_read_and_the_caller_hears_no_more_than_that(
    deployed: Deployed,
) -> None:
    house = _house(deployed, ALICE)
    for status, code, told in ((403, "AccessDenied", 500), (400, "Throttling", 503)):
        fault = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}

        def refuse(fault: Any = fault) -> None:  # noqa: ANN401 - botocore's own type
            raise ClientError(fault, "AssumeRole")

        deployed.sts.step_in = refuse
        response = house.append("c1", "a")
        assert response.status_code == told
        assert code not in response.text
        assert f"code={code}" in deployed.log.read_text()
    assert deployed.wire.sent == []


@pytest.mark.parametrize(("status", "code"), [(403, "AccessDenied"), (400, "Throttling")])
def test_no_route_tries_again_while_sts_hands_nothing_out(
    deployed: Deployed, monkeypatch: pytest.MonkeyPatch, status: int, code: str
) -> None:
    """Else it is asked more the less it can answer, by processes that know heads as well."""
    # By this clock what it hands out is over at once, so that each request to S3 needs another.
    monkeypatch.setattr(deployed.sts, "_clock", ManualClock())
    house = _house(deployed, ALICE)
    rid = prepare(house)
    fault: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}

    def refuse() -> None:
        raise ClientError(fault, "AssumeRole")

    deployed.sts.step_in = refuse
    deployed.wire.sent.clear()
    told = 503 if code == "Throttling" else 500
    for call in CALLS:
        deployed.sts.requests.clear()
        response = call.send(house, rid=rid, count="3")
        assert response.status_code == (200 if call.route == STATUS else told), call.route
        most = 1 if call.route == APPEND else _READS
        assert 1 <= len(deployed.sts.requests) <= most, call.route
    assert deployed.wire.sent == []
