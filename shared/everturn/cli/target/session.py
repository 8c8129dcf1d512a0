"""Open what a command works on: the API of a server or of this process, or the store itself.

The API is an HTTP client that ends in a server or in this process. The store holds files as they
are; with it comes the user that the options name.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from everturn.cli.output.console import note
from everturn.cli.output.errors import CliError
from everturn.cli.target.api import Api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.local.environment import environment_of
from everturn.local.guard import is_loopback
from everturn.local.http_messages import header_text
from everturn.ports.object_store import ObjectStore
from everturn.settings.process import Settings, read_settings
from everturn.values.keys import Scope, valid_id

if TYPE_CHECKING:
    from everturn.bootstrap.components import Backends

# The functions' timeout is 20 s (template.yaml).
_TIMEOUT_S = 30.0


@contextmanager
def open_api(choice: StoreChoice, target: Target) -> Iterator[Api]:
    """Give the API of a store; the user that the options name is in every request.

    Raises:
        MisconfiguredError: the store cannot be opened in process.
        CliError: the URL is none, or a token would be sent to it in the open.
    """
    if target.verbose:
        note(f"store: {choice}")
        if choice.is_url:
            note(f"proof: {choice.proof}")
    with _client(choice, target) as client:
        yield Api(client, log=choice.log, in_process=not choice.is_url)


def _client(choice: StoreChoice, target: Target) -> httpx.Client:
    headers = target.user_headers
    if choice.is_url:
        try:
            url = httpx.URL(choice.address)
        except httpx.InvalidURL as exc:
            raise CliError(f"this is no url url={choice.address}") from exc
        # A proxy of the environment leads away from this machine.
        trust = not is_loopback(url.host)
        return httpx.Client(
            base_url=url,
            headers=headers,
            auth=choice.proof.auth_for(url),
            timeout=_TIMEOUT_S,
            trust_env=trust,
        )
    # Heavy, and not needed where a server does the work.
    from everturn.local.gateway import open_gateway
    from everturn.local.transport import LambdaTransport

    transport = LambdaTransport(open_gateway(choice.settings, log=choice.log))
    return httpx.Client(transport=transport, base_url="http://localhost", headers=headers)


def open_parts(choice: StoreChoice) -> "tuple[Backends, Settings]":
    """Open the stores of a choice.

    Raises:
        MisconfiguredError: one cannot be opened.
    """
    # Heavy, and not needed where a server does the work.
    from everturn.bootstrap.components import open_backends

    settings = open_settings(choice)
    return open_backends(settings), settings


def open_settings(choice: StoreChoice) -> Settings:
    """Read the settings of a choice that is no server.

    Raises:
        MisconfiguredError: they cannot work.
    """
    return read_settings(environment_of(choice.settings))


def open_data(choice: StoreChoice) -> ObjectStore:
    """Open the store that conversations lie in.

    Raises:
        MisconfiguredError: it cannot be opened.
    """
    return open_parts(choice)[0].data


def scope_of(target: Target) -> Scope:
    """Return the user that a command acts for, as the API reads the headers that name one.

    Raises:
        InvalidRequestError: a name cannot be one.
    """
    named = {name: header_text(value) for name, value in target.user_headers.items()}
    tenant = valid_id(named.get(b"x-everturn-tenant", "local"), field="tenant")
    return Scope(tenant, valid_id(named.get(b"x-everturn-actor", "local"), field="actor"))
