"""The table of errors in chat answers: complete, and right where callers act differently."""

import pytest

from everturn.adapters.http.errors import CODES, chat_error, status_within
from everturn.adapters.http.optional_parameters import PartsRefusedError
from everturn.adapters.http.service_retries import BusyError, TextsRefusedError
from everturn.errors import EverturnError, MisconfiguredError, UnavailableError

PRIVATE = "my door code is 4711"
DOCUMENTS: list[object] = [
    None, [], {}, "no", PRIVATE, {"error": PRIVATE}, {"error": None}, {"error": {"code": PRIVATE}},
    {"error": {"message": PRIVATE, "type": ["x"]}}, {"detail": PRIVATE}, {"message": PRIVATE},
]  # fmt: skip


@pytest.mark.parametrize("document", DOCUMENTS, ids=repr)
def test_every_status_has_an_answer_whatever_its_body(document: object) -> None:
    for status in (*range(100, 600), 0, 999):
        error = chat_error(status, document)
        assert isinstance(error, (MisconfiguredError, TextsRefusedError, UnavailableError))
        assert error.message.endswith(f"status={status}")
        assert PRIVATE not in str(error)


@pytest.mark.parametrize("status", [200, 400, 403, 404, 413, 422])
@pytest.mark.parametrize("code", CODES)
def test_a_known_code_says_more_than_the_status(code: str, status: int) -> None:
    for error in ({"code": code.upper()}, {"type": code, "code": "400"}, {"code": code}):
        for document in (error, {"error": error}):
            found = chat_error(status, document)
            assert type(found) is CODES[code]
            assert found.message == f"it answered with an error status={status} code={code}"


def test_the_table_knows_what_callers_tell_apart() -> None:
    assert set(CODES.values()) == {MisconfiguredError, TextsRefusedError, UnavailableError}
    assert all(code == code.lower() for code in CODES)


@pytest.mark.parametrize(
    ("document", "parts"),
    [
        (
            {"error": {"param": "temperature", "message": "max_tokens"}},
            ("temperature", "max_tokens"),
        ),
        ({"error": {"param": "max_tokens", "message": "x"}}, ("max_tokens",)),
        ({"error": "'response_format.type' must be 'text'"}, ("response_format",)),
        ({"detail": [{"loc": ["body", "response_format"]}]}, ("response_format",)),
        ({"object": "error", "message": "temperature ...", "param": None}, ("temperature",)),
        ("max_tokens", ("max_tokens",)),
        ({"error": {"message": "max_tokens_exceeded, my_temperature"}}, ()),
        ({"error": {"message": PRIVATE}}, ()),
        (None, ()),
    ],
)
def test_a_refusal_names_parts_of_the_request(document: object, parts: tuple[str, ...]) -> None:
    for status in (400, 422):
        error = chat_error(status, document)
        assert isinstance(error, PartsRefusedError)
        assert error.parts == parts
    assert type(chat_error(413, document)) is TextsRefusedError


def test_a_pause_is_kept_where_another_try_may_help() -> None:
    busy = chat_error(429, {"error": {"message": PRIVATE}}, after_s=1.5)
    assert isinstance(busy, BusyError)
    assert busy.after_s == 1.5


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 502}, 502),
        ({"code": "429"}, 429),
        ({"code": 200}, 0),
        ({"code": "content_filter"}, 0),
        ({"code": None}, 0),
        ({"code": True}, 0),
        ({}, 0),
        ("429", 0),
        ([], 0),
    ],
)
def test_a_status_may_stand_in_the_body(error: object, status: int) -> None:
    assert status_within(error) == status


@pytest.mark.parametrize(
    ("status", "raised"),
    [
        (401, MisconfiguredError),
        (402, MisconfiguredError),
        (403, MisconfiguredError),
        (404, MisconfiguredError),
        (408, UnavailableError),
        (429, UnavailableError),
        (500, UnavailableError),
        (503, UnavailableError),
    ],
)
def test_the_rest_is_the_table_of_statuses(status: int, raised: type[EverturnError]) -> None:
    assert type(chat_error(status, None)) is raised
