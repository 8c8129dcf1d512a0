"""The commands pinned, procedural, context and retrieve: text and memories for a prompt.

retrieve finds the memories that a query asks for. The others give text that is ready for a prompt.
"""

import os
from collections.abc import Mapping
from datetime import tzinfo
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import note, printable, say
from everturn.cli.output.consolidation_lines import counted
from everturn.cli.output.time_zones import choose_zone
from everturn.cli.output.turn_lines import say_how
from everturn.cli.target.api import CONTEXT, PATTERNS, PINNED, SNIPPETS
from everturn.cli.target.memory_options import given
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import During, Since, Until, Zone, ask_instant, ask_window
from everturn.values.visible_text import one_line

Goal = Annotated[str | None, typer.Option(help="What is to be reached now.")]
Budget = Annotated[int, typer.Option(min=1, help="Tokens at most.")]


@on_store
def pinned(
    choice: StoreChoice,
    target: Target,
    *,
    goal: Goal = None,
    budget: Budget = 2_000,
    as_json: AsJson = False,
) -> None:
    """Print what opens every prompt: identity, rules, constraints, the user's profile, the goal."""
    body = given(goal=goal, budget_tokens=budget)
    with open_api(choice, target) as api:
        response = api.call("POST", "/v1/memories/pinned", body=body, shape=PINNED)
    if as_json:
        say(response.text)
        return
    answer = response.json()
    _say_text(answer, nothing="nothing is pinned")
    if answer["cut"]:
        note(f"cut: {answer['cut']} lines did not fit into the budget")
    say_how(answer, choose_zone(None, os.environ))


@on_store
def procedural(
    choice: StoreChoice,
    target: Target,
    goal: Annotated[str | None, typer.Argument(metavar="GOAL", help="What for.")] = None,
    *,
    budget: Budget = 2_000,
    as_json: AsJson = False,
) -> None:
    """Show the patterns that three sources or more have proven, strongest first."""
    body = given(goal=goal, budget_tokens=budget)
    with open_api(choice, target) as api:
        response = api.call("POST", "/v1/memories/procedural", body=body, shape=PATTERNS)
    if as_json:
        say(response.text)
        return
    patterns = response.json()["patterns"]
    for pattern in patterns:
        proven = f"{pattern['coverage']} sources"
        say(f"{pattern['confidence']:.3f}  {proven}  {one_line(pattern['uri'])}")
        say(f"{printable(pattern['text'])}\n")
    if not patterns:
        note("no proven patterns")


@on_store
def context(
    choice: StoreChoice,
    target: Target,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What the prompt is about.")],
    *,
    conversation: Annotated[
        str | None, typer.Option(metavar="ID", help="The conversation that goes on.")
    ] = None,
    goal: Goal = None,
    exclude_last: Annotated[
        int | None, typer.Option(min=0, help="Its newest turns to leave out.")
    ] = None,
    budget: Budget = 8_000,
    as_json: AsJson = False,
) -> None:
    """Print one block for a prompt: pinned, memories, patterns, recalled and recent turns."""
    body = given(
        query=query,
        conversation_id=conversation,
        goal=goal,
        exclude_last=exclude_last,
        budget_tokens=budget,
    )
    with open_api(choice, target) as api:
        response = api.call("POST", "/v1/context", body=body, shape=CONTEXT)
    if as_json:
        say(response.text)
        return
    answer = response.json()
    _say_text(answer, nothing="nothing is known")
    note(_held(answer))
    say_pending(answer)
    say_how(answer, choose_zone(None, os.environ))


def _held(answer: Mapping[str, Any]) -> str:
    """Return how much a context is, and how many lines each part of it has."""
    parts = dict(answer["parts"])
    counts = {"pinned": sum(map(len, parts.pop("pinned").values()))}
    counts |= {name: len(lines) for name, lines in parts.items()}
    held = [f"{name} {count}" for name, count in counts.items() if count]
    return ", ".join([f"tokens: {answer['tokens']}", *held])


def _say_text(answer: Mapping[str, Any], *, nothing: str) -> None:
    if answer["text"]:
        say(printable(answer["text"].removesuffix("\n")))
    else:
        note(nothing)


def say_pending(answer: Mapping[str, Any]) -> None:
    """Say how many turns are not read for memories yet."""
    if pending := answer["pending_turns"]:
        note(f"pending: {counted(pending, 'turn')} not consolidated into memories yet")


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
