"""Administration of people, roles, passwords and tokens, each act by a principal with the right."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import structs

from remit.core.call_checks import check_arguments
from remit.core.names import as_normalized, as_person_name
from remit.engine.request import new_id
from remit.engine.sharing import CANCEL_PERMISSION, MANAGE_PERMISSION
from remit.errors import RequestConflictError, RequestDeniedError, RequestError, RequestNotFoundError, SetupError
from remit.journal.conversations import EVERYONE
from remit.record.principal import ANONYMOUS, Principal
from remit.record.target import check_granted
from remit.server.people.accounts import (
    NO_END,
    Credential,
    CredentialKind,
    Person,
    Role,
    digest_secret,
    make_secret,
)
from remit.server.people.directory import no_person, no_role
from remit.server.people.passwords import Passwords, check_password
from remit.server.people.people import People
from remit.server.people.provider import Provider
from remit.server.permissions import PEOPLE_PERMISSION

MAX_TOKEN_DAYS: Final = 366.0
_DAY: Final = 86400.0
_OWNER_PERMISSIONS: Final = frozenset({CANCEL_PERMISSION, MANAGE_PERMISSION})
_PLURALS: Final[Mapping[CredentialKind, str]] = {
    "session": "sessions",
    "token": "tokens",
    "link": "links",
    "identity": "identities",
}


@check_arguments()
class Administration:
    """The changes to people that one principal may make. Nobody can grant a permission that they do not hold.

    Everyone may change their own password, tokens and sessions; the rest requires ``people:manage``, for people of the
    own tenant. An API token may change nothing here, because nothing that it makes should outlive its revocation.

    Raises:
        RequestDeniedError: by every method, if ``by`` may not do this.
    """

    def __init__(
        self,
        people: People,
        by: Principal,
        *,
        passwords: Passwords | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._people, self._directory, self._by = people, people.directory, by
        self._passwords, self._clock = passwords or Passwords(), clock

    async def add_person(self, name: str, *, tenant: str = "", roles: Iterable[str] = ()) -> Person:
        """Add a person with roles, who cannot sign in before there is a password or a link.

        Raises:
            RequestError: the name is not valid. RequestNotFoundError: a role does not exist.
            RequestConflictError: the name is taken.
        """
        tenant = as_normalized("the tenant", tenant, RequestError) if tenant else self._by.tenant
        self._require_right(tenant)
        name = as_person_name("the name", name, RequestError)
        if name.casefold() == ANONYMOUS:
            raise RequestError(f"the name {name!r} is that of callers who have not signed in; choose another")
        if name == EVERYONE:
            raise RequestError(f"the name {name!r} stands for everyone where something is shared; choose another")
        folded = {each.casefold(): each for each in self._people.configured_users}
        if configured := folded.get(name.casefold()):
            raise RequestConflictError(f"config.toml has the user {configured!r} already; choose another name")
        given = frozenset([await self._givable_role(role) for role in roles])
        person = Person(name, tenant, given)
        await self._directory.add_person(person)
        return person

    async def give_role(self, name: str, role: str) -> Person:
        """Give a person a role.

        Raises:
            RequestNotFoundError: there is no such person or role.
        """
        await self._require_person(name)
        given = await self._givable_role(role)
        return await self._directory.change_person(
            name, lambda person: structs.replace(person, roles=person.roles | {given})
        )

    async def take_role(self, name: str, role: str) -> Person:
        """Take a role from a person, who loses its permissions at the next request and at the next call of a run.

        Like who gives it, ``by`` must hold its permissions: else they could make a person weak enough to sign in as.

        Raises:
            RequestNotFoundError: there is no such person, or the person does not have the role.
        """
        person = await self._require_person(name)
        if role not in person.roles:
            has = ", ".join(sorted(person.roles)) or "none"
            raise RequestNotFoundError(f"{name} does not have the role {role!r}; {name} has: {has}")
        permissions = {each.name: each.permissions for each in await self.list_roles()}
        self._require_own(permissions.get(role, frozenset()), f"take the role {role!r}")
        return await self._directory.change_person(
            name, lambda person: structs.replace(person, roles=person.roles - {role})
        )

    async def remove_person(self, name: str) -> None:
        """Remove a person, whose permissions ``by`` must hold, with their password, sessions, tokens and links."""
        await self._require_person(name)
        await self._require_principal(name, "remove")
        await self._directory.remove_person(name)

    async def list_people(self) -> list[Person]:
        """The people of the tenant, without the users of ``config.toml``."""
        self._require_right(self._by.tenant)
        return await self._directory.list_people(self._by.tenant)

    async def put_role(self, name: str, permissions: Iterable[str]) -> Role:
        """Add a role of the tenant, or replace its permissions, all of which ``by`` must hold.

        Raises:
            RequestError: a permission is not valid. RequestConflictError: ``config.toml`` defines the role.
        """
        self._require_right(self._by.tenant)
        name = _as_written("the role", name)
        if name in self._people.configured_roles:
            raise RequestConflictError(
                f"config.toml defines the role {name!r}; change it there, or choose another name"
            )
        granted = frozenset(permissions)
        _check_permissions(granted)
        self._require_own(granted, f"define the role {name!r}")
        self._require_own((await self._permissions_of_added()).get(name, frozenset()), f"replace the role {name!r}")
        role = Role(name, self._by.tenant, granted)
        await self._directory.put_role(role)
        return role

    async def remove_role(self, name: str) -> None:
        """Remove a role of the tenant, all of whose permissions ``by`` must hold. Everyone who has it loses them.

        Raises:
            RequestNotFoundError: there is no such role.
        """
        self._require_right(self._by.tenant)
        self._require_own((await self._permissions_of_added()).get(name, frozenset()), f"remove the role {name!r}")
        await self._directory.remove_role(name, self._by.tenant)

    async def list_roles(self) -> list[Role]:
        """The roles of ``config.toml`` and those of the tenant, by name."""
        tenant = self._by.tenant
        self._require_right(tenant)
        permissions = {**await self._permissions_of_added(), **self._people.configured_roles}
        return [Role(name, tenant, permissions[name]) for name in sorted(permissions)]

    async def set_password(self, name: str, password: str) -> None:
        """Set the password of a person, end their sessions, and void their one-time links.

        Raises:
            RequestError: it is too short or too long.
        """
        principal = await self._require_principal(name, "set the password of")
        check_password(password)
        kept = await self._passwords.hash(password)
        try:
            await self._directory.change_person(name, lambda person: structs.replace(person, password=kept))
        except RequestNotFoundError:  # a user of config.toml, who has no row yet
            await self._directory.add_person(Person(principal.name, principal.tenant, password=kept))
        await self._end_sessions(name)

    async def add_token(
        self, name: str, *, label: str, permissions: Iterable[str], days: float
    ) -> tuple[Credential, str]:
        """Make an API token for a person. Returns it with its secret, which is not kept.

        ``runs:cancel`` and ``conversations:manage`` can be given to every token: a person who does not have them may
        cancel and manage what is theirs, and so may the token then.

        Raises:
            RequestError: a permission is not one of the person's, or the duration is not between 0 and 366 days.
        """
        principal = await self._require_principal(name, "make a token of")
        allowed = frozenset(permissions)
        _check_permissions(allowed)
        if lacking := principal.missing_permissions(allowed - _OWNER_PERMISSIONS):
            raise RequestError(f"{name} lacks the permission {lacking[0]}, so a token cannot have it")
        if not 0 < days <= MAX_TOKEN_DAYS:
            raise RequestError(f"a token lasts more than 0 and at most {MAX_TOKEN_DAYS:.0f} days, not {days:g}")
        now, secret = self._clock(), make_secret("token")
        token = Credential.of(
            new_id(),
            principal,
            "token",
            digest_secret(secret),
            label=_as_written("the label of a token", label),
            created=now,
            expires=now + days * _DAY,
            permissions=allowed,
        )
        await self._directory.add_credential(token, expired_before=now)
        return token, secret

    async def add_identity(self, name: str, provider: Provider, identity: str) -> Credential:
        """Let a person sign in by what an OpenID provider calls them, such as a mail address.

        Raises:
            RequestConflictError: a person, perhaps of another tenant, has the identity already.
        """
        principal = await self._require_principal(name, "add an identity of")
        identity = _as_written("an identity", identity.strip())
        digest = provider.digest(identity)
        if await self._directory.find_credential("identity", digest) is not None:
            raise RequestConflictError(f"a person has the identity {identity!r} already")
        now = self._clock()
        credential = Credential.of(new_id(), principal, "identity", digest, label=identity, created=now, expires=NO_END)
        await self._directory.add_credential(credential, expired_before=now)
        return credential

    async def list_credentials(self, name: str, kind: CredentialKind) -> list[Credential]:
        """The unexpired tokens, sessions, links or identities of a person, oldest first."""
        await self._require_same_tenant(name, f"list the {_PLURALS[kind]} of")
        now = self._clock()
        return [each for each in await self._directory.list_credentials(name, kind) if each.expires > now]

    async def revoke(self, name: str, kind: CredentialKind, credential: str = "") -> int:
        """Revoke a token or end a session of a person, or all of that kind; return how many there were.

        Whoever ends all sessions of a person also voids their one-time links, which would begin new ones.

        Raises:
            RequestNotFoundError: the person has none with that id.
        """
        await self._require_principal(name, f"revoke the {_PLURALS[kind]} of")
        if kind == "session" and not credential:
            return await self._end_sessions(name)
        count = await self._directory.remove_credentials(name, kind, credential=credential)
        if credential and not count:
            raise RequestNotFoundError(f"{name} has no {kind} {credential!r}")
        return count

    async def check_link(self, name: str) -> Principal:
        """Check that ``by`` may make a one-time link for a person, and return the person."""
        return await self._require_principal(name, "make a link for")

    async def _end_sessions(self, name: str) -> int:
        """End all that keeps a person signed in, or would sign them in without more ado."""
        await self._directory.remove_credentials(name, "link")
        return await self._directory.remove_credentials(name, "session")

    async def _permissions_of_added(self) -> dict[str, frozenset[str]]:
        """The permissions of the roles of the tenant in the directory, by name."""
        return {each.name: each.permissions for each in await self._directory.list_roles(self._by.tenant)}

    def _require_right(self, tenant: str) -> None:
        self._require_person_itself("change people")
        if not self._by.may(PEOPLE_PERMISSION):
            raise RequestDeniedError(f"{self._by.name} may not change people: missing permission {PEOPLE_PERMISSION}")
        if tenant != self._by.tenant:
            raise RequestDeniedError(f"{self._by.name} of {self._by.tenant!r} may not change people of {tenant!r}")

    def _require_person_itself(self, what: str) -> None:
        if self._by.allowed is not None:
            raise RequestDeniedError(f"an API token may not {what}; sign in")

    def _require_own(self, permissions: frozenset[str], what: str) -> None:
        if lacking := self._by.missing_permissions(permissions):
            raise RequestDeniedError(f"{self._by.name} may not {what}: {self._by.name} lacks {', '.join(lacking)}")

    async def _require_person(self, name: str) -> Person:
        """A person of the directory that ``by`` may change."""
        self._require_right(self._by.tenant)
        if name in self._people.configured_users:
            raise RequestConflictError(f"{name!r} is a user of config.toml; change it there")
        account = await asyncio.to_thread(self._directory.find_account, name)
        if account is None or account.person.tenant != self._by.tenant:
            raise no_person(name)
        return account.person

    async def _require_same_tenant(self, name: str, what: str) -> Principal:
        """A principal whose credentials ``by`` may see and revoke: itself, or one of the tenant with the right."""
        self._require_person_itself(f"{what} {name}")
        principal = await asyncio.to_thread(self._people.find_principal, name, self._by.tenant)
        if name != self._by.name:
            self._require_right(self._by.tenant)
        if principal is None:
            raise no_person(name)
        return principal

    async def _require_principal(self, name: str, what: str) -> Principal:
        """A principal whose way in ``by`` may give or take, and so needs all permissions of the principal."""
        principal = await self._require_same_tenant(name, what)
        if name != self._by.name:
            self._require_own(principal.permissions, f"{what} {name}")
        return principal

    async def _givable_role(self, role: str) -> str:
        roles = {each.name: each.permissions for each in await self.list_roles()}
        if role not in roles:
            raise no_role(role)
        self._require_own(roles[role], f"give the role {role!r}")
        return role


def _as_written(what: str, text: str) -> str:
    """A name that people read, which is not empty."""
    text = as_normalized(what, text, RequestError)
    if not text:
        raise RequestError(f"{what} is empty; write a name")
    return text


def _check_permissions(permissions: frozenset[str]) -> None:
    for each in sorted(permissions):
        try:
            check_granted("a permission", each)
        except SetupError as error:
            raise RequestError(error.message) from error
