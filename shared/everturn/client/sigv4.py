"""Signs requests with AWS Signature Version 4, for an API behind IAM; extra `aws`.

botocore is imported when a `SigV4` is made, and nothing else of AWS ever.
"""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any, Final, Protocol
from urllib.parse import parse_qsl, quote

import httpx
from anyio import to_thread

from everturn.errors import InvalidRequestError, MisconfiguredError

if TYPE_CHECKING:
    from botocore.credentials import ReadOnlyCredentials

# What says whose request it is and what it does; other headers are a proxy's to change. The date
# and the session token are botocore's to add.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
_SIGNED: Final = frozenset({"content-type", "host", "idempotency-key", "if-match", "if-none-match"})
_ADDED: Final = frozenset({"Authorization", "X-Amz-Date", "X-Amz-Security-Token"})
# API Gateway, as AWS names it when it signs.
_SERVICE: Final = "execute-api"
_SIGNED_PREFIX: Final = "x-everturn-"
# RFC 3986, section 2.3: all other characters of a query are sent as they are signed, encoded.
_UNRESERVED: Final = "-_.~"


class SigningCredentials(Protocol):
    """What signs, such as botocore's Credentials: asked for each request, it refreshes itself."""

    def get_frozen_credentials(self) -> "ReadOnlyCredentials":
        """Return a key, its secret and the session's token, all of one moment."""
        ...


class CredentialSource(Protocol):
    """Where credentials come from, such as a session of botocore or boto3."""

    def get_credentials(self) -> Any:  # noqa: ANN401 - SigningCredentials or None; sessions are untyped
        """Return credentials; None where there are none."""
        ...


class SigV4(httpx.Auth):
    """Signs each request as it is sent; for httpx.Client and AsyncClient.

    A body that is a stream is read whole first, since its hash is signed.
    """

    requires_request_body = True

    def __init__(
        self,
        region: str,
        *,
        session: CredentialSource | None = None,
        credentials: SigningCredentials | None = None,
    ) -> None:
        """Say where the API is and who signs; reads no credentials yet.

        Args:
            region: that of the API, such as `eu-west-1`.
            session: where credentials come from; as the AWS CLI finds them if not given.
            credentials: what signs, in place of a session.

        Raises:
            MisconfiguredError: botocore is not installed.
        """
        try:
            import botocore.session
        except ModuleNotFoundError as exc:
            raise MisconfiguredError(
                "requests are signed by botocore, install everturn[aws]"
            ) from exc
        self._region = region
        self._source: CredentialSource = session or botocore.session.Session()
        self._credentials = credentials

    def __repr__(self) -> str:
        """Return where it signs for; no key."""
        return f"SigV4({self._region!r})"

    def sync_auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]  # httpx sends an answer in, which nobody needs
        """Sign one request.

        Raises:
            MisconfiguredError: there are no credentials, or they cannot work.
            UnauthenticatedError: whose credentials they were has to sign in again.
            NotSentError: credentials are not to be had for now; nothing was sent.
        """
        request.read()
        self._sign(request)
        yield request

    async def async_auth_flow(self, request: httpx.Request) -> AsyncIterator[httpx.Request]:  # type: ignore[override]  # the same
        """Sign one request in a thread: credentials may be asked for over a network."""
        await request.aread()
        await to_thread.run_sync(self._sign, request)
        yield request

    def _sign(self, request: httpx.Request) -> None:
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        _settle(request)
        asked = AWSRequest(
            request.method, str(request.url), data=request.content, headers=_signed(request)
        )
        SigV4Auth(self._frozen(), _SERVICE, self._region).add_auth(asked)
        request.headers.update({name: asked.headers[name] for name in _ADDED & set(asked.headers)})

    def _frozen(self) -> "ReadOnlyCredentials":
        from everturn.client.sigv4_errors import translated

        with translated():
            if self._credentials is None:
                self._credentials = self._source.get_credentials()
            if self._credentials is None:
                raise MisconfiguredError(
                    "no aws credentials were found, set AWS_PROFILE or sign in with the aws cli"
                )
            return self._credentials.get_frozen_credentials()


def _settle(request: httpx.Request) -> None:
    """Bring a request into the one form that is both sent and signed.

    A blank in a query is `%20` when it is signed, and a body that was a stream has a length by now.
    """
    query = request.url.query.decode("ascii")
    pairs = parse_qsl(query, keep_blank_values=True, errors="surrogateescape")
    if pairs:
        encoded = "&".join(f"{_encoded(name)}={_encoded(value)}" for name, value in pairs)
        request.url = request.url.copy_with(query=encoded.encode("ascii"))
    if "transfer-encoding" in request.headers:
        del request.headers["transfer-encoding"]
        request.headers["content-length"] = str(len(request.content))


def _encoded(text: str) -> str:
    return quote(text, safe=_UNRESERVED, errors="surrogateescape")


def _signed(request: httpx.Request) -> dict[str, str]:
    """Return the headers to sign; their bytes are signed as they are sent, which is UTF-8.

    Raises:
        InvalidRequestError: one is no UTF-8.
    """
    signed: dict[str, str] = {}
    for raw_name, value in request.headers.raw:
        name = raw_name.decode("ascii").lower()
        if name in _SIGNED or name.startswith(_SIGNED_PREFIX):
            try:
                signed[name] = value.decode()
            except UnicodeDecodeError as exc:
                raise InvalidRequestError("a header is signed as utf-8 text", field=name) from exc
    return signed
