"""The API of people, roles and API tokens: what the command ``remit people`` does, for a person who has signed in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from remit.server.documents.document import Done, Listed
from remit.server.people.accounts import Person
from remit.server.people.administration import Administration
from remit.server.people.documents import (
    GivenRole,
    LinkDocument,
    MadeToken,
    NewPerson,
    NewRole,
    NewToken,
    PersonDocument,
    RoleDocument,
    TokenDocument,
)
from remit.server.people.sign_in import SignIn
from remit.server.rest.operation import NoQuery, Operation, Sent

_PEOPLE: Final = "/api/people"
_ONE: Final = f"{_PEOPLE}/{{person}}"


@dataclass(frozen=True, slots=True)
class PeopleOperations:
    """The operations on the people that one server signs in. `Administration` judges what the sender may do."""

    sign_in: SignIn

    def __iter__(self) -> Iterator[Operation]:
        """All operations."""
        yield from (
            Operation(method="GET", path=_PEOPLE, handle=self.list_people, answer=Listed[PersonDocument]),
            Operation(
                method="POST", path=_PEOPLE, handle=self.add_person, answer=PersonDocument, body=NewPerson, status=201
            ),
            Operation(method="DELETE", path=_ONE, handle=self.remove_person, answer=Done),
            Operation(
                method="POST", path=f"{_ONE}/roles", handle=self.give_role, answer=PersonDocument, body=GivenRole
            ),
            Operation(method="DELETE", path=f"{_ONE}/roles/{{role}}", handle=self.take_role, answer=PersonDocument),
            Operation(method="POST", path=f"{_ONE}/link", handle=self.make_link, answer=LinkDocument, status=201),
            Operation(method="GET", path=f"{_ONE}/tokens", handle=self.list_tokens, answer=Listed[TokenDocument]),
            Operation(
                method="POST", path=f"{_ONE}/tokens", handle=self.add_token, answer=MadeToken, body=NewToken, status=201
            ),
            Operation(method="DELETE", path=f"{_ONE}/tokens/{{token}}", handle=self.revoke_token, answer=Done),
            Operation(method="GET", path="/api/roles", handle=self.list_roles, answer=Listed[RoleDocument]),
            Operation(method="POST", path="/api/roles", handle=self.put_role, answer=RoleDocument, body=NewRole),
            Operation(method="DELETE", path="/api/roles/{role}", handle=self.remove_role, answer=Done),
        )

    async def list_people(self, sent: Sent[NoQuery, None]) -> Listed[PersonDocument]:
        """List the people of one's tenant, with the users of ``config.toml``."""
        added = await self._administration(sent).list_people()
        configured, tenant = self.sign_in.people.configured_users, sent.client.principal.tenant
        rows = {each.name: PersonDocument.of(each) for each in added}
        for each in configured.values():
            if each.tenant == tenant:
                password = each.name in rows and rows[each.name].password
                person = Person(each.name, each.tenant, each.roles, "set" if password else "")
                rows[each.name] = PersonDocument.of(person, configured=True)
        return Listed(items=tuple(rows[name] for name in sorted(rows)))

    async def add_person(self, sent: Sent[NoQuery, NewPerson]) -> PersonDocument:
        """Add a person to one's tenant."""
        return PersonDocument.of(await self._administration(sent).add_person(sent.body.name, roles=sent.body.roles))

    async def remove_person(self, sent: Sent[NoQuery, None]) -> Done:
        """Remove a person with their password, sessions, tokens and links."""
        await self._administration(sent).remove_person(sent.path["person"])
        return Done()

    async def give_role(self, sent: Sent[NoQuery, GivenRole]) -> PersonDocument:
        """Give a person a role."""
        return PersonDocument.of(await self._administration(sent).give_role(sent.path["person"], sent.body.role))

    async def take_role(self, sent: Sent[NoQuery, None]) -> PersonDocument:
        """Take a role from a person, from their next request and the next call of a run on."""
        return PersonDocument.of(await self._administration(sent).take_role(sent.path["person"], sent.path["role"]))

    async def make_link(self, sent: Sent[NoQuery, None]) -> LinkDocument:
        """Make a link that signs a person in once."""
        person = await self._administration(sent).check_link(sent.path["person"])
        return LinkDocument(path=f"/login/link?secret={await self.sign_in.make_link(person)}")

    async def list_roles(self, sent: Sent[NoQuery, None]) -> Listed[RoleDocument]:
        """List the roles, with those of ``config.toml``."""
        configured = self.sign_in.people.configured_roles
        found = await self._administration(sent).list_roles()
        return Listed(items=tuple(RoleDocument.of(each, configured=each.name in configured) for each in found))

    async def put_role(self, sent: Sent[NoQuery, NewRole]) -> RoleDocument:
        """Add a role, or replace its permissions."""
        return RoleDocument.of(await self._administration(sent).put_role(sent.body.name, sent.body.permissions))

    async def remove_role(self, sent: Sent[NoQuery, None]) -> Done:
        """Remove a role. Everyone who has it loses its permissions."""
        await self._administration(sent).remove_role(sent.path["role"])
        return Done()

    async def list_tokens(self, sent: Sent[NoQuery, None]) -> Listed[TokenDocument]:
        """List the API tokens of a person that have not expired, oldest first."""
        found = await self._administration(sent).list_credentials(sent.path["person"], "token")
        return Listed(items=tuple(map(TokenDocument.of, found)))

    async def add_token(self, sent: Sent[NoQuery, NewToken]) -> MadeToken:
        """Make an API token for a person."""
        asked = sent.body
        token, secret = await self._administration(sent).add_token(
            sent.path["person"], label=asked.label, permissions=asked.permissions, days=asked.days
        )
        return MadeToken(token=TokenDocument.of(token), secret=secret)

    async def revoke_token(self, sent: Sent[NoQuery, None]) -> Done:
        """Revoke an API token. Its next request is refused; runs that it started continue."""
        await self._administration(sent).revoke(sent.path["person"], "token", sent.path["token"])
        return Done()

    def _administration(self, sent: Sent[Any, Any]) -> Administration:
        return self.sign_in.administration(sent.client.principal)
