"""``remit people``: the people of a server, their roles, passwords, API tokens, sessions and links."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias
from urllib.parse import quote

import typer

from remit.cli.client import LocalClient, open_client
from remit.cli.group import make_group
from remit.cli.provider import find_provider
from remit.cli.status import NoSuchError, UsageError
from remit.cli.text import json_text, one_line
from remit.lazy_exports import require_extra
from remit.server.people.accounts import NEVER, Credential, Person

if TYPE_CHECKING:
    from remit.server.people.administration import Administration

commands = make_group("Add people, roles, tokens and identities, and make links.")
roles = make_group("Define roles.")
tokens = make_group("Make, list and revoke API tokens.")
identities = make_group("Let people sign in by an OpenID provider.")
commands.add_typer(roles, name="role")
commands.add_typer(tokens, name="token")
commands.add_typer(identities, name="identity")

_AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
_Name: TypeAlias = Annotated[str, typer.Argument(metavar="NAME", help="The name of a person; see: remit people list.")]
_Role: TypeAlias = Annotated[str, typer.Argument(metavar="ROLE", help="A role; see: remit people role list.")]

_LOCAL_URL: Final = "http://127.0.0.1:8420"
_COLUMNS: Final = ("id", "label", "permissions", "since", "last used", "until")


@commands.command("add")
def add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that no one else has.")],
    *,
    role: Annotated[
        list[str] | None, typer.Option("--role", metavar="ROLE", help="A role; see: remit people role list.")
    ] = None,
    as_json: _AsJson = False,
) -> None:
    """Add a person of your tenant.

    They can sign in once they have a password or a link.
    """
    with open_client() as client:
        person = client.wait(_administration(client).add_person(name, roles=role or ()))
    _print_change(_person_summary(person), f"added: {one_line(person.name)}", as_json=as_json)


@commands.command("list")
def list_(*, as_json: _AsJson = False) -> None:
    """List the users of config.toml and the people of your tenant."""
    with open_client() as client:
        people = client.wait(_administration(client).list_people())
        configured, tenant = client.people.configured_users, client.principal.tenant
    users = [Person(each.name, each.tenant, each.roles) for each in configured.values() if each.tenant == tenant]
    added = [each for each in people if each.name not in configured]
    with_password = {each.name for each in people if each.password}
    if as_json:
        rows = [*(_person_summary(each, "config.toml") for each in users), *map(_person_summary, added)]
        print(json_text({"people": [{**row, "password": row["name"] in with_password} for row in rows]}))
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table("name", "roles", "password", "from")
    for each in [*users, *added]:
        place = "config.toml" if each.name in configured else "remit people"
        password = "yes" if each.name in with_password else "no"
        listing.add_row(one_line(each.name), ", ".join(sorted(each.roles)) or "-", password, place)
    print_table(listing)


@commands.command("remove")
def remove(name: _Name, *, as_json: _AsJson = False) -> None:
    """Remove a person, with their password, sessions and tokens.

    Their runs stay, and cannot continue. Do not give the name to another person, who would see them.
    """
    with open_client() as client:
        client.wait(_administration(client).remove_person(name))
    _print_change({"name": name, "status": "removed"}, f"removed: {one_line(name)}", as_json=as_json)


@commands.command("give")
def give(name: _Name, role: _Role, *, as_json: _AsJson = False) -> None:
    """Give a person a role."""
    with open_client() as client:
        person = client.wait(_administration(client).give_role(name, role))
    _print_change(_person_summary(person), _roles_line(person), as_json=as_json)


@commands.command("take")
def take(name: _Name, role: _Role, *, as_json: _AsJson = False) -> None:
    """Take a role from a person.

    They lose its permissions at the next request, and at the next call of their runs.
    """
    with open_client() as client:
        person = client.wait(_administration(client).take_role(name, role))
    _print_change(_person_summary(person), _roles_line(person), as_json=as_json)


@commands.command("password")
def password(name: _Name, *, as_json: _AsJson = False) -> None:
    """Set the password of a person, and end their sessions.

    It is read from the terminal, or else as one line from stdin.
    """
    with open_client() as client:
        administration = _administration(client)
        client.wait(administration.set_password(name, _read_password()))
    _print_change({"name": name, "status": "changed"}, f"changed: the password of {one_line(name)}", as_json=as_json)


@commands.command("sessions")
def sessions(name: _Name, *, as_json: _AsJson = False) -> None:
    """List where a person is signed in."""
    with open_client() as client:
        found = client.wait(_administration(client).list_credentials(name, "session"))
    _print_credentials("sessions", found, as_json=as_json)


@commands.command("sign-out")
def sign_out(name: _Name, *, as_json: _AsJson = False) -> None:
    """End all sessions of a person."""
    with open_client() as client:
        count = client.wait(_administration(client).revoke(name, "session"))
    _print_change({"name": name, "ended": count}, f"ended: {count} sessions of {one_line(name)}", as_json=as_json)


@commands.command("link")
def link(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="The name of a person; you, if you give none.")] = "",
    *,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Where browsers reach the server.")] = _LOCAL_URL,
    as_json: _AsJson = False,
) -> None:
    """Make a link that signs a person in once, within fifteen minutes."""
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"--url {url}: write it like https://remit.example")
    with open_client() as client:
        with require_extra("remit people link", "server"):
            from remit.server.people.sign_in import SignIn
        principal = client.wait(_administration(client).check_link(name or client.principal.name))
        secret = client.wait(SignIn(client.people, client.store, clock=client.clock).make_link(principal))
    made = f"{url.rstrip('/')}/login/link?secret={quote(secret)}"
    print(json_text({"name": principal.name, "link": made}) if as_json else made)


@roles.command("add")
def add_role(
    role: Annotated[str, typer.Argument(metavar="ROLE", help="The name of the role.")],
    permissions: Annotated[list[str], typer.Argument(metavar="PERMISSION…", help="Words like cms:write or cms:*.")],
    *,
    as_json: _AsJson = False,
) -> None:
    """Define a role, or replace its permissions. A role of config.toml is changed there."""
    with open_client() as client:
        made = client.wait(_administration(client).put_role(role, permissions))
    summary = {"role": made.name, "permissions": sorted(made.permissions)}
    _print_change(summary, f"defined: {one_line(made.name)}: {', '.join(sorted(made.permissions))}", as_json=as_json)


@roles.command("list")
def list_roles(*, as_json: _AsJson = False) -> None:
    """List the roles of config.toml and those that were added."""
    with open_client() as client:
        found = client.wait(_administration(client).list_roles())
        configured = client.people.configured_roles
    if as_json:
        print(json_text({"roles": [{"role": each.name, "permissions": sorted(each.permissions)} for each in found]}))
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table("role", "permissions", "from")
    for each in found:
        place = "config.toml" if each.name in configured else "remit people"
        listing.add_row(one_line(each.name), ", ".join(sorted(each.permissions)) or "-", place)
    print_table(listing)


@roles.command("remove")
def remove_role(role: _Role, *, as_json: _AsJson = False) -> None:
    """Remove a role. The people who have it lose its permissions."""
    with open_client() as client:
        client.wait(_administration(client).remove_role(role))
    _print_change({"role": role, "status": "removed"}, f"removed: the role {one_line(role)}", as_json=as_json)


@tokens.command("add")
def add_token(
    name: _Name,
    *,
    label: Annotated[str, typer.Option("--label", metavar="TEXT", help="What the token is for.")],
    permission: Annotated[
        list[str] | None,
        typer.Option("--permission", metavar="PERMISSION", help="A permission of the person that the token has too."),
    ] = None,
    days: Annotated[float, typer.Option("--days", metavar="N", help="How long it is valid; at most 366.")] = 30.0,
    as_json: _AsJson = False,
) -> None:
    """Make an API token, and print it. It is not stored, so it cannot be printed again."""
    with open_client() as client:
        adding = _administration(client).add_token(name, label=label, permissions=permission or (), days=days)
        token, secret = client.wait(adding)
    print(json_text({**_credential_summary(token), "token": secret}) if as_json else secret)


@tokens.command("list")
def list_tokens(name: _Name, *, as_json: _AsJson = False) -> None:
    """List the tokens of a person."""
    with open_client() as client:
        found = client.wait(_administration(client).list_credentials(name, "token"))
    _print_credentials("tokens", found, as_json=as_json)


@tokens.command("revoke")
def revoke_token(
    name: _Name,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The id of a token; see: remit people token list.")],
    *,
    as_json: _AsJson = False,
) -> None:
    """Revoke a token. Its next request is refused; runs that it started continue."""
    if not token:
        raise NoSuchError("give the id of a token; see: remit people token list")
    with open_client() as client:
        client.wait(_administration(client).revoke(name, "token", token))
    _print_change({"token": token, "status": "revoked"}, f"revoked: token {one_line(token)}", as_json=as_json)


@identities.command("add")
def add_identity(
    name: _Name,
    identity: Annotated[
        str, typer.Argument(metavar="IDENTITY", help="What the provider calls the person, like their mail address.")
    ],
    *,
    as_json: _AsJson = False,
) -> None:
    """Let a person sign in by the OpenID provider of config.toml."""
    with open_client() as client:
        provider = find_provider(client.users, with_secret=False)
        if provider is None:
            raise UsageError(
                f"{client.users.path} names no OpenID provider; add the table [sign_in] with issuer and client_id"
            )
        added = client.wait(_administration(client).add_identity(name, provider, identity))
    _print_change(_credential_summary(added), f"added: {one_line(name)} is {one_line(added.label)}", as_json=as_json)


@identities.command("list")
def list_identities(name: _Name, *, as_json: _AsJson = False) -> None:
    """List the identities of a person."""
    with open_client() as client:
        found = client.wait(_administration(client).list_credentials(name, "identity"))
    _print_credentials("identities", found, ("id", "identity", "since", "last used"), as_json=as_json)


@identities.command("remove")
def remove_identity(
    name: _Name,
    identity: Annotated[str, typer.Argument(metavar="ID", help="The id; see: remit people identity list.")],
    *,
    as_json: _AsJson = False,
) -> None:
    """Remove an identity. Sessions that it began go on; end them: remit people sign-out."""
    if not identity:
        raise NoSuchError("give the id of an identity; see: remit people identity list")
    with open_client() as client:
        client.wait(_administration(client).revoke(name, "identity", identity))
    _print_change({"identity": identity, "status": "removed"}, f"removed: {one_line(identity)}", as_json=as_json)


def _administration(client: LocalClient) -> Administration:
    with require_extra("remit people", "server"):
        from remit.server.people.administration import Administration
    return Administration(client.people, client.principal, clock=client.clock)


def _read_password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    from getpass import getpass

    first = getpass("New password: ")
    if getpass("Again: ") != first:
        raise UsageError("the two passwords differ; nothing was changed")
    return first


def _person_summary(person: Person, place: str = "remit people") -> dict[str, object]:
    return {"name": person.name, "tenant": person.tenant, "roles": sorted(person.roles), "from": place}


def _roles_line(person: Person) -> str:
    return f"{one_line(person.name)} has: {', '.join(sorted(person.roles)) or 'no role'}"


def _credential_summary(credential: Credential) -> dict[str, object]:
    names = ("id", "kind", "person", "tenant", "label", "created", "expires", "seen")
    allowed = credential.permissions
    permissions = None if allowed is None else sorted(allowed)
    fields: dict[str, object] = {name: getattr(credential, name) for name in names}
    return {**fields, "seen": credential.seen or None, "permissions": permissions}


def _print_credentials(what: str, found: list[Credential], columns: Sequence[str] = _COLUMNS, *, as_json: bool) -> None:
    if as_json:
        print(json_text({what: [_credential_summary(each) for each in found]}))
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table(*columns)
    for each in found:
        cells = _cells_of(each)
        listing.add_row(*(cells[name] for name in columns))
    print_table(listing)


def _cells_of(credential: Credential) -> Mapping[str, str]:
    """The cells of a credential by their columns."""
    from remit.cli.text import format_time

    label, permissions = one_line(credential.label), credential.permissions
    return {
        "id": credential.id,
        "label": label,
        "identity": label,
        "permissions": "all" if permissions is None else ", ".join(sorted(permissions)) or "none",
        "since": format_time(credential.created),
        "last used": "never" if credential.seen == NEVER else format_time(credential.seen),
        "until": format_time(credential.expires),
    }


def _print_change(summary: Mapping[str, object], line: str, *, as_json: bool) -> None:
    print(json_text(summary) if as_json else line, file=sys.stdout if as_json else sys.stderr)
