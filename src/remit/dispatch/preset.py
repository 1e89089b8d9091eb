"""The stacks that most programs need, as values to inspect and change."""

from __future__ import annotations

from typing import Final, ParamSpec, TypeVar

from remit.approvals.approver import HasApprover
from remit.approvals.policy import DEFAULT_POLICY, Policy
from remit.approvals.question_limit import DEFAULT_MAX_QUESTIONS
from remit.call.call import CallLayer, ToolLayer, viewed_layer
from remit.call.facts import Effect, Facts
from remit.call.tool import Tool
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
"""Seconds that a timed-out body has to stop before it is abandoned."""


def preset(
    env: HasApprover,
    *,
    policy: Policy = DEFAULT_POLICY,
    budget: Budget | None = None,
    max_questions: int = DEFAULT_MAX_QUESTIONS,
    shadow: Policy | None = None,
) -> Stack[CallLayer]:
    """The default run layers of a runtime: authorize, validate strictly, budget, approve."""
    if not hasattr(env, "approver"):
        raise SetupError(f"env is {env!r}; give an object with an approver, such as Env()")
    check_instance("policy", policy, Policy, "give a Policy of your rules, such as Policy(HighRisk())")
    check_instance("budget", budget or Budget(), Budget, "give a Budget, such as Budget(calls=64)")
    approve = Approve(env, policy=policy, max_questions=max_questions, shadow=shadow)
    return Stack[CallLayer](Authorize(), Validate(), budget or Budget(), approve)


def with_recommended_layers(tool: Tool[P, Out]) -> Tool[P, Out]:
    """Return ``tool`` with retries if its effect allows them, and a breaker if it uses external services (egress).

    The time limit and rate in its facts apply without this function; see `with_declared_limits`.
    """
    check_instance("with_recommended_layers: tool", tool, Tool, "give a tool")
    return tool.layer(recommended_layers(tool.facts))


def recommended_layers(facts: Facts) -> Stack[ToolLayer]:
    """The layers that facts call for, outermost first; see `with_recommended_layers`."""
    stack: Stack[ToolLayer] = Stack()
    if facts.effect in (Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED):
        stack = stack.layer(Retry())
    if facts.egress:
        stack = stack.layer(Breaker())
    return stack


def declared_rate(facts: Facts) -> RateLimit | None:
    """The rate limit that facts declare. Reuse the layer, because it counts the calls of all services that it wraps."""
    return None if facts.rate is None else RateLimit(calls=facts.rate.calls, seconds=facts.rate.seconds)


def with_declared_limits(facts: Facts, layers: Stack[CallLayer], rate: RateLimit | None) -> Stack[CallLayer]:
    """Add the layers that a tool's facts declare: the rate limit, and a timeout for each attempt.

    The timeout has a second of grace, except around a composed callee, which could otherwise make calls after its own
    has ended. A layer of the tool that is at least as strict replaces the declared one.
    """
    seconds = facts.timeout
    if rate is not None and not any(_is_as_strict(each, rate) for each in layers):
        layers = layers.layer(rate)
    if seconds is not None and not any(_is_as_short(each, seconds) for each in layers):
        grace = None if facts.effect is Effect.COMPOSED else GRACE_SECONDS
        layers = Stack(layers, Timeout(seconds, grace=grace).calls)
    return layers


def _is_as_strict(layer: CallLayer, rate: RateLimit) -> bool:
    return isinstance(layer, RateLimit) and layer.calls <= rate.calls and layer.seconds >= rate.seconds


def _is_as_short(layer: CallLayer, seconds: float) -> bool:
    timeout = viewed_layer(layer)
    return isinstance(timeout, Timeout) and timeout.seconds <= seconds
