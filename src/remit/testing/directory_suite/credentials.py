"""Sessions, API tokens and one-time links."""

from __future__ import annotations

import asyncio
from typing import Any

from msgspec import structs

from remit.server.people.accounts import Credential, Person
from remit.server.people.directory import Directory

NOW = 1_800_000_000.0


def credential(name: str, **changes: Any) -> Credential:
    """A session of Ada, whose digest is derived from its name."""
    made = Credential(
        id=name,
        kind="session",
        digest=f"digest of {name}",
        person="ada",
        tenant="bakery",
        created=NOW,
        expires=NOW + 60,
        seen=NOW,
    )
    return structs.replace(made, **changes)


async def test_a_credential_is_found_by_its_kind_and_digest_alone(directory: Directory) -> None:
    session = credential("s", label="Firefox on Linux")
    token = credential("t", kind="token", permissions=frozenset({"cms:read"}))
    bare = credential("u", kind="token", permissions=frozenset())
    for each in (session, token, bare):
        await directory.add_credential(each, expired_before=0)
    assert await directory.find_credential("session", session.digest) == session
    assert await directory.find_credential("token", token.digest) == token
    assert await directory.find_credential("token", bare.digest) == bare
    assert await directory.find_credential("token", session.digest) is None
    assert await directory.find_credential("session", "") is None
    assert await directory.find_credential("session", session.id) is None


async def test_a_credential_is_taken_once_by_one_of_many(directory: Directory) -> None:
    link = credential("l", kind="link")
    await directory.add_credential(link, expired_before=0)
    assert await directory.take_credential("session", link.digest) is None
    taken = await asyncio.gather(*(directory.take_credential("link", link.digest) for _ in range(5)))
    assert sorted(each is not None for each in taken) == [False] * 4 + [True]
    assert link in taken
    assert await directory.find_credential("link", link.digest) is None


async def test_a_use_is_noted(directory: Directory) -> None:
    await directory.add_credential(credential("s"), expired_before=0)
    await directory.touch_credential("s", NOW + 7)
    await directory.touch_credential("gone", NOW + 7)
    assert await directory.find_credential("session", "digest of s") == credential("s", seen=NOW + 7)


async def test_adding_one_removes_those_that_have_expired(directory: Directory) -> None:
    await directory.add_credential(credential("old", expires=NOW), expired_before=NOW)
    await directory.add_credential(credential("new"), expired_before=NOW)
    assert await directory.find_credential("session", "digest of old") is not None
    await directory.add_credential(credential("newer"), expired_before=NOW + 1)
    assert await directory.find_credential("session", "digest of old") is None
    assert await directory.find_credential("session", "digest of new") is not None


async def test_the_credentials_of_a_person_are_listed_oldest_first(directory: Directory) -> None:
    rows = [credential("b"), credential("c"), credential("a", created=NOW - 1)]
    for each in (*rows, credential("t", kind="token"), credential("e", person="eve")):
        await directory.add_credential(each, expired_before=0)
    assert [each.id for each in await directory.list_credentials("ada", "session")] == ["a", "b", "c"]
    assert [each.id for each in await directory.list_credentials("ada", "token")] == ["t"]
    assert await directory.list_credentials("bob", "session") == []


async def test_one_or_all_of_a_kind_are_removed_of_one_person(directory: Directory) -> None:
    for each in (credential("a"), credential("b"), credential("t", kind="token"), credential("e", person="eve")):
        await directory.add_credential(each, expired_before=0)
    assert await directory.remove_credentials("ada", "session", credential="e") == 0
    assert await directory.remove_credentials("ada", "session", credential="t") == 0
    for unknown in ("a\0", "\ud800", "%", "a" * 10_000):
        assert await directory.remove_credentials("ada", "session", credential=unknown) == 0
    assert await directory.remove_credentials("ada", "session", credential="a") == 1
    assert [each.id for each in await directory.list_credentials("ada", "session")] == ["b"]
    assert await directory.remove_credentials("ada", "session") == 1
    assert await directory.remove_credentials("ada", "session") == 0
    assert (
        len(await directory.list_credentials("ada", "token"))
        == len(await directory.list_credentials("eve", "session"))
        == 1
    )


async def test_the_credentials_of_a_person_are_removed_with_them(directory: Directory) -> None:
    await directory.add_person(Person("ada", "bakery"))
    for each in (credential("a"), credential("t", kind="token"), credential("e", person="eve")):
        await directory.add_credential(each, expired_before=0)
    await directory.remove_person("ada")
    assert await directory.find_credential("token", "digest of t") is None
    assert await directory.list_credentials("ada", "session") == []
    assert len(await directory.list_credentials("eve", "session")) == 1
