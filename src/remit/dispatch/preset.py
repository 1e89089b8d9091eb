"""The stacks that most programs want, as values to look at and to change."""

from __future__ import annotations

from typing import ParamSpec, TypeVar

from remit.approvals.inbox import HasApprover
from remit.approvals.policy import DEFAULT_POLICY, Policy
from remit.contracts.call import CallLayer
from remit.contracts.facts import Effect
from remit.contracts.tool import Tool
from remit.core import Stack
from remit.layers.approve import Approve
from remit.layers.authorize import Authorize
from remit.layers.budget import Budget
from remit.layers.retry import Retry
from remit.layers.timeout import Timeout
from remit.layers.validate import Validate

P = ParamSpec("P")
Out = TypeVar("Out")


def preset(env: HasApprover, *, policy: Policy = DEFAULT_POLICY, budget: Budget | None = None) -> Stack[CallLayer]:
    """The run layers that a runtime has by default: authorize, validate strictly, budget, approve."""
    return Stack[CallLayer](Authorize(), Validate(), budget or Budget(), Approve(env, policy=policy))


def recommended(tool: Tool[P, Out]) -> Tool[P, Out]:
    """``tool`` with the layers that its facts call for: a timeout if they name one, retry if the effect allows it."""
    if tool.facts.timeout is not None:
        tool = tool.layer(Timeout(tool.facts.timeout))
    if tool.facts.effect in (Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED):
        tool = tool.layer(Retry())
    return tool
