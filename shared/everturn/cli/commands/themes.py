"""The command themes: what the conversations are about."""

from collections.abc import Mapping
from datetime import tzinfo
from typing import Annotated, Any

import typer

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import note, say
from everturn.cli.output.time_zones import shown_time
from everturn.cli.output.turn_lines import say_how, say_turn
from everturn.cli.target.answer_shapes import THEMES
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.cli.target.window_options import During, Since, Until, Zone, ask_window
from everturn.values.timestamps import parse_time
from everturn.values.visible_text import one_line


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
