"""The command openapi: the description of the HTTP API, for tools that make clients of it."""

from pathlib import Path
from typing import Annotated

import typer

from everturn.cli.output.console import say
from everturn.cli.target.options import reporting


@reporting
def openapi(
    *,
    output: Annotated[
        Path | None, typer.Option(help="The file to write [default: print it].")
    ] = None,
) -> None:
    """Print the API's description (OpenAPI 3.1), read from the handlers."""
    from everturn.local.bundle import find_bundle
    from everturn.local.openapi.document import openapi_text

    text = openapi_text(find_bundle())
    if output is None:
        say(text.rstrip("\n"))
    else:
        output.write_text(text, "utf-8")
