"""How a command proves to a server who it is: a token, a signature of AWS, or nothing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

import httpx

from everturn.cli.output.errors import CliError
from everturn.local.guard import is_loopback

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
    """Choose it: the option first, then the environment, then what the address itself says.

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
