"""How far a call may go: no further than every actor above it lets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CoroutineType
from typing import Any, NoReturn

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.principal import Caller
from remit.contracts.reply import Reply
from remit.dispatch.registry import AnyAgent, AnyCallee, describe
from remit.dispatch.unlisted import has_same_body, resolve_by_unlisted
from remit.errors import BudgetError, DeniedError

FindAgent = Callable[[Caller, str], AnyAgent | None]
"""From a name to the actor of that name, which the application lists or which is above the call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolScope(CallLayer):
    """Refuses what an actor above the call does not let through.

    It is part of the door: whichever layers are attached, a call out of reach is denied, and recorded as denied.

    Args:
        callee: what it stands around. listed: what the application has under the name of that.
        find_agent: the actors by name.
        max_agent_depth: around an actor, how many may be nested.
    """

    callee: AnyCallee = field(repr=False)
    listed: AnyCallee | None = field(repr=False)
    find_agent: FindAgent = field(repr=False)
    max_agent_depth: int | None = None

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that looks before ``inner``."""
        return (
            _ToolScope(inner, self)
            if self.max_agent_depth is None
            else _DepthLimited(inner, self, self.max_agent_depth)
        ).__call__

    def __repr__(self) -> str:
        return "ToolScope()" if self.max_agent_depth is None else f"ToolScope(max_agent_depth={self.max_agent_depth})"


class _ToolScope:
    """Not async itself: almost every call only passes through."""

    __slots__ = ("_callee", "_find_agent", "_inner", "_listed")

    def __init__(self, inner: CallService, layer: ToolScope) -> None:
        self._inner = inner
        self._find_agent = layer.find_agent
        self._callee = layer.callee
        self._listed = None if layer.listed is layer.callee else layer.listed

    def __call__(self, call: Call, /) -> CoroutineType[Any, Any, Reply]:
        tool_scope = call.caller.tool_scope
        if tool_scope is not None:
            if self._callee.name not in tool_scope:
                self._deny(call)
            if self._listed is not None or type(call.caller) is not Caller:
                self._check_same_body(call.caller)
        return self._inner(call)

    def _check_same_body(self, caller: Caller) -> None:
        """An actor above lets what is named so be called, and not whatever is given that name."""
        named_callees = resolve_by_unlisted(caller, self._callee.name) if self._listed is None else [self._listed]
        other = next((each for each in named_callees if not has_same_body(each, self._callee)), None)
        if other is not None:
            raise DeniedError(
                f"{caller.path[-1]} lets its calls reach {describe(other)}, and not {describe(self._callee)}; "
                f"give the latter a name of its own, and list it"
            )

    def _deny(self, call: Call) -> NoReturn:
        name, path = self._callee.name, call.caller.path
        denying_agents = [each for each in path if _denies(self._find_agent(call.caller, each), name)]
        call_path = f" (called by {' > '.join(path)})" if len(path) > 1 else ""
        raise DeniedError(
            f"{denying_agents[0]} does not let its calls reach {name}{call_path}; it would have to list it"
        )


class _DepthLimited(_ToolScope):
    __slots__ = ("_max_agent_depth",)

    def __init__(self, inner: CallService, layer: ToolScope, max_agent_depth: int) -> None:
        super().__init__(inner, layer)
        self._max_agent_depth = max_agent_depth

    def __call__(self, call: Call, /) -> CoroutineType[Any, Any, Reply]:
        path = call.caller.path
        if len(path) >= self._max_agent_depth:
            nested = " > ".join((*path, call.callee.name))
            raise BudgetError(
                f"actors are nested {len(path) + 1} deep ({nested}); at most {self._max_agent_depth} may be"
            )
        return super().__call__(call)


def _denies(agent: AnyAgent | None, name: str) -> bool:
    return agent is not None and agent.tool_scope is not None and name not in agent.tool_scope
