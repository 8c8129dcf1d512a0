"""Functions whose AWS accepts every connection and never answers."""

import dataclasses

from emulation.lambda_sandbox import Deployed

_AWS = "http://s3.us-east-1.amazonaws.com"


def behind_a_silent_proxy(function: Deployed, proxy_url: str) -> Deployed:
    """Let a function reach S3 through a proxy alone.

    The address is AWS's, so that the store is used as it is there: without the probe of a start,
    which a server of one's own would not pass.
    """
    variables = {
        **function.variables,
        "AWS_ENDPOINT_URL_S3": _AWS,
        "HTTP_PROXY": proxy_url,
        # Lambda's own API, and emulated queues.
        "NO_PROXY": "127.0.0.1",
    }
    return dataclasses.replace(function, variables=variables)
