"""The command mcp: memory as tools for any MCP client, over stdio or HTTP, until it is ended.

Stdout belongs to the protocol: what a person is told goes to stderr.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import httpx
import typer

from everturn.cli.output.console import note, version
from everturn.cli.output.errors import CliError
from everturn.cli.target.options import on_store
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.integrations.extras import extra
from everturn.local.guard import is_loopback
from everturn.local.server import listen, url_of

if TYPE_CHECKING:
    from everturn.client import AsyncEverturn

# Beside the one of `everturn up`.
_PORT = 8788


@on_store
def mcp(
    choice: StoreChoice,
    target: Target,
    *,
    http: Annotated[
        bool, typer.Option("--http", help="Serve HTTP instead of stdin and stdout.")
    ] = False,
    host: Annotated[str, typer.Option(help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="With --http; 0: any free one.")
    ] = _PORT,
) -> None:
    """Serve memory as tools to an MCP client such as Claude, until Ctrl-C."""
    if not host.strip():
        raise typer.BadParameter("an address to listen on is not blank", param_hint="--host")
    memory = _client(choice, target)
    served = _what_is_served(choice, target)
    if http:
        _serve_http(memory, served, host, port)
    else:
        _serve_stdio(memory, served)
    note("ended")


@contextmanager
def _of_the_extra() -> Iterator[None]:
    """Say which extra an import needs that fails."""
    try:
        with extra("mcp"):
            yield
    except ModuleNotFoundError as exc:
        raise CliError(str(exc)) from exc


def _serve_stdio(memory: "AsyncEverturn", served: str) -> None:
    with _of_the_extra():
        from everturn.cli.serve.mcp_stdio import serve_stdio

    note(served)
    note("mcp    on stdin and stdout: an MCP client starts this command by itself")
    serve_stdio(memory, version=version() or "")


def _serve_http(memory: "AsyncEverturn", served: str, host: str, port: int) -> None:
    with _of_the_extra():
        from everturn.cli.serve.mcp_http import PATH, serve_http

    with listen(host, port) as listener:
        note(served)
        note(f"mcp    {url_of(listener)}{PATH}")
        if not is_loopback(host):
            note("open   to whoever reaches this address: nobody is asked who he is")
        serve_http(memory, listener, host=host, version=version() or "")


def _what_is_served(choice: StoreChoice, target: Target) -> str:
    user = f"{target.tenant or 'local'}/{target.actor or 'local'}"
    if not choice.is_url:
        return f"store  {choice}\nuser   {user}"
    if target.actor is None:
        user = "whom the server takes this caller for"
    return f"store  {choice}\nproof  {choice.proof}\nuser   {user}"


def _client(choice: StoreChoice, target: Target) -> "AsyncEverturn":
    from everturn.client import AsyncEverturn

    if choice.is_url:
        try:
            url = httpx.URL(choice.address)
        except httpx.InvalidURL as exc:
            raise CliError(f"this is no url url={choice.address}") from exc
        auth = choice.proof.auth_for(url)
        return AsyncEverturn(choice.address, actor=target.actor, tenant=target.tenant, auth=auth)
    from everturn.client.connection import LOCAL_URL, MAX_TIMEOUT_S
    from everturn.local.gateway import open_gateway
    from everturn.local.transport import AsyncLambdaTransport

    transport = AsyncLambdaTransport(open_gateway(choice.settings, log=choice.log))
    return AsyncEverturn(
        LOCAL_URL,
        actor=target.actor,
        tenant=target.tenant,
        timeout_s=MAX_TIMEOUT_S,
        transport=transport,
    )
