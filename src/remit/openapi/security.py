"""Credentials of requests: the schemes of a document, each with a reference to a secret."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from msgspec import Struct

from remit.errors import ContractError, SetupError
from remit.openapi.document import Document
from remit.openapi.operations import Operation
from remit.record.secret import Secrets

_PLACES: Final = ("header", "query", "cookie")


class Scheme(Struct, frozen=True, kw_only=True):
    """How a credential is sent: its place, the name there, and what comes before it. Basic credentials are encoded."""

    place: str
    name: str
    prefix: str = ""
    is_basic: bool = False


class Credential(Struct, frozen=True):
    """A reference to a secret, and how the secret is sent."""

    reference: str
    scheme: Scheme


class Sent(Struct, frozen=True):
    """Resolved credentials: headers, encoded pairs of the query, and cookies."""

    headers: dict[str, str]
    query: list[tuple[str, str]]
    cookies: list[str]


def read_schemes(document: Document) -> dict[str, Scheme]:
    """The security schemes of a document that can be sent, by name."""
    found = dict[str, Scheme]()
    for each in document.root.child("components").children("securitySchemes"):
        described = document.follow(each).value
        kind, http = described.get("type"), str(described.get("scheme", "")).lower()
        if kind == "apiKey" and described.get("in") in _PLACES and isinstance(described.get("name"), str):
            found[str(each.path[-1])] = Scheme(place=described["in"], name=described["name"])
        elif kind == "http" and http == "basic":
            found[str(each.path[-1])] = Scheme(place="header", name="authorization", prefix="Basic ", is_basic=True)
        elif kind in ("oauth2", "openIdConnect") or (kind == "http" and http == "bearer"):
            found[str(each.path[-1])] = Scheme(place="header", name="authorization", prefix="Bearer ")
    return found


def check_credentials(schemes: Mapping[str, Scheme], credentials: Mapping[str, str], secrets: Secrets | None) -> None:
    """Refuse credentials for schemes that the document does not have, or that cannot be sent.

    Raises:
        SetupError: names the scheme.
    """
    for name in credentials:
        if name not in schemes:
            known = ", ".join(schemes) or "none"
            raise SetupError(f"the document has no security scheme {name!r:.100} that can be sent; it has {known}")
    if credentials and secrets is None:
        raise SetupError("credentials are references to secrets; give `secrets`, such as EnvSecrets('SHOP_TOKEN')")


def choose(
    operation: Operation, schemes: Mapping[str, Scheme], credentials: Mapping[str, str]
) -> tuple[Credential, ...]:
    """The credentials of an operation: those of its first alternative for which there are all.

    Raises:
        ContractError: no alternative has all its credentials.
    """
    if not operation.security:
        return ()
    for names in operation.security:
        if all(name in credentials for name in names):
            return tuple(Credential(credentials[name], schemes[name]) for name in names)
    wanted = " or ".join(" and ".join(names) for names in operation.security)
    raise ContractError(f"{operation.where}: {operation.name} needs credentials for {wanted}")


async def resolve(credentials: Sequence[Credential], secrets: Secrets | None) -> Sent:
    """The credentials of a request, to be sent and kept nowhere.

    Raises:
        NotFoundError: there is no such secret.
    """
    sent = Sent({}, [], [])
    for each in credentials:
        if secrets is None:
            continue
        value = (await secrets.resolve(each.reference)).reveal()
        if each.scheme.is_basic:
            value = base64.b64encode(value.encode()).decode()
        value = each.scheme.prefix + value
        if each.scheme.place == "header":
            sent.headers[each.scheme.name.lower()] = value
        elif each.scheme.place == "query":
            sent.query.append((quote(each.scheme.name, safe=""), quote(value, safe="")))
        else:
            sent.cookies.append(f"{quote(each.scheme.name, safe='')}={quote(value, safe='')}")
    return sent
