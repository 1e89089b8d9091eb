"""People of the server, their roles and their API tokens."""

from __future__ import annotations

from remit.server.documents.document import Asked, Document
from remit.server.people.accounts import Credential, Person, Role


class PersonDocument(Document):
    """A person. ``configured``: of ``config.toml``, where they are changed. ``password``: they can sign in by one."""

    name: str
    roles: tuple[str, ...]
    configured: bool
    password: bool

    @staticmethod
    def of(person: Person, *, configured: bool = False) -> PersonDocument:
        """The document of a person."""
        return PersonDocument(
            name=person.name,
            roles=tuple(sorted(person.roles)),
            configured=configured,
            password=bool(person.password),
        )


class NewPerson(Asked):
    """A person of one's own tenant, who can sign in once they have a link or a password."""

    name: str
    roles: tuple[str, ...] = ()


class GivenRole(Asked):
    """A role to give to a person."""

    role: str


class LinkDocument(Document):
    """The path of a page that signs its person in once, within fifteen minutes. It is not shown again."""

    path: str


class RoleDocument(Document):
    """A role and its permissions. ``configured``: of ``config.toml``, where it is changed."""

    name: str
    permissions: tuple[str, ...]
    configured: bool

    @staticmethod
    def of(role: Role, *, configured: bool = False) -> RoleDocument:
        """The document of a role."""
        return RoleDocument(name=role.name, permissions=tuple(sorted(role.permissions)), configured=configured)


class NewRole(Asked):
    """A role; one of that name is replaced."""

    name: str
    permissions: tuple[str, ...]


class TokenDocument(Document):
    """An API token, without its secret. ``seen`` is about the time of its last use, 0 for never."""

    id: str
    label: str
    permissions: tuple[str, ...]
    created: float
    seen: float
    expires: float

    @staticmethod
    def of(token: Credential) -> TokenDocument:
        """The document of a token."""
        return TokenDocument(
            id=token.id,
            label=token.label,
            permissions=tuple(sorted(token.permissions or ())),
            created=token.created,
            seen=token.seen,
            expires=token.expires,
        )


class NewToken(Asked):
    """A token for a program, with some of the permissions of its person."""

    label: str
    permissions: tuple[str, ...] = ()
    days: float = 30.0


class MadeToken(Document):
    """A new token with its secret, which is not kept and not shown again."""

    token: TokenDocument
    secret: str
