"""Checks signatures as AWS does, from what arrived: written from AWS's page, without botocore.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hashlib
import hmac
import re
from urllib.parse import quote, unquote

import httpx

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/(?P<scope>[^,]+),"
    r" SignedHeaders=(?P<signed>[^,]+), Signature=(?P<signature>[0-9a-f]{64})"
)


def is_signed_by(request: httpx.Request, *, key: str, secret: str) -> bool:
    """Say whether the bytes that arrived are those that were signed with a secret."""
    found = _AUTHORIZATION.fullmatch(request.headers["authorization"])
    assert found is not None
    assert found["key"] == key
    day, region, service, end = found["scope"].split("/")
    canonical = _canonical(request, found["signed"])
    hashed = hashlib.sha256(canonical.encode()).hexdigest()
    date = request.headers["x-amz-date"]
    to_sign = "\n".join(("AWS4-HMAC-SHA256", date, found["scope"], hashed))
    signing_key = f"AWS4{secret}".encode()
    for part in (day, region, service, end):
        signing_key = _mac(signing_key, part)
    return _mac(signing_key, to_sign).hex() == found["signature"]


def signed_headers(request: httpx.Request) -> set[str]:
    """Return the names of the headers that a signature covers."""
    found = _AUTHORIZATION.fullmatch(request.headers["authorization"])
    assert found is not None
    return set(found["signed"].split(";"))


def _canonical(request: httpx.Request, signed: str) -> str:
    target = request.url.raw_path.decode("ascii")
    path, _, query = target.partition("?")
    raw = {name.decode().lower(): value.decode() for name, value in request.headers.raw}
    headers = "".join(f"{name}:{' '.join(raw[name].split())}\n" for name in signed.split(";"))
    body = hashlib.sha256(request.read()).hexdigest()
    # For services other than S3 each segment is encoded twice: once as sent, once more here.
    parts = (request.method, quote(path, safe="/-_.~"), _canonical_query(query), headers, signed)
    return "\n".join((*parts, body))


def _canonical_query(query: str) -> str:
    """Decode as a server does, and encode anew: a `+` that was sent is none that was meant."""
    pairs = [pair.partition("=") for pair in query.split("&")] if query else []
    encoded = sorted((_anew(name), _anew(value)) for name, _, value in pairs)
    return "&".join(f"{name}={value}" for name, value in encoded)


def _anew(text: str) -> str:
    return quote(unquote(text, errors="surrogateescape"), safe="-_.~", errors="surrogateescape")


def _mac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
