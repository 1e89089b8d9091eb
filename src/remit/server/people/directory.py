"""The interface of a directory of people, and one in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from msgspec import structs

from remit.core.call_checks import check_arguments
from remit.errors import RequestConflictError, RequestNotFoundError
from remit.server.people.accounts import Account, Credential, CredentialKind, Person, Role


class Directory(Protocol):
    """People, roles and credentials: what one process writes, every other reads at once.

    The conformance suite is `remit.testing.directory_suite`.
    """

    def find_account(self, name: str) -> Account | None:
        """The person of that name with their roles, which are those of their tenant.

        It is the only method that does not wait: runs look permissions up in the middle of a call.

        Raises:
            BrokenJournalError: a row was changed by anything but Remit. JournalError: the directory cannot be read.
        """
        ...

    async def add_person(self, person: Person) -> None:
        """Add a person.

        Raises:
            RequestConflictError: the name is taken, or differs from a taken one only in large and small letters.
        """
        ...

    async def change_person(self, name: str, change: Callable[[Person], Person]) -> Person:
        """Replace a person by what ``change`` returns, in one transaction. ``change`` keeps name and tenant.

        Raises:
            RequestNotFoundError: there is no such person.
        """
        ...

    async def remove_person(self, name: str) -> None:
        """Remove a person with all their credentials.

        Raises:
            RequestNotFoundError: there is no such person.
        """
        ...

    async def list_people(self, tenant: str) -> list[Person]:
        """The people of a tenant, by name."""
        ...

    async def put_role(self, role: Role) -> None:
        """Add or replace a role of a tenant."""
        ...

    async def remove_role(self, name: str, tenant: str) -> None:
        """Remove a role of a tenant. The people who have it lose its permissions.

        Raises:
            RequestNotFoundError: there is no such role.
        """
        ...

    async def list_roles(self, tenant: str) -> list[Role]:
        """The roles of a tenant, by name."""
        ...

    async def add_credential(self, credential: Credential, *, expired_before: float) -> None:
        """Add a credential, and remove all credentials that expired before a time."""
        ...

    async def find_credential(self, kind: CredentialKind, digest: str) -> Credential | None:
        """The credential of that kind and digest, expired or not."""
        ...

    async def take_credential(self, kind: CredentialKind, digest: str) -> Credential | None:
        """Remove a credential and return it. Of several callers at once, one gets it and the others None."""
        ...

    async def touch_credential(self, credential: str, seen: float) -> None:
        """Note a use of a credential, if it still exists."""
        ...

    async def list_credentials(self, person: str, kind: CredentialKind) -> list[Credential]:
        """The credentials of a person, oldest first."""
        ...

    async def remove_credentials(self, person: str, kind: CredentialKind, *, credential: str = "") -> int:
        """Remove one credential of a person, by its id, or all of a kind; return how many there were."""
        ...

    async def close(self) -> None:
        """Release the resources of the directory."""
        ...


@check_arguments()
class InMemoryDirectory:
    """A directory in the memory of this process, for tests and for programs that add their people at each start."""

    def __init__(self, people: Iterable[Person] = (), roles: Iterable[Role] = ()) -> None:
        self._people = {each.name: each for each in people}
        self._roles = {(each.tenant, each.name): each for each in roles}
        self._credentials = dict[str, Credential]()

    def find_account(self, name: str) -> Account | None:
        """The person of that name with their roles."""
        person = self._people.get(name)
        if person is None:
            return None
        found = (self._roles.get((person.tenant, role)) for role in sorted(person.roles))
        return Account(person, tuple(each for each in found if each is not None))

    async def add_person(self, person: Person) -> None:
        """Add a person."""
        refuse_taken(person.name, self._people)
        self._people[person.name] = person

    async def change_person(self, name: str, change: Callable[[Person], Person]) -> Person:
        """Replace a person by what ``change`` returns."""
        if name not in self._people:
            raise no_person(name)
        self._people[name] = changed = change(self._people[name])
        return changed

    async def remove_person(self, name: str) -> None:
        """Remove a person with all their credentials."""
        if self._people.pop(name, None) is None:
            raise no_person(name)
        self._credentials = {each.id: each for each in self._credentials.values() if each.person != name}

    async def list_people(self, tenant: str) -> list[Person]:
        """The people of a tenant, by name."""
        return sorted((each for each in self._people.values() if each.tenant == tenant), key=lambda each: each.name)

    async def put_role(self, role: Role) -> None:
        """Add or replace a role of a tenant."""
        self._roles[role.tenant, role.name] = role

    async def remove_role(self, name: str, tenant: str) -> None:
        """Remove a role of a tenant."""
        if self._roles.pop((tenant, name), None) is None:
            raise no_role(name)

    async def list_roles(self, tenant: str) -> list[Role]:
        """The roles of a tenant, by name."""
        return sorted((each for each in self._roles.values() if each.tenant == tenant), key=lambda each: each.name)

    async def add_credential(self, credential: Credential, *, expired_before: float) -> None:
        """Add a credential, and remove expired ones."""
        kept = {each.id: each for each in self._credentials.values() if each.expires >= expired_before}
        self._credentials = {**kept, credential.id: credential}

    async def find_credential(self, kind: CredentialKind, digest: str) -> Credential | None:
        """The credential of that kind and digest."""
        found = (each for each in self._credentials.values() if (each.kind, each.digest) == (kind, digest))
        return next(found, None)

    async def take_credential(self, kind: CredentialKind, digest: str) -> Credential | None:
        """Remove a credential and return it."""
        found = await self.find_credential(kind, digest)
        return None if found is None else self._credentials.pop(found.id)

    async def touch_credential(self, credential: str, seen: float) -> None:
        """Note a use of a credential."""
        found = self._credentials.get(credential)
        if found is not None:
            self._credentials[credential] = structs.replace(found, seen=seen)

    async def list_credentials(self, person: str, kind: CredentialKind) -> list[Credential]:
        """The credentials of a person, oldest first."""
        found = [each for each in self._credentials.values() if (each.person, each.kind) == (person, kind)]
        return sorted(found, key=lambda each: (each.created, each.id))

    async def remove_credentials(self, person: str, kind: CredentialKind, *, credential: str = "") -> int:
        """Remove credentials of a person."""
        found = [each.id for each in await self.list_credentials(person, kind) if credential in ("", each.id)]
        for each in found:
            del self._credentials[each]
        return len(found)

    async def close(self) -> None:
        """Keep everything: it is gone with the object."""


def refuse_taken(name: str, taken: Iterable[str]) -> None:
    """Refuse a second person of one name, in letters of any case: who reads it would take one for the other.

    Raises:
        RequestConflictError: names the person.
    """
    folded = name.casefold()
    other = next((each for each in taken if each.casefold() == folded), None)
    if other is not None:
        raise RequestConflictError(f"there is a person {other!r} already; choose another name")


def no_person(name: str) -> RequestNotFoundError:
    """The error for an unknown person."""
    return RequestNotFoundError(f"there is no person {name!r}; see: remit people list")


def no_role(name: str) -> RequestNotFoundError:
    """The error for an unknown role."""
    return RequestNotFoundError(f"there is no role {name!r}; see: remit people role list")
