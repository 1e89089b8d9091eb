"""The order of the onion: what a rule forbids is refused, with its reason, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remit.core import ORDER_RULES, OUTSIDE, OrderRule, Place, check_order
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
        check_order(places, names, scopes, lambda layer, scope, outer: f"{outer}.layer({layer}) for the {scope}")
    assert caught.value.message.startswith(f"<{rule.outer.value}> of the tool must stand outside ")
    reason = caught.value.message.partition(": ")[2].rpartition("; ")[0]
    assert reason in {each.reason for each in ORDER_RULES if each.outer is rule.outer}


def refusal(*places: Place) -> str:
    with pytest.raises(LayerOrderError) as caught:
        check(*places)
    return caught.value.message


def possible_refusals(places: Sequence[Place]) -> set[str]:
    """The possible messages about an order: one for each broken rule."""
    broken = [rule for rule in ORDER_RULES if not holds(rule, places)]
    return {
        f"<{rule.outer.value}> must stand outside <{rule.inner.value}>: {rule.reason}; write "
        f"Stack(<{rule.outer.value}>(…), <{rule.inner.value}>(…)), or attach each with .layer(…)"
        for rule in broken
    }


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
        "a timeout is for one attempt; one of the agent or the run is for the whole call; "
        "write Stack(Retry(), Timeout(…)), or attach each with .layer(…)"
    )


def move(layer: str, scope: str, outer: str) -> str:
    return f"{outer}.layer({layer}.where({scope}s=…))"


def refusal_across(*places: tuple[Place, str]) -> str:
    """The remedy in the refusal of places and scopes."""
    with pytest.raises(LayerOrderError) as caught:
        check_order(
            [place for place, _ in places], [f"{place.value}()" for place, _ in places], [s for _, s in places], move
        )
    return caught.value.message.rpartition("; ")[2]


def test_a_layer_of_an_inner_scope_is_moved_to_the_scope_where_it_must_stand() -> None:
    validate = (Place.VALIDATE, "run")
    assert refusal_across(validate, (Place.TIMEOUT, "agent"), (Place.APPROVE, "tool")) == (
        "write agent.layer(approve().where(tools=…))"
    )


def test_a_layer_of_which_one_is_enough_is_left_out_of_an_inner_scope() -> None:
    asking = ((Place.VALIDATE, "run"), (Place.APPROVE, "run"))
    left_out = "leave it out, because the run has one for every call"
    assert refusal_across(*asking, (Place.VALIDATE, "tool")) == left_out
    assert refusal_across((Place.VALIDATE, "tool"), *asking[1:], (Place.VALIDATE, "tool")).startswith(
        "write run.layer("
    )
    assert refusal_across(*asking, (Place.BUDGET, "agent")) == "write run.layer(budget().where(agents=…))"


def test_wrong_layers_of_one_scope_among_several_are_written_in_the_right_order() -> None:
    wrong = ((Place.TIMEOUT, "tool"), (Place.RETRY, "tool"))
    assert refusal_across(*wrong).startswith("write Stack(retry(), timeout())")


def test_no_place_stands_outside_itself() -> None:
    assert not any(place in outside for place, outside in OUTSIDE.items())


def test_what_a_layer_needs_outside_it_must_be_there() -> None:
    with pytest.raises(LayerOrderError) as caught:
        check(Place.APPROVE)
    assert caught.value.message == (
        "<approve> needs a layer at the place 'validate' outside it: the approver sees the validated arguments; "
        "write Stack(Validate(), …, <approve>(…))"
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
