"""Facts say what kind of thing an operation is; wrong ones are refused when they are written."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from remit.call.facts import Effect, Facts, Rate, Risk, build_facts, lacks_flag
from remit.errors import ContractError


def test_what_nobody_said_is_taken_for_the_worst() -> None:
    facts = Facts()
    assert (facts.effect, facts.trusted) == (Effect.UNSAFE, False)
    assert (facts.risk, facts.egress, facts.confirm, facts.timeout) == (Risk.SAFE, False, None, None)
    assert (facts.permissions, facts.tags, facts.rate) == (frozenset(), frozenset(), None)


@pytest.mark.parametrize("permission", ["cms:write", "cms:pages:write", "a-b_c:d2"])
def test_a_permission_names_area_and_verb(permission: str) -> None:
    assert Facts(permissions=frozenset({permission})).permissions == {permission}


@pytest.mark.parametrize(
    "permission", ["write", "cms:", ":write", "cms:*", "*", "CMS:write", "cms write", "cms:write\n", "", "1cms:write"]
)
def test_another_permission_is_refused_by_name(permission: str) -> None:
    with pytest.raises(ContractError) as caught:
        build_facts(permissions=["cms:read", permission])
    assert caught.value.message == f"permission {permission!r} is not of the form area:verb, like cms:write"


@pytest.mark.parametrize("seconds", [0, -1])
def test_a_timeout_that_is_not_positive_is_refused(seconds: float) -> None:
    with pytest.raises(ContractError, match=r"Facts: timeout is .*; give a positive number$"):
        Facts(timeout=seconds)


@pytest.mark.parametrize("seconds", [0.001, 30, None])
def test_a_positive_timeout_or_none_is_kept(seconds: float | None) -> None:
    assert Facts(timeout=seconds).timeout == seconds


@pytest.mark.parametrize(
    ("said", "rate"),
    [
        ("2/second", Rate(2, 1.0)),
        ("60/minute", Rate(60, 60.0)),
        ("1000/hour", Rate(1000, 3600.0)),
        ("5/day", Rate(5, 86400.0)),
        ((10, 2.5), Rate(10, 2.5)),
        (Rate(1, 9.0), Rate(1, 9.0)),
        (None, None),
    ],
    ids=str,
)
def test_a_rate_is_calls_in_a_unit_or_in_seconds(said: Any, rate: Rate | None) -> None:
    assert build_facts(rate=said).rate == rate


@pytest.mark.parametrize(
    "said", ["", "60", "minute", "60/fortnight", "-1/minute", "1.5/minute", "60/minute\n", "1 /day"]
)
def test_a_text_that_is_no_rate_is_refused_by_what_it_says(said: str) -> None:
    with pytest.raises(ContractError) as caught:
        build_facts(rate=said)
    assert caught.value.message == (f"rate {said!r} is not of the form 60/minute; units are second, minute, hour, day")


@pytest.mark.parametrize("said", ["0/minute", (0, 1.0), (1, 0.0), (1, -1.0)], ids=str)
def test_a_rate_that_lets_nothing_through_or_everything_is_refused(said: Any) -> None:
    with pytest.raises(ContractError, match=r"Rate: (calls|seconds) is .*; give a (whole|positive) number"):
        build_facts(rate=said)


def test_facts_do_not_change() -> None:
    facts: Any = Facts()
    with pytest.raises(FrozenInstanceError):
        facts.effect = Effect.PURE


def test_what_is_composed_has_no_rate_for_nothing_would_limit_it() -> None:
    with pytest.raises(
        ContractError, match=r"a composed operation cannot have a rate .* limit the tools that it calls"
    ):
        build_facts(effect=Effect.COMPOSED, rate="60/minute")


def test_a_decorators_iterables_become_facts() -> None:
    made = build_facts(
        effect=Effect.KEYED,
        risk=Risk.HIGH,
        permissions=["cms:write", "cms:write"],
        timeout=5,
        egress=True,
        trusted=True,
        tags=iter(["page"]),
        confirm="confirmed",
    )
    assert made == Facts(
        effect=Effect.KEYED,
        risk=Risk.HIGH,
        permissions=frozenset({"cms:write"}),
        timeout=5,
        egress=True,
        trusted=True,
        tags=frozenset({"page"}),
        confirm="confirmed",
    )


def test_saying_nothing_in_a_decorator_is_saying_nothing() -> None:
    assert build_facts() == Facts()


@pytest.mark.parametrize(
    ("arguments", "lacks"),
    [
        ("{}", True),
        ('{"confirmed":false}', True),
        ('{"confirmed":1}', True),
        ('{"options":{"confirmed":true}}', True),
        ('{"text":"\\"confirmed\\":true"}', True),
        ('{ "confirmed" : true }', False),
        ("no JSON", False),
    ],
)
def test_arguments_lack_the_flag_unless_it_is_set_itself(arguments: str, *, lacks: bool) -> None:
    assert lacks_flag(Facts(confirm="confirmed"), arguments) is lacks
    assert not lacks_flag(Facts(), arguments)
