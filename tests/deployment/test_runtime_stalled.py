"""AWS that takes connections and never answers: every function answers before Lambda ends it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from deployment.moto_account import Account
from deployment.stalled_aws import behind_a_silent_proxy
from deployment.template_functions import function_of_route, sample_event
from emulation.lambda_sandbox import Deployed, Sandbox
from emulation.refusing_proxy import refusing_proxy
from emulation.stalled_server import stalled_server
from everturn.adapters.system_clock import SystemClock

pytestmark = pytest.mark.slow

# One event of each function of the API, in the order of how much it asks the store.
EVENTS: Final = (
    "append", "patch", "list", "put_document", "redact_turn", "erase_scope", "recall", "remember",
    "record_outcome", "context",
)  # fmt: skip
TIMEOUT_S: Final = 20.0


@pytest.fixture
def stalled() -> Iterator[str]:
    with stalled_server() as url:
        yield url


def _asked(sandbox: Sandbox, name: str) -> tuple[int, float]:
    """Status, and seconds it took, of a function that has started."""
    clock = SystemClock()
    asked = sample_event(f"{name}_iam")
    sandbox.invoke({**asked, "requestContext": {**asked["requestContext"], "authorizer": None}})
    began_s = clock.monotonic_s()
    answer = sandbox.invoke(asked)
    return answer["statusCode"], clock.monotonic_s() - began_s


def _functions() -> list[str]:
    names = [function_of_route(sample_event(f"{name}_iam")["routeKey"]) for name in EVENTS]
    assert len(set(names)) == len(EVENTS)
    return names


def _assert_each_answers_503_in_time(account: Account, functions: list[Deployed]) -> None:
    """All at once: they wait, and need no CPU."""
    sandboxes = [account.sandbox(function) for function in functions]
    with ThreadPoolExecutor(len(EVENTS)) as threads:
        answers = dict(zip(EVENTS, threads.map(_asked, sandboxes, EVENTS), strict=True))

    assert {name: status for name, (status, _) in answers.items()} == dict.fromkeys(EVENTS, 503)
    assert all(took_s < TIMEOUT_S for _, took_s in answers.values()), answers


def test_a_function_answers_503_before_it_is_ended(account: Account, stalled: str) -> None:
    functions = [behind_a_silent_proxy(account.deployed(name), stalled) for name in _functions()]
    _assert_each_answers_503_in_time(account, functions)


def test_so_it_does_where_nobody_tells_whether_a_refused_object_is_absent(account: Account) -> None:
    """STS hands out credentials, S3 refuses each get, and does not answer lists."""
    role = {
        "EVERTURN_SCOPE_ROLE": "arn:aws:iam::123456789012:role/scope",
        "AWS_ENDPOINT_URL_STS": account.url,
    }
    with refusing_proxy() as url:
        functions = [
            behind_a_silent_proxy(account.deployed(name, role), url) for name in _functions()
        ]
        _assert_each_answers_503_in_time(account, functions)


def test_an_append_is_stored_where_only_the_queue_stalls(account: Account, stalled: str) -> None:
    """It leaves a marker, for a worker that ends a job later."""
    sandbox = account.sandbox(account.deployed("Append", {"AWS_ENDPOINT_URL_SQS": stalled}))

    status, took_s = _asked(sandbox, "append")

    assert status == 200
    assert took_s < TIMEOUT_S / 2
    assert len(account.keys("DerivedBucket", "dirty/")) == 1
