"""The commands recall and themes: turns that a query asks for, and what conversations are about.

recall searches one conversation or all of them.
"""

from collections.abc import Mapping
from datetime import tzinfo
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import note, say
from everturn.cli.output.time_zones import shown_time
from everturn.cli.output.turn_lines import say_how, say_turn
from everturn.cli.target.api import FOUND, THEMES, conversation_path
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import During, Since, Until, Zone, ask_window
from everturn.values.timestamps import parse_time
from everturn.values.visible_text import one_line

_ONE, _ALL = ("an ID and a QUERY, or --all and a QUERY", 2), ("a QUERY alone", 1)

Words = Annotated[list[str], typer.Argument(metavar="[ID] QUERY", help="Where, and what for.")]


@on_store
def recall(
    choice: StoreChoice,
    target: Target,
    words: Words,
    *,
    everywhere: Annotated[bool, typer.Option("--all", help="In all conversations.")] = False,
    top_k: Annotated[int, typer.Option(min=1, max=100, help="Hits at most.")] = 6,
    budget: Annotated[int, typer.Option(min=1, help="Tokens of all hits together.")] = 2_500,
    exclude_last: Annotated[int, typer.Option(min=0, help="Newest turns to leave out.")] = 0,
    neighbours: Annotated[int, typer.Option(min=0, max=10, help="Turns around each hit.")] = 0,
    min_score: Annotated[float, typer.Option(min=0, max=1, help="Cut hits below it.")] = 0.0,
    role: Annotated[list[str] | None, typer.Option(help="Only this role; repeatable.")] = None,
    since: Since = None,
    until: Until = None,
    during: During = None,
    tz: Zone = None,
    explain: Annotated[bool, typer.Option("--explain", help="What each lane gave.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the turns that a query asks for: recall ID QUERY, or recall --all QUERY."""
    path, query = _asked(words, everywhere=everywhere)
    asked = ask_window(since=since, until=until, during=during, tz=tz)
    asked.say()
    body = {
        "query": query,
        "top_k": top_k,
        "budget_tokens": budget,
        "exclude_last": exclude_last,
        "neighbours": neighbours,
        "min_score": min_score,
        "roles": role or [],
        "explain": explain,
        **asked.bounds,
    }
    with open_api(choice, target) as api:
        response = api.call("POST", path, body=body, shape=FOUND)
    if as_json:
        say(response.text)
    else:
        _say_found(response.json(), asked.zone, named=everywhere)


def _asked(words: list[str], *, everywhere: bool) -> tuple[str, str]:
    wanted, count = _ALL if everywhere else _ONE
    if len(words) != count:
        raise typer.BadParameter(f"give {wanted}, in quotes where there are blanks")
    *ids, query = words
    return (f"{conversation_path(ids[0])}/recall" if ids else "/v1/recall"), query


def _say_found(answer: Mapping[str, Any], zone: tzinfo, *, named: bool) -> None:
    for hit in answer["hits"]:
        _say_hit(hit, zone, named=named)
    if not answer["hits"]:
        note("nothing found")
    if answer["filtered"]:
        note(f"filtered: {answer['filtered']} below --min-score")
    if answer.get("over_budget"):
        note("over budget: not even the best one fits, it is shown alone")
    say_how(answer, zone)


def _say_hit(hit: Mapping[str, Any], zone: tzinfo, *, named: bool) -> None:
    around = [{**turn, "conversation_id": hit["conversation_id"]} for turn in _around(hit)]
    for turn in sorted([*around, hit], key=lambda turn: turn["index"]):
        lead = f"{hit['score']:.3f}" if turn is hit else "  -  "
        say_turn(turn, zone, lead=lead, named=named)
    if lanes := hit.get("explain"):
        say(f"{', '.join(f'{name} {lanes[name]:.3f}' for name in lanes)}\n")


def _around(hit: Mapping[str, Any]) -> list[dict[str, Any]]:
    around: list[dict[str, Any]] = hit.get("neighbours") or []
    return around


@on_store
def themes(
    choice: StoreChoice,
    target: Target,
    *,
    since: Since = None,
    until: Until = None,
    during: During = None,
    tz: Zone = None,
    k: Annotated[
        int | None, typer.Option(min=1, max=20, help="Themes at most [default: as many as suit].")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what the conversations are about, each theme with turns that stand for it."""
    asked = ask_window(since=since, until=until, during=during, tz=tz)
    asked.say()
    body = {**({} if k is None else {"k": k}), **asked.bounds}
    with open_api(choice, target) as api:
        response = api.call("POST", "/v1/themes", body=body, shape=THEMES)
    if as_json:
        say(response.text)
        return
    answer = response.json()
    for theme in answer["themes"]:
        _say_theme(theme, asked.zone)
    if not answer["themes"]:
        note("no themes")
    say_how(answer, asked.zone)


def _say_theme(theme: Mapping[str, Any], zone: tzinfo) -> None:
    terms = " · ".join(one_line(term) for term in theme["terms"])
    ends = [parse_time(theme.get(name) or "") for name in ("since", "until")]
    span = " to ".join(shown_time(end, zone, minutes=True) for end in ends if end is not None)
    say("  ".join(part for part in (f"{theme['share']:.0%}", terms, span) if part))
    for turn in theme["turns"]:
        say_turn(turn, zone, lead="-", named=True)
