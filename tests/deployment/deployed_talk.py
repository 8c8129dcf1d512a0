"""What the tests of a deployed stack ask and wait for, whoever asks."""

import time
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast

from deployment.deployed_stack import DeployedStack
from deployment.ministack import Ministack
from deployment.signed_requests import MAY_CALL, Caller, session_of
from functions.every_route import CALLS, prepare
from functions.house import House

_QUEUE_S: Final = 240.0
_Seen = TypeVar("_Seen")


def session(stack: DeployedStack, **of: Any) -> Caller:  # noqa: ANN401 - as session_of
    """A caller of the stack's API, by a role that may call it if nothing else is said."""
    whose = {"role": "AgentRole", "may": MAY_CALL, **of}
    return session_of(stack.account, stack.outputs["ApiUrl"], **whose)


def answered(caller: Caller, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON
    """Ask what must succeed; return the answer."""
    answer = caller.ask(method, path, body)
    assert answer.status in {200, 201}, f"{answer} {caller.account.said()}"
    return answer.json


def append(caller: Caller, conversation: str, text: str) -> Any:  # noqa: ANN401 - JSON
    """Append what a user says."""
    turns = {"turns": [{"role": "user", "text": text}]}
    return answered(caller, "POST", f"/v1/conversations/{conversation}/turns", turns)


def statements(caller: Caller) -> list[str]:
    """What is remembered."""
    memories = answered(caller, "GET", "/v1/memories")["memories"]
    return [memory.get("statement", "") for memory in memories]


def consolidation(caller: Caller) -> Any:  # noqa: ANN401 - JSON
    """How far it is."""
    return answered(caller, "GET", "/v1/status")["consolidation"]


def eventually(
    account: Ministack, look: Callable[[], _Seen], *, until: Callable[[_Seen], object]
) -> _Seen:
    """Look until what is seen will do, and return it; the queue does the work meanwhile."""
    deadline_s = time.monotonic() + _QUEUE_S  # noqa: TID251 - foreign processes do the work
    while not until(seen := look()):
        assert time.monotonic() < deadline_s, f"still {seen} {account.said()}"  # noqa: TID251 - ""
        time.sleep(0.2)  # noqa: TID251 - as above
    return seen


def refused_routes(caller: Caller) -> dict[str, str]:
    """Ask every route once, erasing the user last; return the answers that are no success."""
    with caller.client() as client:
        # What is behind HTTP in a house of the tests is not there.
        house = House(cast("Any", None), cast("Any", None), caller.account.log, client)
        rid = prepare(house)
        return {
            call.route: response.text
            for call in CALLS
            if not (response := call.send(house, rid=rid, count="3")).is_success
        }
