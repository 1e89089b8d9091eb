"""A target says what a run is about; a permission may hold for some targets only."""

from __future__ import annotations

import pytest

from remit.errors import RequestError, SetupError
from remit.record.principal import Caller, Principal
from remit.record.target import MAX_TARGET, as_target, matches_target


def principal(*permissions: str) -> Principal:
    return Principal("ada", permissions=frozenset(permissions))


@pytest.mark.parametrize("target", ["", "bakery", "bakery/main", "Ünïcode/語", "a" * MAX_TARGET, "a:b.c-d_e"])
def test_a_target_is_words_joined_by_slashes_or_nothing(target: str) -> None:
    assert as_target("target", target) == target


def test_two_spellings_of_a_target_are_one() -> None:
    assert as_target("target", "cafe\u0301") == "caf\u00e9"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("a b", "target is 'a b'; give words joined by /, like bakery/main, without spaces and * ? [ ] @"),
        ("a\n", "target is 'a\\n', in which U+000A cannot be seen as itself; leave it out"),
        ("\ud800", "target is '\\ud800'; give a string without lone surrogates"),
        ("bakery\\\\main", "target is 'bakery\\\\\\\\main'; give words"),
        ("bakery/..", "target is 'bakery/..'; give words"),
        ("./main", "target is './main'; give words"),
        (
            "bakery\u2215main",
            "target is 'bakery\\u2215main', in which U+2215 looks like another character; leave it out",
        ),
        ("\u0431akery", "target is '\\u0431akery', which looks like another; give it in letters of one script"),
        ("bakery/\ufb01", "target is 'bakery/\\ufb01', which looks like another; give it in letters of one script"),
        ("bakery/*", "target is 'bakery/*'; give words"),
        ("bakery@main", "target is 'bakery@main'; give words"),
        ("/main", "target is '/main'; give words"),
        ("bakery//main", "target is 'bakery//main'; give words"),
        ("a" * (MAX_TARGET + 1), "target has 201 characters; give at most 200"),
        (None, "target is None; give a string"),
        (7, "target is 7; give a string"),
    ],
)
def test_any_other_target_is_refused_in_one_line(target: object, message: str) -> None:
    with pytest.raises(RequestError) as caught:
        as_target("target", target, RequestError)
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("pattern", "target", "matches"),
    [
        ("bakery/main", "bakery/main", True),
        ("bakery/*", "bakery/main", True),
        ("*/main", "bakery/main", True),
        ("b*y/m*", "bakery/main", True),
        ("*", "bakery", True),
        ("bakery/*", "bakery", False),
        ("bakery/*", "bakery/main/draft", False),
        ("*", "bakery/main", False),
        ("bakery/*", "Bakery/main", False),
        ("bakery/main", "bakery/mainly", False),
        ("*", "", False),
    ],
)
def test_a_star_stands_for_any_characters_of_one_segment(pattern: str, target: str, matches: bool) -> None:
    assert matches_target(pattern, target) is matches


@pytest.mark.parametrize("held", ["cms:write@bakery/*", "cms:*@bakery/main", "*@*/main"])
def test_a_permission_with_a_target_holds_for_targets_that_match_and_for_nothing_else(held: str) -> None:
    ada = principal(held)
    assert ada.at("bakery/main").may("cms:write")
    assert not ada.at("florist/shop").may("cms:write")
    assert not ada.at("").may("cms:write")
    assert not ada.may("cms:write")


def test_a_permission_without_a_target_holds_for_every_target_and_for_none() -> None:
    ada = principal("cms:read", "cms:write@bakery/*")
    assert ada.at("florist/shop").permissions == {"cms:read"}
    assert ada.at("").permissions == {"cms:read"}
    assert ada.at("bakery/main").permissions == {"cms:read", "cms:write"}


def test_a_principal_without_targets_in_its_permissions_stays_the_same_object() -> None:
    ada = principal("cms:write")
    assert ada.at("bakery/main") is ada


@pytest.mark.parametrize(
    ("permission", "message"),
    [
        ("cms:write@", "a permission of ada is 'cms:write@'; give a target after @, like cms:write@bakery/*"),
        ("@bakery", "a permission of ada is ''; give a permission, like cms:write"),
        ("cms:write@bakery//x", "the target of a permission of ada is 'bakery//x'; give words"),
        ("cms:write@bakery/[ab]", "the target of a permission of ada is 'bakery/[ab]'; give words"),
        ("cms:write@bakery@main", "the target of a permission of ada is 'bakery@main'; give words"),
    ],
)
def test_a_permission_with_a_malformed_target_is_refused(permission: str, message: str) -> None:
    with pytest.raises(SetupError) as caught:
        principal(permission)
    assert caught.value.message.startswith(message)


def test_calls_within_a_call_and_within_an_agent_have_the_target_of_the_run() -> None:
    caller = Caller("run", "boss", "c1", 1, principal("cms:*"), target="bakery/main")
    assert caller.enter_call("c2").target == "bakery/main"
    assert caller.enter_agent("clerk", None, frozenset({"cms:read"})).target == "bakery/main"
