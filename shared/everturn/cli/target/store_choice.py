"""Choose the store that a command works on, and say why.

Options decide first, then the environment, then a folder here.

To a server a command proves who it is by a token, a signature of AWS, or nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
import typer

from everturn.cli.output.errors import CliError
from everturn.local.environment import Overlay, log_of, overlay_of
from everturn.local.guard import is_loopback
from everturn.settings.process import find_store, parse_address

TOKEN, REGION = "EVERTURN_TOKEN", "EVERTURN_AWS_REGION"
# https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-publish.html
# China's regions end in .cn.
_API_GATEWAY: Final = re.compile(
    r"[a-z0-9]+\.execute-api\.(?P<region>[a-z0-9-]+)\.amazonaws\.com(\.cn)?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Proof:
    """A token, or the region that requests are signed for; neither: a server asks for none."""

    why: str
    region: str | None = None
    token: str | None = field(default=None, repr=False)

    def __str__(self) -> str:
        """Return the words that tell a person; no token."""
        if self.region:
            return f"requests are signed by SigV4 for {self.region} ({self.why})"
        return f"a token is sent ({self.why})" if self.token else f"nothing is sent ({self.why})"

    def auth_for(self, url: httpx.URL) -> httpx.Auth | None:
        """Return what an httpx client of a server needs.

        Raises:
            CliError: others could read the token on its way, or that of who signs.
            MisconfiguredError: what signs is not installed.
        """
        in_the_open = url.scheme != "https" and not is_loopback(url.host)
        if in_the_open and (self.token or self.region):
            raise CliError(f"a proof is sent by https only, or on this machine url={url}")
        if self.token:
            return _Bearer(self.token)
        if self.region is None:
            return None
        from everturn.client.sigv4 import SigV4

        return SigV4(self.region)


class _Bearer(httpx.Auth):
    def __init__(self, token: str) -> None:
        self._header = f"Bearer {token}"

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]  # nothing is sent into it
        """Add the token."""
        request.headers["Authorization"] = self._header
        yield request


def choose_proof(url: str, region: str | None, environment: Mapping[str, str]) -> Proof:
    """Choose the proof: the option first, then the environment, then what the address itself says.

    Args:
        url: of the server.
        region: what --aws-region says.
        environment: variables; one that is set to "" is not set.
    """
    if region:
        return Proof("--aws-region", region=region)
    if token := environment.get(TOKEN, "").strip():
        return Proof(TOKEN, token=token)
    if named := environment.get(REGION, "").strip():
        return Proof(REGION, region=named)
    found = _API_GATEWAY.fullmatch(_host_of(url))
    if found:
        return Proof("an API in AWS", region=found["region"])
    return Proof(f"neither {TOKEN} nor --aws-region is given")


def _host_of(url: str) -> str:
    try:
        return httpx.URL(url).host
    except httpx.InvalidURL:
        # Whoever opens it says so.
        return ""


DEFAULT_DIRECTORY = ".everturn"


@dataclass(frozen=True, slots=True)
class Target:
    """What the options of a command say about store and user."""

    url: str | None = None
    directory: Path | None = None
    store: str | None = None
    tenant: str | None = None
    actor: str | None = None
    aws_region: str | None = None
    verbose: bool = False

    @property
    def user_headers(self) -> dict[bytes, bytes]:
        """The headers that name the user acted for, where given; values in UTF-8."""
        named = {b"x-everturn-tenant": self.tenant, b"x-everturn-actor": self.actor}
        # Arguments hold bytes that are no UTF-8 as surrogates.
        return {
            name: value.encode("utf-8", "surrogateescape")
            for name, value in named.items()
            if value is not None
        }


@dataclass(frozen=True, slots=True)
class StoreChoice:
    """A server's URL, or a store address with the settings that open it in process."""

    address: str
    why: str
    is_url: bool = False
    settings: Overlay = field(default_factory=dict)
    proof: Proof = field(default_factory=lambda: Proof("no server"))

    @property
    def directory(self) -> Path | None:
        """The directory that the store is, if it is one."""
        return None if self.is_url else parse_address(self.address).directory

    @property
    def log(self) -> Path | None:
        """Where handlers log: beside their data, or nowhere."""
        return self.directory and log_of(self.directory)

    def __str__(self) -> str:
        """Return the line that tells a person."""
        return f"{self.address} ({self.why})"


def choose_store(target: Target, environment: Mapping[str, str]) -> StoreChoice:
    """Choose the store of a command.

    Raises:
        typer.BadParameter: the options name more than one, or a region without a server.
    """
    given = [value for value in (target.url, target.directory, target.store) if value is not None]
    if len(given) > 1:
        raise typer.BadParameter("give only one of --url, --dir, --store")
    if target.url is not None:
        return _on_server(target.url, "--url", target, environment)
    url = environment.get("EVERTURN_URL")
    if url and not given:
        return _on_server(url, "EVERTURN_URL", target, environment)
    if target.aws_region is not None:
        raise typer.BadParameter("--aws-region goes with --url")
    if target.directory is not None:
        return _by_option(str(target.directory), "--dir")
    if target.store is not None:
        return _by_option(target.store, "--store")
    return choose_local_store(None, environment)


def choose_local_store(directory: Path | None, environment: Mapping[str, str]) -> StoreChoice:
    """Choose the store that `everturn up` serves: as above, without URLs."""
    if directory:
        return _by_option(str(directory), "--dir")
    if found := find_store(environment):
        address = _absolute(found[0])
        return StoreChoice(address, found[1], settings={"EVERTURN_STORE": address})
    return _by_option(DEFAULT_DIRECTORY, "the default here")


def _on_server(url: str, why: str, target: Target, environment: Mapping[str, str]) -> StoreChoice:
    proof = choose_proof(url, target.aws_region, environment)
    return StoreChoice(url, why, is_url=True, proof=proof)


def _by_option(address: str, why: str) -> StoreChoice:
    address = _absolute(address)
    return StoreChoice(address, why, settings=overlay_of(address)[0])


def _absolute(address: str) -> str:
    directory = parse_address(address).directory
    return address if directory is None else str(directory.absolute())
