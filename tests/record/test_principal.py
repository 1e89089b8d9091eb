"""A principal may do what it holds, itself or by a wildcard, and nothing besides."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.errors import RequestError, SetupError
from remit.record.principal import Caller, Principal, check_found_principal


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
        ("cms:pages:*", "cms:write"),
    ],
)
def test_nothing_else_is_permitted(held: str, permission: str) -> None:
    assert not principal(held).may(permission)


def test_nobody_may_anything_by_default() -> None:
    assert not Principal("ada").may("cms:read")


def test_a_principal_has_a_name_and_an_anonymous_one_says_so() -> None:
    for name in ("", " "):
        with pytest.raises(SetupError, match="the name of a principal is empty; give a name"):
            Principal(name)
    assert Principal("anonymous").is_anonymous
    assert not principal().is_anonymous


def test_two_spellings_of_a_name_are_one_principal_and_a_look_alike_is_refused() -> None:
    assert Principal("ada ") == Principal("\uff41da") == Principal("ada")
    assert Principal("andre\u0301") == Principal("andr\u00e9")
    with pytest.raises(SetupError, match=r"the name of a principal is .*, which mixes CYRILLIC and LATIN letters"):
        Principal("ad\u0430")


def test_one_of_many_permissions_is_enough() -> None:
    assert principal("files:read", "cms:write").may("cms:write")


def test_what_is_lacking_is_named_in_order() -> None:
    assert principal("cms:read").missing_permissions(frozenset({"cms:write", "cms:read", "cms:delete"})) == [
        "cms:delete",
        "cms:write",
    ]


def test_nothing_is_lacking_where_nothing_is_asked() -> None:
    assert principal().missing_permissions(frozenset()) == []


def test_a_role_is_no_permission() -> None:
    assert not Principal("ada", roles=frozenset({"cms:write", "*"})).may("cms:write")


WORDS = ["cms:read", "cms:write", "mail:send", "cms:*", "mail:*", "*"]
HELD = st.frozensets(st.sampled_from(WORDS))


@given(HELD, HELD, st.sampled_from(WORDS))
def test_narrowed_to_the_most_a_principal_may_do_what_both_permit(
    held: frozenset[str], most: frozenset[str], permission: str
) -> None:
    both = principal(*held).may(permission) and principal(*most).may(permission)
    assert principal(*held).narrow_to(most).may(permission) is both


def test_narrowing_changes_nothing_but_permissions() -> None:
    ada = Principal("ada", "bakery", frozenset({"cms:*"}), frozenset({"editor"}))
    assert ada.narrow_to(frozenset({"cms:read"})) == Principal(
        "ada", "bakery", frozenset({"cms:read"}), frozenset({"editor"})
    )


def test_a_caller_within_a_call_is_one_deeper_and_otherwise_the_same() -> None:
    caller = Caller("run", "agent", "c1", 2, principal("cms:*"), "talk", "cms", ("boss",), frozenset({"a"}))
    assert caller.enter_call("c2") == replace(caller, call="c2", depth=3)


def test_entering_a_call_or_an_agent_keeps_every_other_fact_of_a_caller() -> None:
    caller = Caller(
        "run", "a", "c1", 2, principal("x:y"), "talk", "cms", ("b",), frozenset("t"), "site", frozenset("p"), "{}"
    )
    defaults = Caller("", "", "", 0, principal())
    assert all(getattr(caller, each.name) != getattr(defaults, each.name) for each in fields(Caller))
    assert caller.enter_call("c2") == replace(caller, call="c2", depth=3)
    assert caller.enter_agent("d", None, None) == replace(caller, agent="d", path=("b", "d"))


@pytest.mark.parametrize(
    ("above", "own", "both"),
    [(None, None, None), (None, {"a"}, {"a"}), ({"a", "b"}, None, {"a", "b"}), ({"a", "b"}, {"b", "c"}, {"b"})],
)
def test_an_actor_reaches_what_it_and_all_above_it_may_reach(
    above: set[str] | None, own: set[str] | None, both: set[str] | None
) -> None:
    reach = None if above is None else frozenset(above)
    caller = Caller("run", "boss", "c1", 1, principal("cms:*"), path=("boss",), tool_scope=reach)
    acting = caller.enter_agent("clerk", None if own is None else frozenset(own), frozenset({"cms:read"}))
    assert (acting.agent, acting.path, acting.tool_scope) == ("clerk", ("boss", "clerk"), both)
    assert acting.principal.permissions == {"cms:read"}
    assert caller.enter_agent("clerk", None, None).principal == caller.principal


@pytest.mark.parametrize(
    ("found", "what"),
    [
        (Principal("root", "local"), "'root' of 'local'"),
        (Principal("ada", "other"), "'ada' of 'other'"),
        ("ada", "a str"),
        (True, "a bool"),
    ],
)
def test_a_directory_that_returns_another_principal_than_the_one_asked_for_is_refused(found: object, what: str) -> None:
    with pytest.raises(RequestError, match=rf"^the directory returned {what} for 'ada' of 'local'; return that princ"):
        check_found_principal(found, "ada", "local")


def test_a_directory_returns_the_principal_asked_for_or_none() -> None:
    ada = Principal("ada", "local")
    assert check_found_principal(ada, "ada", "local") is ada
    assert check_found_principal(None, "ada", "local") is None


@pytest.mark.parametrize("name", ["", " "])
def test_roles_have_names(name: str) -> None:
    with pytest.raises(SetupError, match="a role is empty; give a name"):
        Principal("ada", roles=frozenset({name}))
