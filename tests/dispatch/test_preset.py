"""The stacks that most programs want are values: they can be read, and each part can be replaced."""

from __future__ import annotations

import pytest

from remit import Block, Effect, LeafContext, Policy, Stack, Timeout, Tool, When, preset, tool
from remit.app import Env
from remit.call.signature import read_signature
from remit.core import check_order
from remit.dispatch.preset import declared_rate, with_declared_limits
from remit.errors import SetupError
from remit.layers import Approve, Budget, CallLayer, Place, RateLimit, Validate
from remit.layers.retry import Retry
from remit.testing import make_call, superuser
from remit.tools import Facts, Rate, with_recommended_layers
from tests.dispatch.kit import Bench


async def read(_ctx: LeafContext) -> str:
    """Read."""
    return "read"


def test_the_preset_can_be_read_as_an_onion() -> None:
    assert repr(preset(Env())) == (
        "Authorize()\n"
        "└─ Validate(strict=True)\n"
        "   └─ Budget(calls=256, tokens=None, depth=8)\n"
        "      └─ Approve(policy=Policy(high risk, egress, undeclared), max_questions=20)"
    )


def test_the_preset_stands_in_a_right_order() -> None:
    stack = preset(Env())
    check_order([each.place for each in stack], [repr(each) for each in stack])


def test_the_budget_of_the_preset_can_be_another() -> None:
    budget = Budget(calls=1)
    assert budget in list(preset(Env(), budget=budget))


def test_the_preset_limits_the_questions_of_a_run() -> None:
    assert "max_questions=3)" in repr(preset(Env(), max_questions=3))
    with pytest.raises(SetupError, match="max_questions is 0; give a whole number of at least 1"):
        preset(Env(), max_questions=0)


async def test_the_policy_of_the_preset_can_be_another() -> None:
    work = tool(effect=Effect.PURE)(read)
    policy = Policy.only(When("never", lambda call: call.callee.name == "read", Block(reason="it is late")))
    bench = Bench(work, layers=preset(Env(), policy=policy))
    reply = await bench.door.service("", work)(await bench.call(work))
    assert '"errorCode":"BLOCKED"' in reply.content
    assert "it is late" in reply.content


async def test_the_preset_of_an_environment_without_an_approver_refuses_every_call() -> None:
    work = tool(effect=Effect.PURE)(read)
    bench = Bench(work, layers=preset(Env(approver=None)))
    reply = await bench.door.service("", work)(await make_call(work, by=superuser()))
    assert '"errorCode":"CAPABILITY_ABSENT"' in reply.content


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        (Effect.PURE, [Place.RETRY]),
        (Effect.IDEMPOTENT, [Place.RETRY]),
        (Effect.KEYED, [Place.RETRY]),
        (Effect.UNSAFE, []),
        (Effect.COMPOSED, []),
    ],
)
def test_a_tool_is_recommended_retries_if_its_effect_allows_them(effect: Effect, expected: list[Place]) -> None:
    bare = faceted(Facts(effect=effect, timeout=5.0))
    assert [layer.place for layer in with_recommended_layers(bare).layers] == expected
    assert len(bare.layers) == 0, "the tool itself is as bare as before"


def faceted(facts: Facts) -> Tool[[], str]:
    """A tool of those facts."""
    return Tool(read, read_signature(read, "read"), name="read", description="Read.", facts=facts, layers=Stack())


def test_what_sends_data_out_depends_on_somebody_else_and_gets_a_breaker() -> None:
    assert (
        repr(with_recommended_layers(faceted(Facts(egress=True))).layers)
        == "Breaker(failures=5, seconds=30.0, probes=1)"
    )


def limits(facts: Facts, *layers: CallLayer) -> Stack[CallLayer]:
    return with_declared_limits(facts, Stack(*layers), declared_rate(facts))


def test_a_declared_rate_is_enforced() -> None:
    assert repr(limits(Facts(rate=Rate(60, 3600.0)))) == "RateLimit(calls=60, seconds=3600.0, max_wait=10.0)"


def test_a_declared_timeout_is_enforced_and_answers_in_time_whatever_the_tool_does() -> None:
    assert repr(limits(Facts(timeout=5))) == "Timeout(seconds=5, grace=1.0)"


def test_a_composed_callee_is_waited_for_lest_it_makes_calls_when_its_own_has_ended() -> None:
    assert repr(limits(Facts(effect=Effect.COMPOSED, timeout=5))) == "Timeout(seconds=5)"


def test_what_facts_declare_and_recommend_stands_in_a_right_order_with_layers_at_any_place() -> None:
    facts = Facts(effect=Effect.KEYED, egress=True, rate=Rate(1, 1.0), timeout=5)
    own = (Validate(), Approve(Env(), policy=Policy.only()), *with_recommended_layers(faceted(facts)).layers)
    stack = limits(facts, *own)
    check_order([each.place for each in stack], [repr(each) for each in stack])
    places = [Place.VALIDATE, Place.APPROVE, Place.LIMIT, Place.BREAKER, Place.RETRY, Place.TIMEOUT]
    assert [layer.place for layer in stack] == places


def test_a_layer_that_is_at_least_as_strict_takes_the_place_of_what_facts_declare() -> None:
    facts = Facts(rate=Rate(10, 60.0), timeout=5)
    strict = (RateLimit(calls=5, seconds=60.0), Timeout(5).calls)
    loose = (RateLimit(calls=50, seconds=60.0), Timeout(50).calls)
    assert len(limits(facts, *strict)) == 2
    assert len(limits(facts, *loose)) == 4
    assert len(limits(facts, RateLimit(calls=10, seconds=1.0))) == 3


def test_what_is_recommended_goes_outside_what_the_tool_has() -> None:
    own = Retry(attempts=5)
    layers = list(with_recommended_layers(tool(effect=Effect.PURE)(read).layer(own)).layers)
    assert layers[-1] is own
