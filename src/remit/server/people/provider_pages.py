"""The way to an OpenID provider and back."""

from __future__ import annotations

import logging
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from remit.errors import RequestDeniedError
from remit.server.cookies import Cookies
from remit.server.pages.plain import link, paragraph, plain_page
from remit.server.people.login import LoginPages, browser_label, own_path
from remit.server.people.provider import ProviderError
from remit.server.people.provider_client import Journey, ProviderClient

_LOG: Final = logging.getLogger("remit.server")
_PATH: Final = "/login/provider"
_SECONDS: Final = 900
"""How long a person may take at the provider."""


@dataclass(frozen=True, slots=True)
class ProviderPages:
    """The routes of one provider. What belongs to a sign-in is kept in a cookie of the browser that began it."""

    pages: LoginPages
    client: ProviderClient

    def routes(self) -> list[Route]:
        """The routes to the provider and back."""
        return [Route(_PATH, self.begin), Route(f"{_PATH}/back", self.finish, name="provider_back")]

    async def begin(self, request: Request) -> Response:
        """Send the browser to the provider."""
        following = own_path(request, request.query_params.get("next", ""))
        try:
            url, journey = await self.client.begin(_way_back(request), following)
        except ProviderError as error:
            return self._unavailable(request, error)
        response = RedirectResponse(url, 303)
        self._cookies.set(request, response, urlsafe_b64encode(msgspec.json.encode(journey)).decode(), _SECONDS)
        return response

    async def finish(self, request: Request) -> Response:
        """Begin a session of the person who came back, and go where they wanted to be."""
        journey = _read_journey(request.cookies.get(self._cookies.name(request), ""))
        try:
            identity = await self.client.finish(request, journey, _way_back(request))
            provider = self.client.provider
            signed_in = await self.pages.sign_in.with_identity(provider, identity, label=browser_label(request))
        except RequestDeniedError as error:
            problem = f"{error.message[:1].upper()}{error.message[1:]}."
            hint = "An operator of this server can add you: remit people identity add NAME IDENTITY"
            body = paragraph(problem) + (paragraph(hint, "soft") if "no person" in error.message else "")
            response = plain_page(request, "You are not signed in", body + link(request, "/login", "Back"), 403)
        except ProviderError as error:
            response = self._unavailable(request, error)
        else:
            following = own_path(request, journey.following if journey else "")
            response = await self.pages.enter(request, signed_in, following)
        self._cookies.clear(request, response)
        return response

    @property
    def _cookies(self) -> Cookies:
        return Cookies(self.pages.cookies.secure, "remit-provider")

    def _unavailable(self, request: Request, error: ProviderError) -> Response:
        name = self.client.provider.name
        _LOG.warning("the sign-in by %s failed: %s", name, error)
        body = paragraph("Try again in a moment. The log of the server says what happened.")
        return plain_page(request, f"{name} does not answer as it must", body + link(request, "/login", "Back"), 502)


def _way_back(request: Request) -> str:
    return str(request.url_for("provider_back"))


def _read_journey(cookie: str) -> Journey | None:
    """The sign-in that a cookie belongs to; None if it is not one that was written here."""
    try:
        return msgspec.json.decode(urlsafe_b64decode(cookie.encode()), type=Journey)
    except ValueError:
        return None
