import subprocess
import sys

import botocore.exceptions
import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    NoRegionError,
    ProfileNotFound,
    UnauthorizedSSOTokenError,
)

from everturn.client.sigv4_errors import FOREIGN_ERRORS, credentials_error, translated
from everturn.errors import EverturnError, MisconfiguredError, NotSentError, UnauthenticatedError


def _answer(code: str, status: int) -> ClientError:
    response = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return ClientError(response, "AssumeRole")  # type: ignore[arg-type]  # botocore's own keys are more


@pytest.mark.parametrize(
    ("failure", "raised", "message"),
    [
        (UnauthorizedSSOTokenError(), UnauthenticatedError, "sign in to aws again"),
        (_answer("AccessDenied", 403), UnauthenticatedError, "sign in to aws again"),
        (_answer("Throttling", 400), NotSentError, "no aws credentials are to be had for now"),
        (_answer("InternalFailure", 500), NotSentError, "no aws credentials"),
        (CredentialRetrievalError(provider="p", error_msg="secret"), NotSentError, "no aws"),
        (ProfileNotFound(profile="p"), MisconfiguredError, "aws credentials cannot be read"),
        (NoRegionError(), MisconfiguredError, "aws credentials cannot be read"),
        (RuntimeError("refreshed, but expired"), NotSentError, "no aws credentials"),
        (KeyError("secret"), NotSentError, "no aws credentials"),
    ],
)
def test_a_failure_is_told_by_what_the_caller_can_do(
    failure: Exception, raised: type[EverturnError], message: str
) -> None:
    with pytest.raises(raised, match=f"^{message}") as told, translated():
        raise failure
    assert told.value.__cause__ is failure
    assert "secret" not in str(told.value)


def test_every_error_of_botocore_has_a_meaning() -> None:
    kinds = [
        kind
        for kind in vars(botocore.exceptions).values()
        if isinstance(kind, type) and issubclass(kind, BotoCoreError)
    ]
    assert len(kinds) > 80
    for kind in kinds:
        failure = kind.__new__(kind)
        assert isinstance(failure, FOREIGN_ERRORS)
        assert isinstance(credentials_error(failure), EverturnError)


def test_what_is_no_failure_of_credentials_passes_as_it_is() -> None:
    with pytest.raises(KeyboardInterrupt), translated():
        raise KeyboardInterrupt


_MISSING = """
import sys
sys.modules["botocore"] = None
from everturn.client.sigv4 import SigV4
from everturn.errors import MisconfiguredError
try:
    SigV4("eu-west-1")
except MisconfiguredError as error:
    print(error)
"""


def test_a_missing_extra_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _MISSING], capture_output=True, text=True, check=True
    )
    assert done.stdout == "requests are signed by botocore, install everturn[aws]\n"
