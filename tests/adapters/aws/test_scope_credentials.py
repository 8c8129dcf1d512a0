"""Credentials of a scope: how they are asked for, how long they are kept, and for whom."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.exceptions import ClientError

from emulation.fake_sts import FakeSts
from emulation.long_timeouts import long_timeouts
from emulation.s3_endpoint import dummy_environment
from everturn.adapters.aws.scope_credentials import ScopeCredentials, make_client, session_tags
from everturn.adapters.system_clock import ManualClock, SystemClock
from everturn.errors import InvalidRequestError, MisconfiguredError, NotSentError, UnavailableError
from everturn.local.emulation.moto_s3 import MotoServer
from everturn.values.keys import Scope, Token, key_token

ROLE = "arn:aws:iam::111122223333:role/ScopeRole"
POLICY = "arn:aws:iam::111122223333:policy/AppendObjects"
ALICE, BOB = Scope("acme", "alice"), Scope("acme", "bob")
HOUR_S, MARGIN_S = 3_600, 300


def answered(status: int, code: str) -> ClientError:
    response: Any = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "AssumeRole")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def sts(clock: ManualClock) -> FakeSts:
    return FakeSts(clock)


@pytest.fixture
def held(sts: FakeSts, clock: ManualClock) -> ScopeCredentials:
    return ScopeCredentials(sts, role_arn=ROLE, policy_arn=POLICY, clock=clock, max_scopes=2)


@pytest.mark.parametrize("part", ["*", "", "a/b", "${x}", "~", "~" + "a" * 32, "-", ".tokens"])
def test_what_only_claims_to_be_a_part_of_a_key_gets_no_credentials(
    held: ScopeCredentials, sts: FakeSts, part: str
) -> None:
    for scope in (Scope(Token(part), "alice"), Scope("acme", Token(part))):
        with pytest.raises(InvalidRequestError):
            held.of(scope)
    assert sts.requests == []


def test_a_role_is_assumed_for_an_hour_with_the_function_s_policy_and_no_id_in_its_name(
    held: ScopeCredentials, sts: FakeSts
) -> None:
    credentials = held.of(ALICE)
    [request] = sts.requests
    assert request == {
        "RoleArn": ROLE,
        "RoleSessionName": "everturn",
        "DurationSeconds": HOUR_S,
        "PolicyArns": [{"arn": POLICY}],
        "Tags": [{"Key": name, "Value": value} for name, value in session_tags(ALICE)],
    }
    assert credentials.access_key == "key-1"
    assert credentials.token == "tenant=acme&tenant_hash=-&actor=alice&actor_hash=-"


def test_without_a_policy_the_role_is_assumed_as_it_is(sts: FakeSts, clock: ManualClock) -> None:
    ScopeCredentials(sts, role_arn=ROLE, policy_arn="", clock=clock).of(ALICE)
    assert "PolicyArns" not in sts.requests[0]


def test_credentials_are_asked_for_once_and_never_used_in_their_last_five_minutes(
    held: ScopeCredentials, sts: FakeSts, clock: ManualClock
) -> None:
    first = held.of(ALICE)
    clock.sleep(HOUR_S - MARGIN_S - 1)
    assert held.of(ALICE) is first
    clock.sleep(1)
    assert held.of(ALICE).access_key == "key-2"
    assert len(sts.requests) == 2


def test_credentials_end_by_the_time_of_day_which_runs_on_in_a_frozen_process(
    held: ScopeCredentials, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "monotonic_s", lambda: 0.0)
    held.of(ALICE)
    clock.sleep(HOUR_S)
    assert held.of(ALICE).access_key == "key-2"


HASH = key_token("a/b").removeprefix("~")


@pytest.mark.parametrize(
    "other",
    [
        BOB,
        Scope("other", "alice"),
        Scope("alice", "acme"),
        Scope("a/b", "alice"),
        Scope(HASH, "alice"),
        Scope("acme", "a/b"),
        Scope("acme", HASH),
    ],
)
def test_two_scopes_have_credentials_of_their_own(
    sts: FakeSts, clock: ManualClock, other: Scope
) -> None:
    """A scope is its tenant and its actor, and a hashed id is not the id that reads as its hash."""
    held = ScopeCredentials(sts, role_arn=ROLE, policy_arn=POLICY, clock=clock)
    for scope in (ALICE, other, Scope("a/b", "a/b"), Scope(HASH, HASH)):
        tags = "&".join(f"{name}={value}" for name, value in session_tags(scope))
        assert held.of(scope).token == tags
        assert held.of(scope) is held.of(scope)
    assert len(sts.requests) == 4


def test_those_used_longest_ago_go_beyond_the_bound(held: ScopeCredentials, sts: FakeSts) -> None:
    for scope in (ALICE, BOB, ALICE, Scope("acme", "carol")):
        held.of(scope)
    assert len(sts.requests) == 3
    held.of(ALICE)
    assert len(sts.requests) == 3
    held.of(BOB)
    assert len(sts.requests) == 4


def test_threads_that_want_the_same_credentials_ask_once(
    held: ScopeCredentials, sts: FakeSts
) -> None:
    waiting, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        waiting.set()
        assert go_on.wait(60)

    sts.step_in = wait
    with ThreadPoolExecutor(8) as executor:
        asked = [executor.submit(held.of, ALICE) for _ in range(8)]
        assert waiting.wait(60)
        go_on.set()
        assert {one.result(60).access_key for one in asked} == {"key-1"}
    assert len(sts.requests) == 1


def test_a_scope_does_not_wait_for_another(held: ScopeCredentials, sts: FakeSts) -> None:
    waiting, go_on = threading.Event(), threading.Event()

    def wait_once() -> None:
        if len(sts.requests) == 1:
            waiting.set()
            assert go_on.wait(60)

    sts.step_in = wait_once
    with ThreadPoolExecutor(1) as executor:
        alice = executor.submit(held.of, ALICE)
        assert waiting.wait(60)
        assert held.of(BOB).access_key == "key-2"
        go_on.set()
        assert alice.result(60).access_key == "key-1"


@pytest.mark.parametrize(
    ("status", "code", "expected"),
    [(403, "AccessDenied", MisconfiguredError), (400, "Throttling", NotSentError)],
)
def test_a_failure_is_everybody_s_who_waits_and_the_next_call_asks_anew(
    held: ScopeCredentials, sts: FakeSts, status: int, code: str, expected: type[Exception]
) -> None:
    waiting, go_on = threading.Event(), threading.Event()

    def refuse() -> None:
        waiting.set()
        assert go_on.wait(60)
        raise answered(status, code)

    sts.step_in = refuse
    with ThreadPoolExecutor(4) as executor:
        asked = [executor.submit(held.of, ALICE) for _ in range(4)]
        assert waiting.wait(60)
        go_on.set()
        errors = [one.exception(60) for one in asked]
    assert {type(error) for error in errors} == {expected}
    assert {str(error.__cause__) for error in errors if error} == {str(answered(status, code))}
    # Each thread adds its own frames to what it raises.
    assert len({id(error) for error in errors}) == 4
    known = len(sts.requests)
    sts.step_in = lambda: None
    assert held.of(ALICE).access_key == f"key-{known + 1}"


def test_what_ends_the_thread_that_asks_ends_no_other(held: ScopeCredentials, sts: FakeSts) -> None:
    waiting, go_on = threading.Event(), threading.Event()

    def be_interrupted() -> None:
        if len(sts.requests) == 1:
            waiting.set()
            assert go_on.wait(60)
            raise KeyboardInterrupt

    sts.step_in = be_interrupted
    with ThreadPoolExecutor(4) as executor:
        first = executor.submit(held.of, ALICE)
        assert waiting.wait(60)
        others = [executor.submit(held.of, ALICE) for _ in range(3)]
        # Long enough for them to wait too; one that comes later asks anew.
        SystemClock().sleep(0.1)
        go_on.set()
        assert isinstance(first.exception(60), KeyboardInterrupt)
        for other in others:
            assert isinstance(other.exception(60), UnavailableError | None)
    assert held.of(ALICE).access_key == "key-2"


def test_credentials_that_are_renewed_without_success_are_not_used(
    held: ScopeCredentials, sts: FakeSts, clock: ManualClock
) -> None:
    held.of(ALICE)
    clock.sleep(HOUR_S)

    def fall_silent() -> None:
        raise answered(503, "ServiceUnavailable")

    sts.step_in = fall_silent
    for _ in range(2):
        with pytest.raises(NotSentError, match="code=ServiceUnavailable"):
            held.of(ALICE)
    assert len(sts.requests) == 3


def test_moto_hands_the_role_out(moto_server: MotoServer) -> None:
    """It takes the tags and the policy, and asks nobody whether they may have them."""
    moto_server.reset()
    with dummy_environment():
        with long_timeouts():
            sts = make_client(endpoint_url=moto_server.url)
        held = ScopeCredentials(sts, role_arn=ROLE, policy_arn=POLICY, clock=SystemClock())
        alice, bob = held.of(ALICE), held.of(BOB)
        assert held.of(ALICE) is alice
    assert alice.access_key != bob.access_key
    assert alice.token
