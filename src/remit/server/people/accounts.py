"""People, roles and credentials as a directory keeps them."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from remit.record.principal import Principal

CredentialKind = Literal["session", "token", "link", "identity"]
"""What a row is for: the cookie of a browser, the token of a program, one sign-in, or a name at an OpenID provider."""

TOKEN_PREFIX: Final = "remit_"  # noqa: S105 - no secret, but how secrets begin
"""The first characters of an API token, by which people and scanners of secrets recognise it."""

_SECRET_BYTES: Final = 32


class Person(Struct, frozen=True):
    """A person: the roles, and the hash of the password, empty for none.

    Names are unique in a directory, whatever the tenant, so that a person signs in by name and password alone.
    """

    name: str
    tenant: str
    roles: frozenset[str] = frozenset()
    password: str = ""

    def __repr__(self) -> str:
        """Show the person without the hash."""
        return f"Person(name={self.name!r}, tenant={self.tenant!r}, roles={sorted(self.roles)})"


class Role(Struct, frozen=True):
    """A role of a tenant and its permissions. Another tenant may have another role of the same name."""

    name: str
    tenant: str
    permissions: frozenset[str]


class Account(Struct, frozen=True):
    """A person with those of their roles that the directory has for their tenant."""

    person: Person
    roles: tuple[Role, ...]


NEVER: Final = 0.0
"""The time of the last use of a token that was not used."""

NO_END: Final = 253_402_300_799.0
"""The end of what lasts until it is removed: the last second of the year 9999."""


class Credential(Struct, frozen=True, kw_only=True):
    """A session, an API token, a one-time link or an identity of a person, known by the digest of its secret.

    An identity is no secret; its digest is made by `remit.server.people.provider.Provider`.

    ``permissions`` are the most that its holder may do, None for all that the person may. Times are seconds since the
    epoch; ``seen`` is about the time of the last use, `NEVER` of a token that was not used.
    """

    id: str
    kind: CredentialKind
    digest: str
    person: str
    tenant: str
    created: float
    expires: float
    seen: float
    label: str = ""
    permissions: frozenset[str] | None = None

    @staticmethod
    def of(
        id: str,  # noqa: A002 - the name of the field
        holder: Principal,
        kind: CredentialKind,
        digest: str,
        *,
        label: str,
        created: float,
        expires: float,
        seen: float = NEVER,
        permissions: frozenset[str] | None = None,
    ) -> Credential:
        """A new credential of a person."""
        return Credential(
            id=id,
            kind=kind,
            digest=digest,
            person=holder.name,
            tenant=holder.tenant,
            label=label,
            created=created,
            expires=expires,
            seen=seen,
            permissions=permissions,
        )


def make_secret(kind: CredentialKind) -> str:
    """A new secret of 256 random bits."""
    return (TOKEN_PREFIX if kind == "token" else "") + secrets.token_urlsafe(_SECRET_BYTES)


def digest_secret(secret: str) -> str:
    """The digest under which a secret is known. It needs no salt, because 256 random bits cannot be guessed."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
