"""The plain pages to sign in and out, and the page of one's account."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from remit.errors import RequestDeniedError, RequestError
from remit.record.principal import Principal
from remit.server.cookies import CSRF_FIELD, Cookies, csrf_token
from remit.server.forgery import read_form
from remit.server.pages.plain import form, link, own_address, paragraph, plain_page, text_field, to_login
from remit.server.people.accounts import NEVER, Credential, CredentialKind, digest_secret, make_secret
from remit.server.people.administration import Administration
from remit.server.people.sign_in import SignedIn, SignIn
from remit.server.rates import RequestLimitedError

_MAX_NEXT_CHARS: Final = 2000
_USED_LINK: Final = "This link was used or has expired"
_HOW_BY_LINK: Final = """<section class="below"><h2>Without a password</h2>
<p>Open the sign-in link that the server printed when it started. It works once, within 15 minutes.</p>
<p>For a new link, run <code>remit people link</code> on the machine of the server, or ask its operator. You can set a
password afterwards.</p></section>"""


@dataclass(frozen=True, slots=True)
class LoginPages:
    """The pages of one server."""

    sign_in: SignIn
    cookies: Cookies
    provider: str = ""
    """The name of the OpenID provider that people may sign in with; empty for none."""

    def routes(self) -> list[Route]:
        """The routes of the pages."""
        return [
            Route("/login", self.show_login),
            Route("/login", self.login, methods=["POST"]),
            Route("/login/link", self.use_link),
            Route("/logout", self.show_logout),
            Route("/logout", self.logout, methods=["POST"]),
            Route("/account", self.show_account),
            Route("/account/password", self.change_password, methods=["POST"]),
            Route("/account/sessions", self.end_sessions, methods=["POST"]),
            Route("/account/tokens", self.revoke_tokens, methods=["POST"]),
        ]

    async def show_login(self, request: Request) -> Response:
        """The form of name and password, or the way back for a reader who is signed in."""
        following = own_path(request, request.query_params.get("next", ""))
        if await self._principal(request) is not None:
            return RedirectResponse(following, 303)
        return self._login_page(request, following)

    async def login(self, request: Request) -> Response:
        """Begin a session, in a new cookie, and go where the reader wanted to be."""
        fields = await read_form(request)
        following = own_path(request, fields.get("next", ""))
        name, password = fields.get("name", ""), fields.get("password", "")
        address = request.client.host if request.client else ""
        try:
            signed_in = await self.sign_in.with_password(name, password, address=address, label=browser_label(request))
        except RequestLimitedError as error:
            response = self._login_page(request, following, error.message, name, 429)
            response.headers["retry-after"] = "60"
            return response
        except RequestDeniedError as error:
            return self._login_page(request, following, error.message, name, 401)
        return await self.enter(request, signed_in, following)

    async def use_link(self, request: Request) -> Response:
        """Begin a session by a one-time link. A browser that loads it in advance, or is signed in, does not use it."""
        purpose = f"{request.headers.get('sec-purpose', '')} {request.headers.get('purpose', '')}"
        if request.method != "GET" or "prefetch" in purpose or "prerender" in purpose:
            return Response(status_code=204)
        following = own_path(request, request.query_params.get("next", ""))
        secret, present = request.query_params.get("secret", ""), await self._principal(request)
        if present is not None:
            return await self._keep_session(request, present, secret, following)
        try:
            signed_in = await self.sign_in.with_link(secret, label=browser_label(request))
        except RequestDeniedError:
            hint = "Ask for another one, or make one on the machine of the server: remit people link"
            body = paragraph(hint) + link(request, "/login", "Sign in with a password")
            return plain_page(request, _USED_LINK, body, 403)
        return await self.enter(request, signed_in, following)

    async def _keep_session(self, request: Request, present: Principal, secret: str, following: str) -> Response:
        """Use no link in a browser that is signed in: another site must not be able to exchange the session."""
        other = await self.sign_in.find_link(secret)
        if other is None or (other.name, other.tenant) == (present.name, present.tenant):
            return RedirectResponse(following, 303)
        body = paragraph(f"To sign in as {other.name}, sign out first and open the link again.")
        title = f"You are signed in as {present.name}"
        return plain_page(request, title, body + link(request, "/logout", "Sign out"), 409)

    async def show_logout(self, request: Request) -> Response:
        """The form to sign out: a page that is only opened ends nothing."""
        if await self._principal(request) is None:
            return self._signed_out_page(request)
        return plain_page(request, "Sign out?", self._form(request, "/logout", "", "Sign out"))

    async def logout(self, request: Request) -> Response:
        """End the session."""
        await self.sign_in.end_session(self.cookies.read(request))
        response = self._signed_out_page(request)
        self.cookies.clear(request, response)
        return response

    async def show_account(self, request: Request) -> Response:
        """The page of one's account: password, sessions and tokens."""
        principal = await self._principal(request)
        return to_login(request, "/account") if principal is None else await self._account_page(request, principal)

    async def change_password(self, request: Request) -> Response:
        """Change one's own password, by the present one if there is one, and end all other sessions."""
        principal = await self._principal(request)
        if principal is None:
            return to_login(request, "/account")
        fields = await read_form(request)
        address = request.client.host if request.client else ""
        try:
            await self.sign_in.check_password(principal, fields.get("password", ""), address=address)
            await self._administration(principal).set_password(principal.name, fields.get("new", ""))
        except RequestError as error:
            return await self._account_page(request, principal, error.message, 400)
        signed_in = await self.sign_in.begin_session(principal, label=browser_label(request))
        return await self.enter(request, signed_in, own_address(request, "/account"))

    async def end_sessions(self, request: Request) -> Response:
        """End one session of one's own, or all of them."""
        return await self._revoke(request, "session")

    async def revoke_tokens(self, request: Request) -> Response:
        """Revoke one of one's own tokens."""
        return await self._revoke(request, "token")

    async def _revoke(self, request: Request, kind: CredentialKind) -> Response:
        principal = await self._principal(request)
        if principal is not None:
            fields = await read_form(request)
            try:
                await self._administration(principal).revoke(principal.name, kind, fields.get("id", ""))
            except RequestError as error:
                return await self._account_page(request, principal, error.message, 404)
        return RedirectResponse(own_address(request, "/account"), 303)

    async def enter(self, request: Request, signed_in: SignedIn, following: str) -> Response:
        """Go on with a new session. The old one of this browser ends, and its cookie is worth nothing any more."""
        await self.sign_in.end_session(self.cookies.read(request))
        response = RedirectResponse(following, 303)
        self.cookies.set(request, response, signed_in.secret, self.sign_in.lifetimes.session)
        return response

    async def _principal(self, request: Request) -> Principal | None:
        secret = self.cookies.read(request)
        return await self.sign_in.find_session(secret) if secret else None

    def _administration(self, principal: Principal) -> Administration:
        return self.sign_in.administration(principal)

    def _login_page(
        self, request: Request, following: str, problem: str = "", name: str = "", status: int = 200
    ) -> Response:
        fields = text_field("name", "Name", value=name[:200], autocomplete="username")
        fields += text_field("password", "Password", kind="password", autocomplete="current-password")
        secret = self.cookies.read(request) or make_secret("session")  # of a visitor, until the sign-in
        hidden = {CSRF_FIELD: csrf_token(secret), "next": following}
        body = paragraph(f"{problem[:1].upper()}{problem[1:]}.", "wrong") if problem else ""
        if self.provider:
            body += link(request, f"/login/provider?next={quote(following)}", f"Sign in with {self.provider}")
        body += form(own_address(request, "/login"), fields, "Sign in", hidden)
        body += _HOW_BY_LINK
        response = plain_page(request, "Sign in", body, status)
        self.cookies.set(request, response, secret)
        return response

    def _signed_out_page(self, request: Request) -> Response:
        return plain_page(request, "You are signed out", link(request, "/login", "Sign in again"))

    async def _account_page(
        self, request: Request, principal: Principal, problem: str = "", status: int = 200
    ) -> Response:
        administration = self._administration(principal)
        own = digest_secret(self.cookies.read(request))
        sessions = await administration.list_credentials(principal.name, "session")
        tokens = await administration.list_credentials(principal.name, "token")
        fields = text_field("password", "Present password", kind="password", autocomplete="current-password")
        fields = fields if self.sign_in.has_password(principal.name) else ""
        fields += text_field("new", "New password", kind="password", autocomplete="new-password")
        parts = [
            paragraph(f"{problem[:1].upper()}{problem[1:]}.", "wrong") if problem else "",
            paragraph(f"{principal.name}, of {principal.tenant}", "soft"),
            "<h2>Password</h2>",
            self._form(request, "/account/password", fields, "Change the password"),
            "<h2>Where you are signed in</h2><ul>",
            *(self._item(request, "/account/sessions", each, "End", is_own=each.digest == own) for each in sessions),
            "</ul>",
            self._form(request, "/account/sessions", "", "Sign out everywhere", is_first=False),
            "<h2>API tokens</h2><ul>" if tokens else "",
            *(self._item(request, "/account/tokens", each, "Revoke") for each in tokens),
            "</ul>" if tokens else "",
            link(request, "/", "Back"),
        ]
        return plain_page(request, "Your account", "".join(parts), status, is_wide=True)

    def _item(self, request: Request, path: str, each: Credential, button: str, *, is_own: bool = False) -> str:
        label = f"{each.label or 'Unknown browser'}{' (this browser)' if is_own else ''}"
        times = f"Since {_day(each.created)}, {_last_use(each)}, until {_day(each.expires)} (UTC)"
        permissions = (
            "" if each.permissions is None else paragraph(", ".join(sorted(each.permissions)) or "no permission")
        )
        return (
            f"<li><div>{paragraph(label)}{permissions}{paragraph(times, 'soft')}</div>"
            f"{self._form(request, path, '', button, id=each.id, is_first=False)}</li>"
        )

    def _form(
        self, request: Request, path: str, fields: str, button: str, *, is_first: bool = True, **hidden: str
    ) -> str:
        token = csrf_token(self.cookies.read(request))
        return form(own_address(request, path), fields, button, {CSRF_FIELD: token, **hidden}, is_first=is_first)


def own_path(request: Request, path: str) -> str:
    """A path of this server that was given as the place to go next; the start page for anything else.

    Browsers take two slashes or backslashes for the beginning of another host, and leave out control characters.
    """
    is_own = (
        path.startswith("/")
        and path[1:2] not in ("/", "\\")
        and path.isprintable()
        and "\\" not in path
        and len(path) <= _MAX_NEXT_CHARS
    )
    return path if is_own else own_address(request, "/")


def browser_label(request: Request) -> str:
    """A label for a session: what the browser calls itself, in two words."""
    agent = request.headers.get("user-agent", "")
    names = ("Edg", "OPR", "Firefox", "Chrome", "Safari", "curl", "python")
    systems = ("Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux")
    browser = next((name for name in names if name in agent), "Browser")
    system = next((name for name in systems if name in agent), "")
    return f"{browser} on {system}" if system else browser


def _last_use(credential: Credential) -> str:
    return "never used" if credential.seen == NEVER else f"last used {_day(credential.seen)}"


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
