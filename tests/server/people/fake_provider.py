"""An OpenID provider in this process, which can also lie. Its answers are read by Authlib."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

ISSUER = "https://accounts.example"
CLIENT_SECRET = "what-both-know-0123"


class FakeProvider:
    """A provider on a clock.

    ``claims`` change those of the next ID token, ``metadata`` what it says of itself; ``key`` and ``algorithm`` sign.
    ``userinfo`` is the answer to a request with an access token. If ``is_away``, the discovery document is a 503.
    """

    def __init__(self, now: float) -> None:
        self.key: Any = RSAKey.generate_key(2048, {"kid": "one"})
        self.public = self.key.as_dict(private=False)
        self.algorithm = "RS256"
        self.claims: dict[str, Any] = {}
        self.metadata: dict[str, Any] = {}
        self.is_away = False
        self.token_requests = 0
        self.userinfo: dict[str, Any] = {}
        self._now = now
        self._codes: dict[str, dict[str, str]] = {}
        self.app = Starlette(
            routes=[
                Route("/.well-known/openid-configuration", self._configure),
                Route("/keys", self._show_keys),
                Route("/token", self._give_token, methods=["POST"]),
                Route("/userinfo", self._show_claims),
            ]
        )

    def authorize(self, url: str, identity: str) -> str:
        """A person signs in at the address to which the browser was sent; returns the address of the way back."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert asked["response_type"] == "code"
        assert asked["code_challenge_method"] == "S256"
        code = secrets.token_urlsafe(8)
        self._codes[code] = {**asked, "identity": identity}
        return f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}"

    async def _configure(self, _request: Request) -> Response:
        if self.is_away:
            return Response("gone", 503)
        document = {
            "issuer": ISSUER,
            "authorization_endpoint": f"{ISSUER}/authorize",
            "token_endpoint": f"{ISSUER}/token",
            "jwks_uri": f"{ISSUER}/keys",
            "userinfo_endpoint": f"{ISSUER}/userinfo",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
        }
        return JSONResponse({**document, **self.metadata})

    async def _show_keys(self, _request: Request) -> Response:
        return JSONResponse({"keys": [self.public]})

    async def _give_token(self, request: Request) -> Response:
        self.token_requests += 1
        form = parse_qs((await request.body()).decode())
        asked = self._codes.pop(form["code"][0], None)
        if asked is None or not self._is_from(request, form, asked):
            return JSONResponse({"error": "invalid_grant"}, 400)
        claims = {
            "iss": ISSUER,
            "sub": "1",
            "aud": asked["client_id"],
            "exp": self._now + 300,
            "iat": self._now,
            "nonce": asked["nonce"],
            "email": asked["identity"],
            "email_verified": True,
            **self.claims,
        }
        token = self._sign({name: value for name, value in claims.items() if value is not None})
        return JSONResponse({"access_token": "a", "token_type": "Bearer", "id_token": token})

    async def _show_claims(self, request: Request) -> Response:
        assert request.headers["authorization"] == "Bearer a"
        return JSONResponse(self.userinfo)

    def _is_from(self, request: Request, form: Mapping[str, list[str]], asked: Mapping[str, str]) -> bool:
        """Whether the one who began the sign-in asks for the token, and knows the secret."""
        verifier = hashlib.sha256(form.get("code_verifier", [""])[0].encode()).digest()
        challenge = _encode(verifier)
        basic = base64.b64encode(f"remit:{CLIENT_SECRET}".encode()).decode()
        return (
            challenge == asked["code_challenge"]
            and form["redirect_uri"][0] == asked["redirect_uri"]
            and request.headers.get("authorization") == f"Basic {basic}"
        )

    def _sign(self, claims: dict[str, Any]) -> str:
        header = {"alg": self.algorithm, "kid": "one"}
        if self.algorithm == "RS256":
            return jwt.encode(header, claims, self.key)
        # "none", or HS256 with the public key as the shared secret: the attacks on libraries that believe the header.
        signed = f"{_encode(json.dumps(header).encode())}.{_encode(json.dumps(claims).encode())}"
        mac = hmac.digest(self.key.as_pem(private=False), signed.encode(), "sha256")
        return f"{signed}.{_encode(mac) if self.algorithm == 'HS256' else ''}"


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
