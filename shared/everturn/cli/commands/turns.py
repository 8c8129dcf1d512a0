"""The commands redact and pop: one turn is taken back."""

from typing import Annotated

import typer

from everturn.cli.commands.conversations import AsJson, Id
from everturn.cli.output.console import note, printable, say
from everturn.cli.output.receipts import popped_line, state_line
from everturn.cli.target.answer_shapes import EDITED, TURNS
from everturn.cli.target.api import conversation_path
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target


@on_store
def redact(
    choice: StoreChoice,
    target: Target,
    conversation_id: Id,
    number: Annotated[int, typer.Argument(metavar="N", min=0, help="The turn's number.")],
    *,
    text: Annotated[str, typer.Option(help="What stands there instead.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take back what one turn said; it keeps its number, role and time."""
    with open_api(choice, target) as api:
        path = f"{conversation_path(conversation_id)}/turns/{number}"
        response = api.call("PATCH", path, body={"text": text}, shape=EDITED)
    answer = response.json()
    name = printable(answer["conversation_id"])
    line = f"redacted: turn {number} of {name}{state_line(answer)}"
    say(response.text if as_json else line)


@on_store
def pop(
    choice: StoreChoice,
    target: Target,
    conversation_id: Id,
    *,
    expected: Annotated[
        int | None, typer.Option(min=1, help="The turn count before [default: what it is now].")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take back the newest turn."""
    path = f"{conversation_path(conversation_id)}/turns"
    with open_api(choice, target) as api:
        if expected is None:
            expected = api.read(path, {"last": 1}, shape=TURNS)["turn_count"]
            note(f"turns: {expected}")
        params = {"expected_turn_count": expected}
        response = api.call("DELETE", f"{path}/last", params=params, shape=EDITED)
    answer = response.json()
    say(response.text if as_json else popped_line(answer))
