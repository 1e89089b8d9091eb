"""The client of an OpenID provider, by Authlib: discovery, state, nonce, PKCE and the ID token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Protocol, cast

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.starlette_client import OAuth
from httpx2 import HTTPError
from joserfc.errors import JoseError
from msgspec import Meta, Struct

from remit.core.call_checks import check_arguments
from remit.errors import RequestDeniedError
from remit.server.people.provider import Provider, ProviderError

if TYPE_CHECKING:
    from httpx2 import AsyncBaseTransport
    from starlette.requests import Request

_SIGNATURES: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Signatures by a key that only the provider has. A provider that offers others as well is not believed about them."""

_TIMEOUT_SECONDS: Final = 10.0
_LEEWAY_SECONDS: Final = 60


class Journey(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What belongs to one sign-in: its state, its nonce, the verifier of its code, and where the person wants to go."""

    state: Annotated[str, Meta(min_length=1)]
    nonce: Annotated[str, Meta(min_length=1)]
    code_verifier: str
    following: str


class _Client(Protocol):
    """The part of Authlib's client that is used here."""

    async def load_server_metadata(self) -> dict[str, Any]: ...

    async def create_authorization_url(self, redirect_uri: str) -> dict[str, Any]: ...

    async def fetch_access_token(self, **parameters: str) -> dict[str, Any]: ...

    async def userinfo(self, *, token: Mapping[str, Any]) -> Mapping[str, Any]: ...

    async def parse_id_token(
        self, token: Mapping[str, Any], nonce: str, claims_options: Mapping[str, Any], *, leeway: int
    ) -> Mapping[str, Any]: ...


@check_arguments()
class ProviderClient:
    """Sends people to a provider, and finds out who came back.

    Args:
        provider: the provider.
        transport: replaces the network.
    """

    def __init__(self, provider: Provider, transport: AsyncBaseTransport | None = None) -> None:
        self.provider = provider
        kwargs: dict[str, Any] = {
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "timeout": _TIMEOUT_SECONDS,
            **({} if transport is None else {"transport": transport}),
        }
        if provider.client_secret is None:
            kwargs["token_endpoint_auth_method"] = "none"  # noqa: S105 - the method of a client without a secret
        oauth: Any = OAuth()
        registered = oauth.register(
            "provider",
            client_id=provider.client_id,
            client_secret=None if provider.client_secret is None else provider.client_secret.reveal(),
            server_metadata_url=f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration",
            client_kwargs=kwargs,
        )
        self._client = cast("_Client", registered)

    async def begin(self, way_back: str, following: str) -> tuple[str, Journey]:
        """Where to send a person who wants to sign in, and what their browser keeps until the return.

        Raises:
            ProviderError: the provider does not answer.
        """
        try:
            await self._read_metadata()
            begun = await self._client.create_authorization_url(way_back)
        except _FAILURES as error:
            raise ProviderError(_describe(error)) from error
        state, nonce, verifier = (str(begun[name]) for name in ("state", "nonce", "code_verifier"))
        return str(begun["url"]), Journey(state=state, nonce=nonce, code_verifier=verifier, following=following)

    async def finish(self, request: Request, journey: Journey | None, way_back: str) -> str:
        """Who came back: the claim that the provider gave for the code.

        Raises:
            RequestDeniedError: the person refused, or the return does not belong to this browser.
            ProviderError: the provider does not answer, or not with a valid ID token.
        """
        query = request.query_params
        if journey is None or query.get("state") != journey.state:
            raise RequestDeniedError("this sign-in was begun in another browser, or too long ago; begin again")
        if "error" in query or not query.get("code"):
            raise RequestDeniedError("the sign-in was refused or given up")
        try:
            await self._read_metadata()
            token = await self._client.fetch_access_token(
                code=query["code"],
                state=journey.state,
                code_verifier=journey.code_verifier,
                redirect_uri=way_back,
            )
            required = {"iss": {"essential": True, "values": [self.provider.issuer]}}
            claims = await self._client.parse_id_token(token, journey.nonce, required, leeway=_LEEWAY_SECONDS)
            if self.provider.claim not in claims:
                claims = await self._ask_for_claims(token, claims)
        except _FAILURES as error:
            raise ProviderError(_describe(error)) from error
        return self._identity_of(claims)

    async def _ask_for_claims(self, token: Mapping[str, Any], claims: Mapping[str, Any]) -> Mapping[str, Any]:
        """The claims with those that the provider gives only to who asks; many ID tokens have no mail address."""
        found = await self._client.userinfo(token=token)
        if found["sub"] != claims["sub"]:
            raise ProviderError("its claims are about another person than its ID token")
        return {**found, **claims}

    def _identity_of(self, claims: Mapping[str, Any]) -> str:
        claim = self.provider.claim
        identity = claims.get(claim)
        if not isinstance(identity, str) or not identity:
            raise ProviderError(f"it does not say the claim {claim!r} of the person")
        if claim == "email" and claims.get("email_verified") is not True:
            raise RequestDeniedError(f"{self.provider.name} has not verified your mail address")
        return identity

    async def _read_metadata(self) -> None:
        """Read what the provider says of itself, once, and believe it only within what is safe."""
        metadata = await self._client.load_server_metadata()
        if metadata.get("issuer") != self.provider.issuer:
            raise ProviderError(f"it calls itself {metadata.get('issuer')!r}, not {self.provider.issuer!r}")
        offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
        metadata["id_token_signing_alg_values_supported"] = [each for each in offered if each in _SIGNATURES]


_FAILURES: Final = (AuthlibBaseError, JoseError, HTTPError, ValueError, LookupError, RuntimeError, TypeError)
"""What Authlib and httpx2 raise when a provider is away or answers with something else than it must."""


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
