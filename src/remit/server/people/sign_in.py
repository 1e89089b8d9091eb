"""Signing in: by password or one-time link for a session, or with an API token; and how long each lasts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Final
from zlib import crc32

from msgspec import Struct, structs

from remit.core.call_checks import check_arguments
from remit.core.names import as_person_name, show_hidden
from remit.engine.request import new_id
from remit.errors import RequestDeniedError, SetupError
from remit.journal.ports import RateCounter
from remit.record.ledger import TurnRequest
from remit.record.principal import Principal
from remit.server.people.accounts import Credential, CredentialKind, digest_secret, make_secret
from remit.server.people.administration import Administration
from remit.server.people.passwords import Passwords
from remit.server.people.people import People
from remit.server.people.provider import Provider
from remit.server.rates import RequestLimitedError, find_source

_WRONG: Final = "wrong name or password"
_TOUCH_SECONDS: Final = 60.0
"""A use is noted at most this often, so that a request seldom writes."""

_BUCKETS: Final = 4096
"""The number of counters of names, and of addresses, however many are tried."""

_MAX_LABEL_CHARS: Final = 120


class Lifetimes(Struct, frozen=True):
    """How long sessions and links last, in seconds.

    A session ends ``session`` seconds after it began, and ``idle`` seconds after its last request.
    """

    session: float = 7 * 86400.0
    idle: float = 12 * 3600.0
    link: float = 900.0


class Attempts(Struct, frozen=True):
    """How many attempts to sign in there may be in ``seconds``: from an address, for a name, and for both together."""

    seconds: float = 300.0
    of_address: int = 60
    of_name: int = 60
    of_name_and_address: int = 10


_LIFETIMES: Final = Lifetimes()
_ATTEMPTS: Final = Attempts()


class SignedIn(Struct, frozen=True):
    """A new session: the secret for the cookie, and whose it is."""

    secret: str
    principal: Principal


@check_arguments()
class SignIn:
    """Signs people in, and finds the principal of a secret at each request.

    Args:
        people: who there is.
        turns: counts the attempts for all processes; the store of the journal.
        passwords: verifies passwords. lifetimes: of sessions and links. attempts: the limits.
        clock: seconds since the epoch.
    """

    def __init__(
        self,
        people: People,
        turns: RateCounter,
        *,
        passwords: Passwords | None = None,
        lifetimes: Lifetimes = _LIFETIMES,
        attempts: Attempts = _ATTEMPTS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.people = people
        self.lifetimes = lifetimes
        self._directory = people.directory
        self._turns, self._passwords, self._attempts, self._clock = turns, passwords or Passwords(), attempts, clock

    async def with_password(self, name: str, password: str, *, address: str, label: str = "") -> SignedIn:
        """Begin a session by name and password.

        Raises:
            RequestDeniedError: one of them is wrong; the error does not say which.
            RequestLimitedError: too many attempts for this name, or from this ``address``.
        """
        try:
            name = as_person_name("name", name)
        except SetupError:
            name = ""
        await self._count_attempt(name, address)
        account = await asyncio.to_thread(self._directory.find_account, name) if name else None
        known = "" if account is None else account.person.password
        kept = await self._passwords.verify(password, known)
        principal = None if kept is None else await asyncio.to_thread(self.people.find_by_name, name)
        if kept is None or account is None or principal is None or principal.tenant != account.person.tenant:
            raise RequestDeniedError(_WRONG)
        if kept != known:
            await self._replace_hash(name, known, kept)
        return await self.begin_session(principal, label=label)

    async def with_link(self, secret: str, *, label: str = "") -> SignedIn:
        """Begin a session by a one-time link, which is used up.

        Raises:
            RequestDeniedError: it was used, has expired, or never existed.
        """
        taken = await self._directory.take_credential("link", digest_secret(secret))
        principal = None if taken is None else await self._holder(taken)
        if principal is None:
            raise RequestDeniedError("this link was used or has expired; make another: remit people link")
        return await self.begin_session(principal, label=label)

    async def with_identity(self, provider: Provider, identity: str, *, label: str = "") -> SignedIn:
        """Begin a session of the person that an OpenID provider has recognised.

        Raises:
            RequestDeniedError: no person has this identity.
        """
        found = await self._find_by_digest("identity", provider.digest(identity))
        principal = None if found is None else await self._holder(found)
        if principal is None:
            raise RequestDeniedError(f"this server has no person {show_hidden(identity[:_MAX_LABEL_CHARS], '')}")
        return await self.begin_session(principal, label=label)

    async def find_link(self, secret: str) -> Principal | None:
        """The principal that a one-time link would sign in; None if it was used or has expired."""
        found = await self._find("link", secret)
        return None if found is None else await self._holder(found)

    async def check_password(self, principal: Principal, password: str, *, address: str) -> None:
        """Check the present password of a person who wants to change it. A person without one needs none.

        Raises:
            RequestDeniedError: it is wrong. RequestLimitedError: too many attempts.
        """
        if not await asyncio.to_thread(self.has_password, principal.name):
            return
        await self._count_attempt(principal.name, address)
        account = await asyncio.to_thread(self._directory.find_account, principal.name)
        if await self._passwords.verify(password, "" if account is None else account.person.password) is None:
            raise RequestDeniedError("the present password is wrong")

    def has_password(self, name: str) -> bool:
        """Whether a person can sign in by password."""
        account = self._directory.find_account(name)
        return account is not None and bool(account.person.password)

    def administration(self, by: Principal) -> Administration:
        """The changes to people that ``by`` may make."""
        return Administration(self.people, by, passwords=self._passwords, clock=self._clock)

    async def find_session(self, secret: str, *, is_use: bool = True) -> Principal | None:
        """The principal whose session has this secret, with the permissions of this moment; None if it has ended.

        Unless it ``is_use``, the session grows idle.
        """
        found = await self._find("session", secret)
        if found is None or found.seen + self.lifetimes.idle <= self._clock():
            return None
        return await self._holder(found, is_use=is_use)

    async def find_token(self, secret: str, *, is_use: bool = True) -> Principal | None:
        """The principal whose API token this is, limited to its permissions; None if it has expired or is revoked."""
        found = await self._find("token", secret)
        return None if found is None else await self._holder(found, is_use=is_use)

    async def end_session(self, secret: str) -> None:
        """End the session with this secret, if there is one."""
        await self._directory.take_credential("session", digest_secret(secret))

    async def make_link(self, principal: Principal) -> str:
        """The secret of a new one-time link for ``principal``."""
        return await self._add("link", principal, "", self.lifetimes.link)

    async def _find(self, kind: CredentialKind, secret: str) -> Credential | None:
        return await self._find_by_digest(kind, digest_secret(secret))

    async def _find_by_digest(self, kind: CredentialKind, digest: str) -> Credential | None:
        now = self._clock()
        found = await self._directory.find_credential(kind, digest)
        return None if found is None or found.expires <= now else found

    async def _holder(self, credential: Credential, *, is_use: bool = True) -> Principal | None:
        """The principal who holds a credential now, and note the use if it is one."""
        now = self._clock()
        if credential.expires <= now:
            return None
        holder = await asyncio.to_thread(self.people.find_principal, credential.person, credential.tenant)
        if holder is None:
            return None
        if is_use and credential.seen + _TOUCH_SECONDS <= now and credential.kind != "link":
            await self._directory.touch_credential(credential.id, now)
        return holder if credential.permissions is None else holder.limit_to(credential.permissions)

    async def begin_session(self, principal: Principal, *, label: str = "") -> SignedIn:
        """Begin a session of a person who has shown who they are."""
        return SignedIn(await self._add("session", principal, label, self.lifetimes.session), principal)

    async def _add(self, kind: CredentialKind, principal: Principal, label: str, seconds: float) -> str:
        secret, now = make_secret(kind), self._clock()
        credential = Credential.of(
            new_id(),
            principal,
            kind,
            digest_secret(secret),
            label=show_hidden(label[:_MAX_LABEL_CHARS], ""),
            created=now,
            expires=now + seconds,
            seen=now,
        )
        await self._directory.add_credential(credential, expired_before=now)
        return secret

    async def _replace_hash(self, name: str, known: str, kept: str) -> None:
        """Keep the hash of a password with today's parameters, unless the password has just been changed."""
        await self._directory.change_person(
            name, lambda person: structs.replace(person, password=kept) if person.password == known else person
        )

    async def _count_attempt(self, name: str, address: str) -> None:
        limits, source = self._attempts, find_source(address)
        for what, count in (
            (f"address/{_bucket(source)}", limits.of_address),
            (f"both/{_bucket(f'{source}/{name}')}", limits.of_name_and_address),
            (f"name/{_bucket(name)}", limits.of_name),
        ):
            wait = await self._turns.take_turn(TurnRequest(f"sign-in/{what}", count, limits.seconds, 0.0))
            if wait > 0:
                raise RequestLimitedError("too many attempts to sign in; wait a few minutes and try again")


def _bucket(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass")) % _BUCKETS
