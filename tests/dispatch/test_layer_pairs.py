"""Every pair of shipped layers over every pair of scopes is refused by a named rule, or makes its calls correctly."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import pytest

from remit import Agent, App, Ask, Effect, LeafContext, Policy, Runtime, Stack, Timeout, Tool, When, tool
from remit.app import Env
from remit.core import ORDER_RULES
from remit.errors import ExternalError, LayerOrderError
from remit.layers import (
    Accumulate,
    Approve,
    Authorize,
    Breaker,
    Budget,
    CallLayer,
    Concurrency,
    RateLimit,
    Retry,
    Transform,
    Validate,
)
from remit.record.items import AttemptStarted, QuestionItem, ToolOutput
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import items_of

NUMBERS = itertools.count()
SCOPES = ("run", "agent", "tool")
AtScopes = Mapping[str, Sequence[CallLayer | Stack[CallLayer]]]


def asks() -> Policy:
    """A policy that asks about every call, and that no other layer has."""
    return Policy.only(When(f"rule {next(NUMBERS)}", lambda _call: True, Ask(reason="it costs money")))


MAKERS: dict[str, Callable[[], CallLayer]] = {
    "authorize": Authorize,
    "validate": Validate,
    "budget": lambda: Budget(calls=5),
    "approve": lambda: Approve(Env(), policy=asks()),
    "rate": lambda: RateLimit(calls=5, seconds=60),
    "concurrency": lambda: Concurrency(calls=1),
    "breaker": Breaker,
    "retry": lambda: Retry(base_delay=0.01),
    "timeout": lambda: Timeout(5).calls,
    "graceful": lambda: Timeout(5, grace=1).calls,
    "transform": lambda: Transform(lambda value: value),
    "accumulate": lambda: Accumulate(0, lambda count, _call, _reply: count + 1),
}
PAIRS = [
    (outer, outer_scope, inner, inner_scope)
    for outer, inner in itertools.product(MAKERS, repeat=2)
    for outer_scope, inner_scope in itertools.combinations_with_replacement(SCOPES, 2)
]


class Bank:
    """A tool whose first attempt fails if ``fails``, and a runtime with layers at three scopes around it."""

    def __init__(self, fails: bool, layers: AtScopes, effect: Effect = Effect.KEYED) -> None:
        self.attempts = 0

        @tool(effect=effect, risk="safe")
        async def pay(ctx: LeafContext, cents: int) -> int:
            """Pay an amount."""
            assert ctx.key
            self.attempts += 1
            if fails and self.attempts == 1:
                raise ExternalError("busy")
            return cents

        self.store = InMemoryStore(lambda: 0.0)
        at_tool = reduce(Tool[..., int].layer, reversed(layers.get("tool", [])), pay)
        clerk = reduce(
            Agent.layer, reversed(layers.get("agent", [])), Agent("clerk", instructions="Pay.", tools=[at_tool])
        )
        at_run: Stack[CallLayer] = Stack(Validate())
        for layer in reversed(layers.get("run", [])):
            at_run = at_run.layer(layer if isinstance(layer, Stack) else layer.where(tools={"pay"}))
        self.runtime = Runtime(
            App(name="bank", agents=(clerk,)),
            store=self.store,
            clock=lambda: 0.0,
            model=Scripted([calls(("pay", {"cents": 500})), "done"]),
            layers=at_run,
        )

    async def run(self) -> str:
        """Make the run, approve what it asks, and return its id."""
        result: Any = await self.runtime.run("Pay.", by=superuser())
        while result.questions:
            for question in result.questions:
                await self.runtime.decide(question, approved=True, by=superuser(name="bob"))
            result = await self.runtime.resume(result.run)
        assert result.value() == "done"
        return result.run


def try_build(fails: bool, layers: AtScopes) -> Bank | LayerOrderError:
    """The bank with these layers, or why their order is refused."""
    try:
        return Bank(fails, layers)
    except LayerOrderError as error:
        return error


@pytest.mark.looptime
@pytest.mark.parametrize(("outer", "outer_scope", "inner", "inner_scope"), PAIRS)
async def test_a_pair_of_layers_is_refused_by_a_rule_or_makes_its_calls_correctly(
    outer: str, outer_scope: str, inner: str, inner_scope: str
) -> None:
    names = (outer, inner)
    layers: dict[str, list[CallLayer]] = {outer_scope: [], inner_scope: []}
    layers[outer_scope].append(MAKERS[outer]())
    layers[inner_scope].append(MAKERS[inner]())
    retries = "retry" in names
    bank = try_build(retries, layers)
    if isinstance(bank, LayerOrderError):
        assert all(f" of the {scope}" in bank.message for scope in layers), "it names both scopes"
        assert any(f": {rule.reason}; " in bank.message for rule in ORDER_RULES), "it names the reason"
        assert "; write " in bank.message or "; leave it out" in bank.message, "it ends with the line to write"
        assert outer_scope != inner_scope, "layers that are attached to one scope stand at their places"
        return
    run = await bank.run()
    items = await items_of(bank.store, run)
    assert sum(isinstance(item, QuestionItem) for item in items) == names.count("approve"), "each asks once"
    assert [item.outcome for item in items if isinstance(item, ToolOutput) and item.callee == "pay"] == ["ok"]
    assert bank.attempts == sum(isinstance(item, AttemptStarted) for item in items) == 1 + retries
    made = bank.attempts
    report = await bank.runtime.replay(run)
    assert report.is_identical, report.difference
    assert bank.attempts == made


@pytest.mark.parametrize("scope", ["run", "agent"])
@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        ("timeout", "retry"),
        ("timeout", "breaker"),
        ("timeout", "rate"),
        ("retry", "breaker"),
        ("retry", "concurrency"),
        ("breaker", "rate"),
        ("retry", "approve"),
    ],
)
def test_policy_for_all_of_a_tool_may_stand_around_the_layers_of_the_tool(outer: str, inner: str, scope: str) -> None:
    Bank(False, {scope: [MAKERS[outer]()], "tool": [MAKERS[inner]()]})
    with pytest.raises(LayerOrderError):
        Bank(False, {"tool": [Stack(MAKERS[outer](), MAKERS[inner]())]})


@pytest.mark.parametrize("outer", ["rate", "concurrency", "breaker", "timeout"])
def test_the_wait_for_an_approver_is_outside_limits_breakers_and_timeouts_of_all_scopes(outer: str) -> None:
    with pytest.raises(LayerOrderError, match=r"^Approve.* of the tool must stand outside .* of the agent: "):
        Bank(False, {"agent": [MAKERS[outer]()], "tool": [MAKERS["approve"]()]})


@pytest.mark.looptime
@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT])
async def test_a_retry_of_a_whole_tool_asks_once_whatever_the_journal_holds_of_an_attempt(effect: Effect) -> None:
    bank = Bank(True, {"run": [MAKERS["retry"]()], "tool": [MAKERS["approve"]()]}, effect)
    items = await items_of(bank.store, await bank.run())
    assert (bank.attempts, sum(isinstance(item, QuestionItem) for item in items)) == (2, 1)


def test_approve_around_calls_whose_arguments_a_limited_layer_does_not_validate_is_refused() -> None:
    limited = Validate().where(test=lambda callee: callee.facts.egress)
    with pytest.raises(LayerOrderError, match="of the run needs a layer at the place 'validate'"):
        Runtime(
            App(name="bank", agents=(Agent("clerk", instructions="Pay."),)),
            model=Scripted([]),
            layers=Stack[CallLayer](limited, Approve(Env())),
        )
