"""An issuer of JSON web tokens on loopback, as OpenID Connect has it: discovery, keys, tokens.

Whoever holds the issuer gets any token. Sources:
https://openid.net/specs/openid-connect-discovery-1_0.html and RFC 7515, 7517, 7519.
"""

import base64
import json
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from deployment.certificate import Certificate

_KEY_ID: Final = "the-only-key"


@dataclass(frozen=True, slots=True)
class TokenIssuer:
    """One that is served at `url`."""

    url: str
    key: rsa.RSAPrivateKey

    def token(self, *, audience: str, **claims: Any) -> str:  # noqa: ANN401 - JSON
        """A token of five minutes, signed with RS256."""
        now_s = int(time.time())  # noqa: TID251 - the gateway has no other clock
        held = {"iss": self.url, "aud": audience, "iat": now_s - 1, "exp": now_s + 300, **claims}
        parts = ({"alg": "RS256", "typ": "JWT", "kid": _KEY_ID}, held)
        signed = ".".join(_base64url(json.dumps(part).encode()) for part in parts)
        signature = self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{signed}.{_base64url(signature)}"

    def document(self, path: str) -> Any:  # noqa: ANN401 - JSON
        """What it serves at a path, or None."""
        numbers = self.key.public_key().public_numbers()
        public = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": _KEY_ID}
        public |= {"n": _number(numbers.n), "e": _number(numbers.e)}
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.url,
                "jwks_uri": f"{self.url}/keys",
            },
            "/keys": {"keys": [public]},
        }.get(path)


@contextmanager
def serving_issuer(certificate: Certificate) -> Iterator[TokenIssuer]:
    """Serve a new one until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate.path, certificate.key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    key = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
    issuer = TokenIssuer(f"https://127.0.0.1:{server.server_port}", key)
    server.issuer = issuer  # type: ignore[attr-defined]  # the handler finds it there
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield issuer
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        document = self.server.issuer.document(self.path)  # type: ignore[attr-defined]  # as above
        body = json.dumps(document).encode()
        self.send_response(404 if document is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _number(value: int) -> str:
    return _base64url(value.to_bytes((value.bit_length() + 7) // 8, "big"))


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
