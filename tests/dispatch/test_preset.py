"""The stacks that most programs want are values: they can be read, and each part can be replaced."""

from __future__ import annotations

import pytest

from remit import Block, Budget, Effect, Env, Place, Policy, When, preset, recommended, tool
from remit.layers.retry import Retry
from remit.testing import anybody, call_of
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
    reply = await bench.door.service("", work)(await call_of(work, by=anybody()))
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
    better = recommended(bare)
    assert [layer.place for layer in better.layers] == expected
    assert len(bare.layers) == 0, "the tool itself is as bare as before"
    better.layers.check()


def test_what_is_recommended_goes_outside_what_the_tool_has() -> None:
    own = Retry(attempts=5)
    layers = list(recommended(tool(effect=Effect.PURE)(read).layer(own)).layers)
    assert layers[-1] is own
