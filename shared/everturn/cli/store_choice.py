"""Which store a command works on, and why: options first, then the environment, then a folder here.

Not here: opening it (session.py), and the form of addresses (everturn.settings).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import typer

from everturn.local.environment import Overlay
from everturn.settings import find_store, parse_address

DEFAULT_DIRECTORY = ".everturn"
_QUEUES = ("EVERTURN_QUEUE_URL", "EVERTURN_DEAD_LETTERS_URL")


@dataclass(frozen=True, slots=True)
class Target:
    """What the options of a command say about store and user."""

    url: str | None = None
    directory: Path | None = None
    store: str | None = None
    tenant: str | None = None
    actor: str | None = None
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

    @property
    def directory(self) -> Path | None:
        """The directory that the store is, if it is one."""
        return None if self.is_url else parse_address(self.address).directory

    @property
    def log(self) -> Path | None:
        """Where handlers log: beside their data, or nowhere."""
        return self.directory and self.directory / ".everturn" / "logs" / "everturn.log"

    def __str__(self) -> str:
        """Return the line that tells a person."""
        return f"{self.address} ({self.why})"


def choose_store(target: Target, environment: Mapping[str, str]) -> StoreChoice:
    """Choose the store of a command.

    Raises:
        typer.BadParameter: the options name more than one.
    """
    given = [value for value in (target.url, target.directory, target.store) if value is not None]
    if len(given) > 1:
        raise typer.BadParameter("give only one of --url, --dir, --store")
    if target.url is not None:
        return StoreChoice(target.url, "--url", is_url=True)
    if target.directory is not None:
        return _by_option(str(target.directory), "--dir")
    if target.store is not None:
        return _by_option(target.store, "--store")
    if url := environment.get("EVERTURN_URL"):
        return StoreChoice(url, "EVERTURN_URL", is_url=True)
    return choose_local_store(None, environment)


def choose_local_store(directory: Path | None, environment: Mapping[str, str]) -> StoreChoice:
    """Choose the store that `everturn up` serves: as above, without URLs."""
    if directory:
        return _by_option(str(directory), "--dir")
    if found := find_store(environment):
        address = _absolute(found[0])
        return StoreChoice(address, found[1], settings={"EVERTURN_STORE": address})
    return _by_option(DEFAULT_DIRECTORY, "the default here")


def _by_option(address: str, why: str) -> StoreChoice:
    """An option names the whole store, derived data included, whatever the environment says.

    A directory has its own queue: jobs of its conversations are none of another store's workers.
    """
    address = _absolute(address)
    settings: dict[str, str | None] = {"EVERTURN_STORE": address, "EVERTURN_DERIVED_STORE": None}
    if parse_address(address).directory is not None:
        settings |= dict.fromkeys(_QUEUES)
    return StoreChoice(address, why, settings=settings)


def _absolute(address: str) -> str:
    directory = parse_address(address).directory
    return address if directory is None else str(directory.absolute())
