"""The wire between the adapter's two clients and a server: seen, and cut where a test says so."""

from typing import cast

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.httpsession import URLLib3Session

from emulation.s3_faults import Handler, answered, answered_with, inject, retry_at_once
from everturn.adapters.aws.s3_clients import S3Clients


class Wire:
    """Stands before both clients; `sent` holds every request, `plans` what is answered next.

    A plan is a status and a code, the body of a 200, or a kind of s3_faults; None, or no plan, lets
    it through.
    """

    def __init__(self, clients: S3Clients) -> None:
        self.sent: list[AWSPreparedRequest] = []
        self.plans: list[tuple[int, str] | str | bytes | None] = []
        self._session = URLLib3Session()
        for client in (clients.writes, clients.reads):
            client.meta.events.register("before-send.s3", cast("Handler", self))
            retry_at_once(client)

    def __call__(self, request: AWSPreparedRequest, **_: object) -> AWSResponse | None:
        self.sent.append(request)
        plan = self.plans.pop(0) if self.plans else None
        if plan is None:
            return None
        if isinstance(plan, str):
            return inject(plan, request, self._session)
        if isinstance(plan, bytes):
            return answered_with(request, 200, plan)
        return answered(request, *plan)

    def methods(self) -> list[str | None]:
        return [request.method for request in self.sent]

    def headers(self) -> dict[str, str]:
        """Headers of the newest request, names in lower case."""
        found: dict[str, object] = {**self.sent[-1].headers}
        return {
            name.lower(): value.decode() if isinstance(value, bytes) else str(value)
            for name, value in found.items()
        }

    def close(self) -> None:
        self._session.close()
