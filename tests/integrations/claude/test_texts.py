"""Who says what in an entry."""

from typing import Any

import pytest

from everturn.integrations.claude.entries import said_in

NOBODY = ("system", "")
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "14 degrees"}


def made(kind: str, content: object, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON
    return {"type": kind, "message": {"role": kind, "content": content}, **more}


def text(*texts: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": one} for one in texts]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (made("user", "Hello"), ("user", "Hello")),
        (made("user", text("Hello", "there")), ("user", "Hello\nthere")),
        (made("assistant", text("Hi")), ("assistant", "Hi")),
        (
            made("assistant", [{"type": "thinking", "thinking": "hm"}, *text("Hi")]),
            ("assistant", "Hi"),
        ),
        (made("assistant", [{"type": "tool_use", "input": {"text": "x"}}]), ("assistant", "")),
        (made("user", [RESULT]), ("tool", "")),
        (made("user", [RESULT, *text("and now?")]), ("tool", "")),
        (made("user", "Hello", isMeta=True), NOBODY),
        (made("user", "So far: ...", isCompactSummary=True), NOBODY),
        (made("user", "Look it up", isSidechain=True), NOBODY),
        (made("assistant", text("API Error: 529"), isApiErrorMessage=True), NOBODY),
        (made("user", "<command-name>/clear</command-name>"), NOBODY),
        (made("user", "<local-command-stdout>ok</local-command-stdout>"), NOBODY),
        (made("user", "[Request interrupted by user for tool use]"), NOBODY),
        (made("user", text("<system-reminder>x</system-reminder>", "Hello")), ("user", "Hello")),
        (made("user", "<div> is a tag"), ("user", "<div> is a tag")),
        (made("user", []), NOBODY),
        ({"type": "user"}, NOBODY),
        ({"type": "user", "message": "Hello"}, NOBODY),
        (made("user", [None, 1, {"type": "text"}, {"type": "text", "text": 2}]), NOBODY),
        ({"type": "summary", "summary": "A talk"}, NOBODY),
        ({"type": "custom-title", "customTitle": "A talk"}, NOBODY),
        ({"type": "attachment", "text": "x"}, NOBODY),
        ({"type": ["user"]}, NOBODY),
    ],
)
def test_only_what_was_said_has_a_text(entry: dict[str, Any], said: tuple[str, str]) -> None:
    assert said_in(entry) == said
