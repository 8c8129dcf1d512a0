"""One JSON request over HTTP: the pause that an answer asks for, and which bodies are read."""

from typing import Any

import httpx
import pytest

from adapters.http.chat_calls import plain_transport
from emulation.chat_service import ChatService
from everturn.adapters.http.post import HttpAnswer, open_client, pause_s, post_json
from everturn.adapters.system_clock import ManualClock

NOON = "Wed, 21 Oct 2026 12:00:00 GMT"
LATER = "Wed, 21 Oct 2026 12:00:09 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "0"}, 0),
        ({"Retry-After": "120"}, 120),
        ({"Retry-After": "1.5"}, 1.5),
        ({"Retry-After": LATER, "Date": NOON}, 9),
        ({"Retry-After": NOON, "Date": LATER}, 0),
        ({"Retry-After": LATER}, None),
        ({"Retry-After": LATER, "Date": "noon"}, None),
        ({"Retry-After": "21 Oct 2026 12:00:09 -0000", "Date": NOON}, None),
        ({"Date": NOON}, None),
        *[({"Retry-After": text, "Date": NOON}, None)
          for text in ("", "-1", "1e9", "nan", "inf", "0x10", "\u0663", "9" * 400, "soon")],
    ],
)  # fmt: skip
def test_a_pause_is_seconds_or_a_date_by_the_clock_of_the_server(
    headers: dict[str, str], seconds: float | None
) -> None:
    raw = [(name.encode(), text.encode()) for name, text in headers.items()]
    assert pause_s(httpx.Headers(raw)) == seconds


def posted(answer: Any, *, wanted: set[int]) -> HttpAnswer:  # noqa: ANN401 - as a test has it
    with (
        ChatService(lambda _: answer) as service,
        plain_transport() as transport,
        open_client(key="", headers=(), transport=transport) as client,
    ):
        return post_json(
            client,
            service.url,
            {"a": 1},
            clock=ManualClock(),
            timeout_s=60,
            max_bytes=100,
            wanted=wanted,
        )


def test_a_body_is_read_where_it_is_wanted() -> None:
    assert posted((200, {}, "yes"), wanted={200}) == HttpAnswer(200, b"yes", None)
    failed = (429, {"Retry-After": "3"}, "no")
    assert posted(failed, wanted={200}) == HttpAnswer(429, b"", 3)
    assert posted(failed, wanted={200, 429}) == HttpAnswer(429, b"no", 3)


def test_a_body_that_is_not_wanted_may_have_no_end() -> None:
    assert posted((500, {"Content-Length": "9" * 12}, "x"), wanted={200}).status == 500
