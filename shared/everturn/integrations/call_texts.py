"""What is shown of the call of a tool in lists and searches."""

import json
from typing import Any, Final

# A list and a search need the beginning of a call.
_MAX_ASKED_CHARS: Final = 1_000


def called(name: object, asked: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return the text of a call, such as `get_weather {"city": "Paris"}`, cut if it is long."""
    told = asked if isinstance(asked, str) else json.dumps(asked, ensure_ascii=False)
    return f"{name} {told[:_MAX_ASKED_CHARS]}".strip()
