"""The stacks that most programs want, as values to look at and to change."""

from __future__ import annotations

from typing import Final, ParamSpec, TypeVar

from remit.approvals.approver import HasApprover
from remit.approvals.policy import DEFAULT_POLICY, Policy
from remit.contracts.call import CallLayer, ToolLayer
from remit.contracts.facts import Effect, Facts
from remit.contracts.tool import Tool
from remit.core import Stack
from remit.core.checks import check_instance
from remit.errors import SetupError
from remit.layers.approve import Approve
from remit.layers.authorize import Authorize
from remit.layers.breaker import Breaker
from remit.layers.budget import Budget
from remit.layers.limit import RateLimit
from remit.layers.retry import Retry
from remit.layers.timeout import Timeout
from remit.layers.validate import Validate

P = ParamSpec("P")
Out = TypeVar("Out")

GRACE_SECONDS: Final = 1.0
"""Seconds that a body whose time is over has to stop, before it is left behind."""


def preset(env: HasApprover, *, policy: Policy = DEFAULT_POLICY, budget: Budget | None = None) -> Stack[CallLayer]:
    """The run layers that a runtime has by default: authorize, validate strictly, budget, approve."""
    if not hasattr(env, "approver"):
        raise SetupError(f"env is {env!r}; give an object with an approver, such as Env()")
    check_instance("policy", policy, Policy, "give a Policy of your rules, such as Policy(HighRisk())")
    check_instance("budget", budget or Budget(), Budget, "give a Budget, such as Budget(calls=64)")
    return Stack[CallLayer](Authorize(), Validate(), budget or Budget(), Approve(env, policy=policy))


def with_recommended_layers(tool: Tool[P, Out]) -> Tool[P, Out]:
    """``tool`` with the layers that its facts call for, each with its defaults.

    These are a rate limit if the facts declare a rate, a breaker for egress, which depends on external services, retry
    if the effect allows it, and a timeout with a second of grace if the facts declare one. A composed callee gets no
    grace, because it would make calls after its own has ended.
    """
    return tool.layer(recommended_layers(tool.facts))


def recommended_layers(facts: Facts) -> Stack[ToolLayer]:
    """The layers that facts call for, outermost first; see `recommended`."""
    stack: Stack[ToolLayer] = Stack()
    if facts.timeout is not None:
        stack = stack.layer(Timeout(facts.timeout, grace=None if facts.effect is Effect.COMPOSED else GRACE_SECONDS))
    if facts.effect in (Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED):
        stack = stack.layer(Retry())
    if facts.egress:
        stack = stack.layer(Breaker())
    if facts.rate is not None:
        stack = stack.layer(RateLimit(calls=facts.rate.calls, seconds=facts.rate.seconds))
    return stack
