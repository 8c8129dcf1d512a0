"""Opens what a command works on: an HTTP client that ends in a server or in this process."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from everturn.cli.output.console import note
from everturn.cli.output.errors import CliError
from everturn.cli.target.api import Api
from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.local.guard import is_loopback

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
