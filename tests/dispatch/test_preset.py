"""The stacks that most programs want are values: they can be read, and each part can be replaced."""

from __future__ import annotations

import pytest

from remit import Block, Effect, Policy, Stack, Tool, When, preset, tool
from remit.app import Env
from remit.contracts.signature import read_signature
from remit.layers import Budget, Place
from remit.layers.retry import Retry
from remit.testing import make_call, superuser
from remit.tools import Facts, Rate, with_recommended_layers
from tests.dispatch.kit import Bench


async def read() -> str:
    """Read."""
    return "read"


def test_the_preset_can_be_read_as_an_onion() -> None:
    assert repr(preset(Env())) == (
        "Authorize()\n"
        "└─ Validate(strict=True)\n"
        "   └─ Budget(calls=256, tokens=None, depth=8)\n"
        "      └─ Approve(policy=Policy(high risk, unsafe egress))"
    )


def test_the_preset_stands_in_a_right_order() -> None:
    preset(Env()).check()


def test_the_budget_of_the_preset_can_be_another() -> None:
    budget = Budget(calls=1)
    assert budget in list(preset(Env(), budget=budget))


async def test_the_policy_of_the_preset_can_be_another() -> None:
    work = tool(effect=Effect.PURE)(read)
    policy = Policy(When("never", lambda call: call.callee.name == "read", Block(reason="it is late")))
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
    ("effect", "seconds", "expected"),
    [
        (Effect.PURE, None, [Place.RETRY]),
        (Effect.PURE, 5.0, [Place.RETRY, Place.TIMEOUT]),
        (Effect.IDEMPOTENT, 5.0, [Place.RETRY, Place.TIMEOUT]),
        (Effect.KEYED, 5.0, [Place.RETRY, Place.TIMEOUT]),
        (Effect.UNSAFE, 5.0, [Place.TIMEOUT]),
        (Effect.UNSAFE, None, []),
        (Effect.COMPOSED, None, []),
    ],
)
def test_a_tool_is_recommended_the_layers_that_its_facts_call_for(
    effect: Effect, seconds: float | None, expected: list[Place]
) -> None:
    bare = tool(effect=effect, timeout=seconds)(read)
    better = with_recommended_layers(bare)
    assert [layer.place for layer in better.layers] == expected
    assert len(bare.layers) == 0, "the tool itself is as bare as before"
    better.layers.check()


def faceted(facts: Facts) -> Tool[[], str]:
    """A tool of those facts."""
    return Tool(read, read_signature(read, "read"), name="read", description="Read.", facts=facts, layers=Stack())


def test_what_sends_data_out_depends_on_somebody_else_and_gets_a_breaker() -> None:
    assert (
        repr(with_recommended_layers(faceted(Facts(egress=True))).layers)
        == "Breaker(failures=5, seconds=30.0, probes=1)"
    )


def test_a_rate_becomes_its_limit() -> None:
    limited = with_recommended_layers(faceted(Facts(rate=Rate(60, 3600.0))))
    assert repr(limited.layers) == "RateLimit(calls=60, seconds=3600.0, max_wait=10.0)"


def test_all_that_facts_can_call_for_stands_in_a_right_order() -> None:
    every = with_recommended_layers(faceted(Facts(effect=Effect.KEYED, egress=True, rate=Rate(1, 1.0), timeout=5)))
    assert [layer.place for layer in every.layers] == [Place.LIMIT, Place.BREAKER, Place.RETRY, Place.TIMEOUT]
    every.layers.check()


def test_a_recommended_timeout_answers_in_time_whatever_the_tool_does() -> None:
    assert repr(with_recommended_layers(faceted(Facts(timeout=5))).layers) == "Timeout(seconds=5, grace=1.0)"


def test_a_composed_callee_is_waited_for_lest_it_makes_calls_when_its_own_has_ended() -> None:
    composed = with_recommended_layers(faceted(Facts(effect=Effect.COMPOSED, timeout=5)))
    assert repr(composed.layers) == "Timeout(seconds=5)"


def test_what_is_recommended_goes_outside_what_the_tool_has() -> None:
    own = Retry(attempts=5)
    layers = list(with_recommended_layers(tool(effect=Effect.PURE)(read).layer(own)).layers)
    assert layers[-1] is own
