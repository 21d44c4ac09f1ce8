"""A small OpenID Connect provider on loopback: real HTTP, real keys, real signatures.

It signs in whoever comes as ``person``; what it says of that person, and how it misbehaves, is
for the test to set.
"""

import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT: Final = "evidence"
SECRET: Final = "a secret of the two"
KEY: Final = rsa.generate_private_key(public_exponent=65537, key_size=2048)
# The last is a group that the site does not have.
GROUPS: Final = {
    "everybody": "member",
    "people": "people-team",
    "lawyers": "reviewer",
    "bosses": "admin",
    "spirits": "no-such-group",
}
OTHER_KEY: Final = rsa.generate_private_key(public_exponent=65537, key_size=2048)


@dataclass
class Provider:
    """``person`` are the claims; ``token`` replaces some of the token's, ``key`` signs it."""

    issuer: str = ""
    person: dict[str, Any] = field(default_factory=dict)
    token: dict[str, Any] = field(default_factory=dict)
    key: rsa.RSAPrivateKey = KEY
    other_subject: bool = False
    error: str = ""
    down: bool = False
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, query: dict[str, str]) -> str:
        """Where the browser is sent back to."""
        if self.error:
            answer = {"error": self.error, "state": query["state"]}
        else:
            code = secrets.token_hex(8)
            self.codes[code] = query
            answer = {"code": code, "state": query["state"]}
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def exchange(self, form: dict[str, str]) -> dict[str, str] | None:
        """Tokens for a code, once, if client and PKCE verifier are right."""
        asked = self.codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        known = (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
        if asked is None or not known or asked.get("code_challenge") != challenge:
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300}
        claims |= {"nonce": asked["nonce"], **self.person, **self.token}
        kept = {name: value for name, value in claims.items() if value is not None}
        signed = jwt.encode(kept, self.key, algorithm="RS256", headers={"kid": "one"})
        return {"access_token": "access", "token_type": "Bearer", "id_token": signed}

    def keys(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
        return {"keys": [public | {"kid": "one", "alg": "RS256", "use": "sig"}]}

    def userinfo(self) -> dict[str, Any]:
        return self.person | ({"sub": "somebody else"} if self.other_subject else {})


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        if url.path == "/authorize":
            self.send_response(302)
            self.send_header("Location", self.provider.authorize(query))
            self.end_headers()
        elif url.path == "/jwks":
            self._json(self.provider.keys())
        else:
            self._json(self.provider.userinfo())

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.provider.down:
            self.close_connection = True
            return
        tokens = self.provider.exchange({n: v[0] for n, v in parse_qs(body).items()})
        self._json(tokens or {"error": "invalid_grant"}, 200 if tokens else 400)

    def _json(self, value: object, status: int = 200) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """A test's output is for the test."""


@contextmanager
def running_provider() -> Iterator[Provider]:
    """The provider, until the block ends."""
    provider = Provider()
    handler = type("Handler", (_Handler,), {"provider": provider})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def settings_for(provider: Provider) -> dict[str, str]:
    """The environment of a site that trusts this provider."""
    at = provider.issuer
    return {
        "OIDC_ISSUER": at,
        "OIDC_AUTHORIZATION_ENDPOINT": f"{at}/authorize",
        "OIDC_TOKEN_ENDPOINT": f"{at}/token",
        "OIDC_USER_ENDPOINT": f"{at}/userinfo",
        "OIDC_JWKS_ENDPOINT": f"{at}/jwks",
        "OIDC_CLIENT_ID": CLIENT,
        "OIDC_CLIENT_SECRET": SECRET,
        "OIDC_GROUPS": ",".join(f"{claim}={group}" for claim, group in GROUPS.items()),
    }
