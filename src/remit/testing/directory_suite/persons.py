"""People and roles."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest
from msgspec import structs

from remit.errors import RequestConflictError, RequestNotFoundError
from remit.server.people.accounts import Person, Role
from remit.server.people.directory import Directory

ADA = Person("ada", "bakery", frozenset({"editor", "reader"}), "$argon2id$…")
EDITOR = Role("editor", "bakery", frozenset({"cms:read", "cms:write@bakery/*"}))


async def test_a_person_is_found_with_those_roles_that_exist(directory: Directory) -> None:
    await directory.add_person(ADA)
    await directory.put_role(EDITOR)
    account = directory.find_account("ada")
    assert account is not None
    assert (account.person, account.roles) == (ADA, (EDITOR,))
    await directory.put_role(Role("reader", "bakery", frozenset()))
    account = directory.find_account("ada")
    assert account is not None
    assert [role.name for role in account.roles] == ["editor", "reader"]


@pytest.mark.parametrize("name", ["", "Ada", "ada ", "bob", "a" * 10_000, "ada\0", "%", "_da"])
async def test_another_name_is_nobody(directory: Directory, name: str) -> None:
    await directory.add_person(ADA)
    assert directory.find_account(name) is None


async def test_a_name_is_one_person_whatever_the_tenant(directory: Directory) -> None:
    await directory.add_person(ADA)
    with pytest.raises(RequestConflictError, match="there is a person 'ada' already"):
        await directory.add_person(Person("ada", "elsewhere"))
    account = directory.find_account("ada")
    assert account is not None
    assert account.person == ADA


@pytest.mark.parametrize("name", ["Ada", "ADA"])
async def test_a_name_is_one_person_in_large_and_small_letters(directory: Directory, name: str) -> None:
    await directory.add_person(ADA)
    with pytest.raises(RequestConflictError, match="there is a person 'ada' already"):
        await directory.add_person(Person(name, "elsewhere"))
    assert directory.find_account(name) is None


async def test_a_person_is_changed_and_removed(directory: Directory) -> None:
    await directory.add_person(ADA)
    changed = await directory.change_person("ada", lambda person: structs.replace(person, roles=frozenset()))
    account = directory.find_account("ada")
    assert account is not None
    assert account.person == changed == Person("ada", "bakery", password=ADA.password)
    await directory.remove_person("ada")
    assert directory.find_account("ada") is None
    with pytest.raises(RequestNotFoundError, match="there is no person 'ada'"):
        await directory.remove_person("ada")
    with pytest.raises(RequestNotFoundError, match="there is no person 'ada'"):
        await directory.change_person("ada", lambda person: person)


async def test_two_changes_at_once_both_count(directory: Directory) -> None:
    await directory.add_person(Person("ada", "bakery"))

    def give(role: str, person: Person) -> Person:
        return structs.replace(person, roles=person.roles | {role})

    await asyncio.gather(*(directory.change_person("ada", partial(give, f"role{n}")) for n in range(5)))
    account = directory.find_account("ada")
    assert account is not None
    assert account.person.roles == {f"role{n}" for n in range(5)}


async def test_a_change_that_fails_changes_nothing(directory: Directory) -> None:
    await directory.add_person(ADA)

    def fail(person: Person) -> Person:
        raise RuntimeError(person.name)

    with pytest.raises(RuntimeError, match="ada"):
        await directory.change_person("ada", fail)
    account = directory.find_account("ada")
    assert account is not None
    assert account.person == ADA


async def test_the_people_of_a_tenant_are_listed_by_name(directory: Directory) -> None:
    for person in (Person("eve", "elsewhere"), Person("bob", "bakery"), ADA):
        await directory.add_person(person)
    assert await directory.list_people("bakery") == [ADA, Person("bob", "bakery")]
    assert await directory.list_people("nowhere") == []


async def test_a_role_is_replaced_and_removed(directory: Directory) -> None:
    await directory.add_person(ADA)
    await directory.put_role(EDITOR)
    author, editor = (Role(name, "bakery", frozenset({"cms:read"})) for name in ("author", "editor"))
    await directory.put_role(author)
    await directory.put_role(editor)
    assert await directory.list_roles("bakery") == [author, editor]
    await directory.remove_role("editor", "bakery")
    account = directory.find_account("ada")
    assert account is not None
    assert account.roles == ()
    with pytest.raises(RequestNotFoundError, match="there is no role 'editor'"):
        await directory.remove_role("editor", "bakery")


async def test_a_role_belongs_to_its_tenant(directory: Directory) -> None:
    other = Role("editor", "elsewhere", frozenset({"*"}))
    await directory.add_person(ADA)
    await directory.put_role(other)
    account = directory.find_account("ada")
    assert account is not None
    assert account.roles == ()
    await directory.put_role(EDITOR)
    assert (await directory.list_roles("bakery"), await directory.list_roles("elsewhere")) == ([EDITOR], [other])
    await directory.remove_role("editor", "elsewhere")
    account = directory.find_account("ada")
    assert account is not None
    assert account.roles == (EDITOR,)
