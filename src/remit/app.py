"""An application: what it is called, its agents, its tools, and the environment that its layers are built from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from remit.agent.agent import Agent
from remit.approvals.approver import Approver, HasApprover, InboxApprover
from remit.contracts.call import CallLayer
from remit.contracts.callee import Callee
from remit.core import Stack

if TYPE_CHECKING:
    from remit.inventory.operations import Operations

__all__ = ["App", "Env"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Env:
    """The environment of an application that needs no more than an approver.

    An application's own is a plain dataclass with whatever capabilities its layers name.
    """

    approver: Approver | None = field(default_factory=InboxApprover)


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """What an entry point in the group ``remit.apps`` yields. Its first agent is its default.

    Args:
        layers: the run layers; None for the preset built from ``env``.
        operations: code and inventory, which ``remit check`` compares; None for an application without an inventory.
    """

    name: str
    agents: tuple[Agent, ...] = ()
    tools: tuple[Callee[..., Any], ...] = ()
    env: HasApprover = field(default_factory=Env)
    layers: Callable[[], Stack[CallLayer]] | None = None
    operations: Operations | None = None
