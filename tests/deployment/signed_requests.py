"""Sessions of roles that ask the deployed API, signed with SigV4 by our client's own signer.

Its name resolves to nothing: it goes into the Host header alone.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import httpx
from botocore.credentials import Credentials

from deployment.ministack import REGION, Ministack
from everturn.client.sigv4 import SigV4

# A first request starts a process, on a machine that does other things too.
_TIMEOUT_S: Final = 180.0
MAY_CALL: Final = {"Effect": "Allow", "Action": "execute-api:Invoke", "Resource": "*"}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: status, and body as it is."""

    status: int
    text: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever was answered
        """The body as JSON."""
        return json.loads(self.text)


class _Signature(httpx.Auth):
    """Sends to the emulator what is meant for the API, signed as our client signs it."""

    requires_request_body = True

    def __init__(self, api: str, credentials: Credentials | None) -> None:
        self._api = api
        self._signer = SigV4(REGION, credentials=credentials) if credentials else httpx.Auth()

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]  # nothing is sent into it
        # What is signed is the Host that is sent.
        request.headers["Host"] = httpx.URL(self._api).netloc.decode()
        yield from self._signer.sync_auth_flow(request)


@dataclass(frozen=True, slots=True)
class Caller:
    """Asks the API at `api`; with these credentials or, without, with no signature."""

    account: Ministack
    api: str
    credentials: Credentials | None
    headers: Mapping[str, str]

    def client(self) -> httpx.Client:
        """A client whose requests are this caller's; who takes it closes it."""
        return httpx.Client(
            base_url=self.account.url, verify=self.account.trust, trust_env=False,
            headers=dict(self.headers), timeout=_TIMEOUT_S,
            auth=_Signature(self.api, self.credentials),
        )  # fmt: skip

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Send one request, of JSON if there is a body; underscores in names are hyphens."""
        content = b"" if body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        with self.client() as client:
            answer = client.request(method, path, content=content, headers=sent)
        return Answer(answer.status_code, answer.text)


def session_of(
    account: Ministack, api: str, *, role: str, session: str, may: Mapping[str, Any], **acts_as: str
) -> Caller:
    """Assume a role of the account under a session name; it is made, with one statement, if new."""
    iam = account.client("iam")
    names = [found["RoleName"] for found in iam.list_roles()["Roles"]]
    if role not in names:
        iam.create_role(RoleName=role, AssumeRolePolicyDocument=_TRUSTED_BY_ALL)
        policy = json.dumps({"Version": "2012-10-17", "Statement": [dict(may)]})
        iam.put_role_policy(RoleName=role, PolicyName="may", PolicyDocument=policy)
    iam.close()
    headers = {f"X-Everturn-{name.title()}": value for name, value in acts_as.items()}
    return Caller(account, api, credentials_of(account, role=role, session=session), headers)


def credentials_of(account: Ministack, *, role: str, session: str = "tests") -> Credentials:
    """Credentials of a session of a role.

    The emulator lets the root user assume any role, also one that trusts only Lambda; AWS does not.
    """
    iam, sts = account.client("iam"), account.client("sts")
    arn = iam.get_role(RoleName=role)["Role"]["Arn"]
    keys = sts.assume_role(RoleArn=arn, RoleSessionName=session)["Credentials"]
    iam.close()
    sts.close()
    return Credentials(keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"])


_TRUSTED_BY_ALL: Final = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}],
    }
)
