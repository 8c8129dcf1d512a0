"""All that a function of the HTTP API shares: settings, parts, routes, metrics, and its handler."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypedDict

from everturn.bootstrap.components import (
    Backends,
    open_backends,
    open_memories,
    open_scope_backends,
)
from everturn.conversations.head_cache import HeadCache
from everturn.edge.function import ObservedEdge
from everturn.edge.http_app import (
    crashed,
    http_app,
    lambda_answer,
    name_request,
    request_id_of,
    routable,
    with_checked_body,
)
from everturn.edge.identity import scope_of
from everturn.edge.responses.base import error_answer, kept_versions, status_of
from everturn.errors import EverturnError, UnauthenticatedError
from everturn.ports.clock import Clock, Entropy
from everturn.ports.object_store import ObjectStore
from everturn.settings.process import read_settings
from everturn.values.go_json import JsonObject
from everturn.values.keys import Scope

if TYPE_CHECKING:
    from everturn.memory.index.record_cache import MemoryCache


class Reading(TypedDict):
    """What every service that reads takes."""

    store: ObjectStore
    scope: Scope


class Storing(Reading):
    """What every service that writes takes."""

    clock: Clock
    entropy: Entropy


class Writing(Storing):
    """What every service that writes a conversation takes."""

    heads: HeadCache


class Erasing(Writing):
    """What every service that takes something back takes: lists and vectors may hold it too."""

    derived: ObjectStore


class TakingBack(Erasing):
    """What every service takes that takes back what a conversation said: memories may say it."""

    memories: "MemoryCache"


class LambdaEdge(ObservedEdge):
    """One function: made at cold start, it answers one event at a time."""

    def __init__(self) -> None:
        """Read the settings and open the stores.

        Raises:
            MisconfiguredError: the deployment cannot work; the function does not start.
        """
        super().__init__()
        self._settings = read_settings()
        self._opened = open_backends(self._settings)
        self._scope: Scope | None = None
        self.app = http_app(self._logger, self._note_answered)
        self.handler = self._observed(self._handle)

    @property
    def backends(self) -> Backends:
        """The parts; where there is a role of scopes, stores reach what is the caller's alone."""
        if self._scope is None or not self._settings.scope_role:
            return self._opened
        return open_scope_backends(self._settings, self._scope)

    @property
    def scope(self) -> Scope:
        """Whose request this is."""
        if self._scope is None:
            raise UnauthenticatedError("the request carries no identity")
        return self._scope

    @property
    def reading(self) -> Reading:
        """The parts for a service that reads."""
        return Reading(store=self.backends.data, scope=self.scope)

    @property
    def storing(self) -> Storing:
        """The parts for a service that writes."""
        parts = self.backends
        return Storing(**self.reading, clock=parts.clock, entropy=parts.entropy)

    @property
    def writing(self) -> Writing:
        """The parts for a service that writes a conversation."""
        return Writing(**self.storing, heads=self.backends.heads)

    @property
    def erasing(self) -> Erasing:
        """The parts for a service that takes something back."""
        return Erasing(**self.writing, derived=self.backends.derived)

    @property
    def taking_back(self) -> TakingBack:
        """The parts for a service that takes back what a conversation said."""
        return TakingBack(**self.erasing, memories=self.memories)

    @property
    def memories(self) -> "MemoryCache":
        """What this process keeps of memories."""
        return open_memories(self._settings)

    @property
    def kept(self) -> JsonObject:
        """What a receipt says of the versions that the bucket keeps."""
        return kept_versions(self.backends.clock.now_ns(), self._settings.version_days)

    def _handle(self, event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  # Lambda's own type
        clock = self._opened.clock
        began_s = clock.monotonic_s()
        # Turned off, Powertools would keep all values, and fail at the hundredth.
        self._metrics.clear_metrics()
        name_request(self._logger, event)
        response = self._answer(event, context)
        took_s = clock.monotonic_s() - began_s
        self.count(requests=1, request_ms=round(took_s * 1_000))
        if response["statusCode"] >= HTTPStatus.INTERNAL_SERVER_ERROR:
            self.count(server_errors=1)
        elif response["statusCode"] >= HTTPStatus.BAD_REQUEST:
            self.count(client_errors=1)
        return response

    def _answer(self, event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401  # Lambda's own type
        try:
            event = with_checked_body(event)
            self._scope = scope_of(event, self._settings)
            return self.app.resolve(routable(event), context)
        except EverturnError as error:
            self._note_answered(error)
            return _refused(event, error)
        except Exception as error:  # noqa: BLE001  # the edge: an event in no known form
            return _refused(event, crashed(self._logger, error, status=500))
        finally:
            # Whatever runs between two requests is nobody's.
            self._scope = None

    def _note_answered(self, error: EverturnError) -> None:
        self.note_error(error, status=status_of(error))


def _refused(event: dict[str, Any], error: EverturnError) -> dict[str, Any]:
    return lambda_answer(error_answer(error, request_id_of(event)))
