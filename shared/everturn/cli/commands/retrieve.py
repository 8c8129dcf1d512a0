"""The command retrieve: the memories that a query asks for."""

from collections.abc import Mapping
from datetime import tzinfo
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import note, printable, say
from everturn.cli.output.consolidation_lines import counted
from everturn.cli.output.turn_lines import say_how
from everturn.cli.target.memory_options import given
from everturn.cli.target.memory_shapes import SNIPPETS
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import During, Since, Until, Zone, ask_instant, ask_window
from everturn.values.visible_text import one_line

_Query = Annotated[
    str, typer.Argument(metavar="QUERY", help="What for; nothing: what matters most.")
]
_AsOf = Annotated[str | None, typer.Option(help="What held at this time, said as --since.")]


@on_store
def retrieve(
    choice: StoreChoice,
    target: Target,
    query: _Query = "",
    *,
    top_k: Annotated[int, typer.Option(min=1, max=100, help="Memories at most.")] = 8,
    budget: Annotated[int, typer.Option(min=1, help="Tokens of all of them together.")] = 6_000,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only this kind, or turn; repeatable.")
    ] = None,
    min_score: Annotated[float, typer.Option(min=0, max=1, help="Cut what is below it.")] = 0.0,
    as_of: _AsOf = None,
    since: Since = None,
    until: Until = None,
    during: During = None,
    tz: Zone = None,
    explain: Annotated[bool, typer.Option("--explain", help="What each lane gave.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find what is remembered about a query, and what was said lately."""
    asked = ask_window(since=since, until=until, during=during, tz=tz)
    asked.say()
    body = given(
        query=query,
        top_k=top_k,
        budget_tokens=budget,
        kinds=kind,
        min_score=min_score,
        as_of=as_of and ask_instant(as_of, asked.zone, field="as_of"),
        explain=explain,
        **asked.bounds,
    )
    with open_api(choice, target) as api:
        response = api.call("POST", "/v1/memories/retrieve", body=body, shape=SNIPPETS)
    if as_json:
        say(response.text)
    else:
        _say_found(response.json(), asked.zone)


def say_pending(answer: Mapping[str, Any]) -> None:
    """Say how many turns are not read for memories yet."""
    if pending := answer["pending_turns"]:
        note(f"pending: {counted(pending, 'turn')} not consolidated into memories yet")


def _say_found(answer: Mapping[str, Any], zone: tzinfo) -> None:
    for snippet in answer["snippets"]:
        kind, uri = one_line(snippet["kind"]), one_line(snippet["uri"])
        say(f"{snippet['score']:.3f}  {kind}  {uri}")
        say(f"{printable(snippet['text'])}\n")
        if lanes := snippet.get("explain"):
            say(f"{', '.join(f'{name} {lanes[name]:.3f}' for name in lanes)}\n")
    if not answer["snippets"]:
        note("nothing found")
    if answer["filtered"]:
        note(f"filtered: {answer['filtered']} below --min-score")
    if answer.get("over_budget"):
        note("over budget: not even the best one fits, it is shown alone")
    say_pending(answer)
    say_how(answer, zone)
