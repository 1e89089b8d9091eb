"""The order of the onion: what a rule forbids is refused, with its reason, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.core import ORDER_RULES, OrderRule, Place, check_order
from remit.errors import LayerOrderError

RULE = pytest.mark.parametrize("rule", ORDER_RULES, ids=lambda rule: f"{rule.outer.value} around {rule.inner.value}")


def check(*places: Place) -> None:
    check_order(places, [f"<{place.value}>" for place in places])


def holds(rule: OrderRule, places: Sequence[Place]) -> bool:
    """The rule, said in the plainest way: no inner before an outer, and where it is needed no inner alone."""
    for index, place in enumerate(places):
        if place is rule.inner and (rule.outer in places[index:] or (rule.is_required and rule.outer not in places)):
            return False
    return True


def complete(*places: Place) -> list[Place]:
    """``places``, and outside them what they need to be there at all."""
    needed = [
        rule.outer for rule in ORDER_RULES if rule.is_required and rule.inner in places and rule.outer not in places
    ]
    return [*needed, *places]


@RULE
def test_across_scopes_a_rule_holds_unless_it_is_for_one_scope(rule: OrderRule) -> None:
    places = complete(rule.inner, rule.outer)
    names, scopes = [f"<{place.value}>" for place in places], ["run"] * (len(places) - 1) + ["tool"]
    if rule.is_per_scope:
        check_order(places, names, scopes)
        return
    with pytest.raises(LayerOrderError) as caught:
        check_order(places, names, scopes)
    assert caught.value.message.startswith(f"<{rule.outer.value}> of the tool must stand outside ")
    assert caught.value.message.partition(": ")[2] in {each.reason for each in ORDER_RULES if each.outer is rule.outer}


def refusal(*places: Place) -> str:
    with pytest.raises(LayerOrderError) as caught:
        check(*places)
    return caught.value.message


def possible_refusals(places: Sequence[Place]) -> set[str]:
    """The possible messages about an order: one for each broken rule."""
    broken = [rule for rule in ORDER_RULES if not holds(rule, places)]
    return {f"<{rule.outer.value}> must stand outside <{rule.inner.value}>: {rule.reason}" for rule in broken}


@RULE
def test_each_rule_refuses_the_reverse_order_naming_both_layers_and_the_reason(rule: OrderRule) -> None:
    places = complete(rule.inner, rule.outer)
    assert not holds(rule, places)
    assert refusal(*places) in possible_refusals(places)


@RULE
def test_each_rule_accepts_its_own_order(rule: OrderRule) -> None:
    places = sorted(complete(rule.outer, rule.inner), key=list(Place).index)
    assert holds(rule, places)
    check(*places)


@RULE
def test_each_rule_holds_across_layers_that_stand_between(rule: OrderRule) -> None:
    places = complete(rule.inner, Place.OWN, rule.outer)
    assert refusal(*places) in possible_refusals(places)


@RULE
def test_a_rule_binds_every_layer_of_a_place_not_only_the_first(rule: OrderRule) -> None:
    places = complete(rule.outer, rule.inner, rule.outer)
    assert refusal(*places) in possible_refusals(places)


def test_a_refusal_names_the_layers_as_they_print_and_the_reason() -> None:
    with pytest.raises(LayerOrderError) as caught:
        check_order([Place.TIMEOUT, Place.RETRY], ["Timeout(5)", "Retry()"])
    assert caught.value.message == (
        "Retry() must stand outside Timeout(5): "
        "a timeout is for one attempt; one of the agent or the run is for the whole call"
    )


def test_what_a_layer_needs_outside_it_must_be_there() -> None:
    with pytest.raises(LayerOrderError) as caught:
        check(Place.APPROVE)
    assert caught.value.message == (
        "<approve> needs a layer at the place 'validate' outside it: the approver sees the validated arguments"
    )


def test_all_places_together_stand_in_the_order_in_which_they_are_named() -> None:
    check(*Place)


def test_a_layer_of_your_own_may_stand_anywhere() -> None:
    check(Place.OWN, Place.TRACE, Place.OWN, Place.RECORD, Place.OWN, Place.VALIDATE, Place.OWN, Place.APPROVE)


def test_the_order_of_no_layers_is_right() -> None:
    check()


@given(st.lists(st.sampled_from(Place), max_size=8))
def test_an_order_is_refused_exactly_where_a_rule_does_not_hold(places: list[Place]) -> None:
    try:
        check(*places)
        accepted = True
    except LayerOrderError:
        accepted = False
    assert accepted == all(holds(rule, places) for rule in ORDER_RULES)
