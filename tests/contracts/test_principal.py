"""A principal may do what it holds, itself or by a wildcard, and nothing besides."""

from __future__ import annotations

import pytest

from remit.contracts.principal import Principal


def principal(*permissions: str) -> Principal:
    return Principal("ada", permissions=frozenset(permissions))


@pytest.mark.parametrize(
    ("held", "permission"),
    [
        ("cms:write", "cms:write"),
        ("cms:*", "cms:write"),
        ("cms:*", "cms:pages:write"),
        ("*", "cms:write"),
        ("*", "anything at all"),
        ("cms:pages:write", "cms:pages:write"),
    ],
)
def test_what_is_held_is_permitted(held: str, permission: str) -> None:
    assert principal(held).may(permission)


@pytest.mark.parametrize(
    ("held", "permission"),
    [
        ("cms:read", "cms:write"),
        ("cms:write", "cms:writer"),
        ("cms:*", "cmsx:write"),
        ("cms:*", "files:write"),
        ("cms", "cms:write"),
        ("cms:", "cms:write"),
        ("*:write", "cms:write"),
        ("cms:w*", "cms:write"),
        ("cms:pages:*", "cms:write"),
        ("CMS:write", "cms:write"),
        ("", "cms:write"),
    ],
)
def test_nothing_else_is_permitted(held: str, permission: str) -> None:
    assert not principal(held).may(permission)


def test_nobody_may_anything_by_default() -> None:
    assert not Principal("ada").may("cms:read")


def test_one_of_many_permissions_is_enough() -> None:
    assert principal("files:read", "cms:write").may("cms:write")


def test_what_is_lacking_is_named_in_order() -> None:
    assert principal("cms:read").lacks(frozenset({"cms:write", "cms:read", "cms:delete"})) == [
        "cms:delete",
        "cms:write",
    ]


def test_nothing_is_lacking_where_nothing_is_asked() -> None:
    assert principal().lacks(frozenset()) == []


def test_a_role_is_no_permission() -> None:
    assert not Principal("ada", roles=frozenset({"cms:write", "*"})).may("cms:write")
