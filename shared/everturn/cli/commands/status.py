"""The command status: what an Everturn works with, and what it has not done yet."""

from collections.abc import Mapping
from typing import Any

from everturn.cli.commands.conversations import AsJson
from everturn.cli.output.console import printable, say
from everturn.cli.output.consolidation_lines import consolidation_lines
from everturn.cli.output.model_lines import told_line
from everturn.cli.target.answer_shapes import STATUS
from everturn.cli.target.options import on_store
from everturn.cli.target.session import open_api
from everturn.cli.target.store_choice import StoreChoice, Target


@on_store
def status(choice: StoreChoice, target: Target, *, as_json: AsJson = False) -> None:
    """Say which stores and which models are in use, and how far consolidation is."""
    with open_api(choice, target) as api:
        response = api.call("GET", "/v1/status", shape=STATUS)
    if as_json:
        say(response.text)
        return
    backends = response.json()["backends"]
    for name, backend in backends.items():
        if isinstance(backend, str):
            say(printable(f"{name:<10} {backend}"))
    _say_embedder(backends["embedder"])
    consolidation = response.json().get("consolidation")
    for line in consolidation_lines(consolidation) if consolidation else ():
        say(printable(line))


def _say_embedder(embedder: Mapping[str, Any]) -> None:
    say(printable(f"embedder   {told_line(embedder)}"))
    for tried in embedder["tried"]:
        say(printable(f"           not {tried['name']}: {tried['reason']}"))
