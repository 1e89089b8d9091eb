"""Administration: nobody gives away, or arranges to get, a permission that they do not hold."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from remit import Principal
from remit.errors import RemitError, RequestConflictError, RequestDeniedError, RequestNotFoundError
from remit.server.people.accounts import Person
from remit.server.people.administration import Administration
from tests.server.people.kit import PASSWORD, World, log_in, me, wait

MANAGER = Principal("max", "bakery", frozenset({"people:manage", "cms:*"}))
READER = Principal("rita", "bakery", frozenset({"cms:read"}))
FOREIGN = Principal("finn", "elsewhere", frozenset({"*"}))

Act = Callable[[Administration], Awaitable[object]]

ACTS: dict[str, Act] = {
    "add": lambda admin: admin.add_person("bob", tenant="bakery", roles=["editor"]),
    "give": lambda admin: admin.give_role("ada", "reader"),
    "take": lambda admin: admin.take_role("ada", "editor"),
    "remove": lambda admin: admin.remove_person("ada"),
    "password": lambda admin: admin.set_password("ada", "another long password"),
    "token": lambda admin: admin.add_token("ada", label="x", permissions=["cms:read"], days=1),
    "link": lambda admin: admin.check_link("ada"),
    "sessions": lambda admin: admin.list_credentials("ada", "session"),
    "end": lambda admin: admin.revoke("ada", "session"),
}


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_whoever_manages_people_does_all_this(act: Act) -> None:
    wait(act(World().admin(MANAGER)))


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_nobody_without_the_right_does_any_of_it_to_others(act: Act) -> None:
    world = World()
    with pytest.raises(RequestDeniedError, match="rita may not change people: missing permission people:manage"):
        wait(act(world.admin(READER)))


@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_the_people_of_another_tenant_are_invisible(act: Act) -> None:
    world = World()
    with pytest.raises((RequestNotFoundError, RequestDeniedError)) as caught:
        wait(act(world.admin(FOREIGN)))
    assert "there is no person 'ada'" in str(caught.value) or "of 'elsewhere' may not change" in str(caught.value)
    assert wait(world.admin(FOREIGN).list_people()) == wait(world.directory.list_people("elsewhere"))


GAINS: list[tuple[Act, str]] = [
    (lambda a: a.add_person("bob", roles=["owner"]), "max may not give the role 'owner': max lacks *"),
    (lambda a: a.give_role("ada", "owner"), "max may not give the role 'owner': max lacks *"),
    (lambda a: a.put_role("boss", ["approvals:decide"]), "define the role 'boss': max lacks approvals:decide"),
    (lambda a: a.set_password("olaf", PASSWORD), "max may not set the password of olaf: max lacks *"),
    (lambda a: a.add_token("olaf", label="x", permissions=[], days=1), "may not make a token of olaf"),
    (lambda a: a.check_link("olaf"), "max may not make a link for olaf: max lacks *"),
    (lambda a: a.take_role("olaf", "owner"), "max may not take the role 'owner': max lacks *"),
    (lambda a: a.remove_person("olaf"), "max may not remove olaf: max lacks *"),
    (lambda a: a.revoke("olaf", "session"), "max may not revoke the sessions of olaf: max lacks *"),
    (lambda a: a.put_role("owner", ["cms:read"]), "max may not replace the role 'owner': max lacks *"),
    (lambda a: a.remove_role("owner"), "max may not remove the role 'owner': max lacks *"),
]


@pytest.mark.parametrize(
    ("act", "problem"),
    GAINS,
    ids=["add", "give", "role", "password", "token", "link", "take", "remove", "revoke", "replace", "remove role"],
)
def test_a_manager_gains_nothing(act: Act, problem: str) -> None:
    world = World()
    wait(world.directory.add_person(Person("olaf", "bakery", frozenset({"owner"}))))
    with pytest.raises(RequestDeniedError) as caught:
        wait(act(world.admin(MANAGER)))
    assert problem in caught.value.message


MISTAKES: list[tuple[Act, str]] = [
    (lambda a: a.add_person("ada"), "there is a person 'ada' already"),
    (lambda a: a.add_person("ADA"), "there is a person 'ada' already"),
    (lambda a: a.add_person("*"), "the name '*' stands for everyone where something is shared; choose another"),
    (lambda a: a.add_person("Anonymous"), "is that of callers who have not signed in"),
    (lambda a: a.add_person("a\u0434a"), "the name is"),
    (lambda a: a.add_person(""), "the name"),
    (lambda a: a.add_person("bob", roles=["editr"]), "there is no role 'editr'"),
    (lambda a: a.give_role("nobody", "editor"), "there is no person 'nobody'"),
    (lambda a: a.take_role("ada", "owner"), "ada does not have the role 'owner'; ada has: editor"),
    (lambda a: a.remove_role("editr"), "there is no role 'editr'; see: remit people role list"),
    (lambda a: a.put_role("boss", ["decide"]), "a permission is 'decide'"),
    (lambda a: a.set_password("ada", "short"), "the password has 5 characters; give 12 to 1,024"),
    (lambda a: a.set_password("nobody", PASSWORD), "there is no person 'nobody'"),
]


@pytest.mark.parametrize(
    ("act", "problem"),
    MISTAKES,
    ids=range(len(MISTAKES)),
)
def test_a_mistake_is_told_in_one_line(act: Act, problem: str) -> None:
    world = World()
    with pytest.raises(RemitError) as caught:
        wait(act(world.admin()))
    assert problem in caught.value.message
    assert "\n" not in caught.value.message


def test_roles_of_another_tenant_are_neither_seen_nor_changed() -> None:
    world = World()
    foreign = world.admin(FOREIGN)
    assert [each.name for each in wait(foreign.list_roles())] == ["owner"]
    with pytest.raises(RequestNotFoundError, match="there is no role 'reader'"):
        wait(foreign.remove_role("reader"))
    with pytest.raises(RequestNotFoundError, match="there is no role 'reader'"):
        wait(foreign.add_person("erik", roles=["reader"]))
    wait(foreign.put_role("editor", ["*"]))
    ada = world.people.find_by_name("ada")
    assert ada is not None
    assert ada.permissions == {"cms:read", "cms:write"}


def test_no_link_outlives_a_new_password_or_the_end_of_all_sessions() -> None:
    world = World()
    ada = world.people.find_by_name("ada")
    assert ada is not None
    ends: tuple[Act, ...] = (
        lambda admin: admin.set_password("ada", "another long password"),
        lambda admin: admin.revoke("ada", "session"),
    )
    for end in ends:
        secret = wait(world.sign_in.make_link(ada))
        wait(end(world.admin(ada)))
        assert wait(world.sign_in.find_link(secret)) is None


def test_the_end_of_one_session_leaves_a_link() -> None:
    world = World()
    ada = world.people.find_by_name("ada")
    assert ada is not None
    world.signed_in()
    secret = wait(world.sign_in.make_link(ada))
    (session,) = world.credentials("ada", "session")
    wait(world.admin(ada).revoke("ada", "session", session.id))
    assert wait(world.sign_in.find_link(secret)) == ada


def test_a_person_changes_their_own_password_and_tokens() -> None:
    world = World()
    ada = world.people.find_by_name("ada")
    assert ada is not None
    admin = world.admin(ada)
    browser = world.signed_in()
    wait(admin.set_password("ada", "another long password"))
    assert me(browser) == {}
    assert log_in(world.browser(), "ada", "another long password").status_code == 303
    token, _ = wait(admin.add_token("ada", label="mine", permissions=["cms:read"], days=1))
    assert wait(admin.list_credentials("ada", "token")) == [token]


def test_roles_and_users_of_config_toml_are_changed_there() -> None:
    world = World()
    vars(world.people)["_roles"] = {"editor": frozenset({"cms:read"})}
    vars(world.people)["_users"] = {"olga": Principal("olga", "bakery", frozenset({"*"}))}
    assert me(world.signed_in())["permissions"] == ["cms:read"]
    assert [each.name for each in wait(world.admin().list_roles())] == ["editor", "owner", "reader"]
    with pytest.raises(RequestConflictError, match=r"config\.toml defines the role 'editor'; change it there"):
        wait(world.admin().put_role("editor", ["cms:*"]))
    changes: list[Act] = [lambda a: a.give_role("olga", "editor"), lambda a: a.remove_person("olga")]
    for act in changes:
        with pytest.raises(RequestConflictError, match=r"'olga' is a user of config\.toml; change it there"):
            wait(act(world.admin()))
    with pytest.raises(RequestConflictError, match=r"config\.toml has the user 'olga' already"):
        wait(world.admin().add_person("Olga"))
    wait(world.admin().set_password("olga", PASSWORD))
    assert me(world.signed_in("olga"))["permissions"] == ["*"]


def test_a_removed_person_leaves_no_credential_for_the_next_of_the_name() -> None:
    world = World()
    browser = world.signed_in()
    world.token("ada", "cms:read")
    wait(world.admin().remove_person("ada"))
    wait(world.admin().add_person("ada", roles=["owner"]))
    assert me(browser) == {}
    assert world.credentials("ada", "token") == []
    assert log_in(world.browser()).status_code == 401


def test_a_role_is_defined_and_given_to_a_new_person_of_the_own_tenant() -> None:
    world = World()
    assert wait(world.admin(MANAGER).put_role("author", ["cms:write"])).permissions == {"cms:write"}
    assert wait(world.admin(MANAGER).add_person("bob", roles=["author"])).tenant == "bakery"
    bob = world.people.find_principal("bob", "bakery")
    assert bob is not None
    assert (bob.permissions, bob.roles) == ({"cms:write"}, {"author"})


def test_a_name_that_is_none_is_nobody() -> None:
    world = World()
    vars(world.directory)["_people"]["a\u0434a"] = Person("a\u0434a", "bakery")
    assert world.people.find_by_name("a\u0434a") is None
