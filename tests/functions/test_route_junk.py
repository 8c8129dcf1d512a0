"""Headers, queries and cursors of any size and form.

Refused or ignored, at once, on every route.
"""

import base64
from typing import Final

import pytest

from cpu_time import cpu_limit
from functions.every_route import CALLS, Call
from functions.invoked import SESSION, Invoked, iam

ME: Final = iam(f"{SESSION}/Agent/me")
# CPU seconds: whatever is sent costs a fraction of them.
MAX_S: Final = 2.0


@pytest.fixture(scope="module")
def invoke(tmp_path_factory: pytest.TempPathFactory) -> Invoked:
    return Invoked(tmp_path_factory.mktemp("store"))


JUNK: Final = [
    "x" * 100_000, "[" * 100_000, "=" * 100, " ", "☃" * 1_000,
    *(base64.urlsafe_b64encode(text.encode()).decode() for text in (
        "[" * 50_000, "[" + "9" * 5_000 + "]", '[1e999,"c"]', "{}", "[]", "null", "[null,null]",
        '["memory",7]', '["c","",-1,0]', '["zz","x",0,0]', '["c","../../x",0,0]', '["../x"]',
        "[" + ",".join("1" * 50_000) + "]",
    )),
]  # fmt: skip
SHAPELESS: Final = 12
CURSORED: Final = [
    "GET /v1/conversations", "GET /v1/turns/recent", "GET /v1/memories", "GET /v1/export",
    "GET /v1/documents/{space}",
]  # fmt: skip


@pytest.mark.parametrize("route", CURSORED)
def test_a_cursor_that_is_junk_is_refused(invoke: Invoked, route: str) -> None:
    for junk in JUNK:
        with cpu_limit(MAX_S):
            query = {"queryStringParameters": {"cursor": junk}}
            status, answer = invoke(Call(route), ME, **query)
        # What has the form of one names a place that is nobody's, in the caller's own list.
        if status != 200 or junk in JUNK[:SHAPELESS]:
            assert (status, answer["error"]["field"]) == (422, "cursor"), junk[:20]


@pytest.mark.parametrize("header", ["if-match", "if-none-match", "idempotency-key", "content-type"])
def test_a_header_of_a_hundred_kilobytes_is_refused_or_ignored(
    invoke: Invoked, header: str
) -> None:
    """API Gateway lets 10,240 bytes of headers through; a handler does not rely on it.

    https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html
    """
    for call in CALLS:
        with cpu_limit(MAX_S):
            assert invoke(call, ME, {header: "x" * 100_000})[0] < 500, call.route


def test_a_query_of_a_hundred_kilobytes_is_no_fault_of_ours(invoke: Invoked) -> None:
    words = " ".join(f"w{number}" for number in range(20_000))
    names = ("q", "prefix", "folder", "since", "until", "roles", "kind", "limit", "last", "from")
    for call in CALLS:
        if call.method == "GET":
            for name in names:
                query = {"queryStringParameters": {name: words}}
                with cpu_limit(MAX_S):
                    assert invoke(Call(call.route), ME, **query)[0] < 500, (call.route, name)


def test_what_declares_no_body_is_answered_as_if_it_declared_nothing(invoke: Invoked) -> None:
    for call in CALLS:
        if call.body is not None:
            bare, told = (
                invoke(Call(call.route, query=call.query), ME, headers)
                for headers in ({}, {"content-type": "text/plain"})
            )
            assert bare[0] < 500, call.route
            assert (told[0], told[1].get("error")) == (bare[0], bare[1].get("error")), call.route
