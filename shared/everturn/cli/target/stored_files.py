"""The data store of a choice and the user that the options name: where files lie as they are."""

from typing import TYPE_CHECKING

from everturn.cli.target.store_choice import StoreChoice, Target
from everturn.local.environment import environment_of
from everturn.local.http_messages import header_text
from everturn.ports.object_store import ObjectStore
from everturn.settings.process import Settings, read_settings
from everturn.values.keys import Scope, valid_id

if TYPE_CHECKING:
    from everturn.bootstrap.components import Backends


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
