"""The tool scope: a call is allowed only if every agent above it allows the name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import CoroutineType
from typing import Any, NoReturn

from remit.call.call import Call, CallLayer, CallService
from remit.call.reply import Reply
from remit.dispatch.registry import AnyAgent
from remit.errors import BudgetError, DeniedError

FindAgent = Callable[[str], AnyAgent | None]
"""Finds an agent by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolScope(CallLayer):
    """Refuses calls that an agent above does not allow.

    This layer belongs to the entry: a call outside the tool scope is denied and recorded regardless of the attached
    layers.

    Args:
        name: the name of the wrapped callee. find_agent: finds agents by name.
        max_agent_depth: the maximum nesting of agents, if the callee is one.
    """

    name: str = field(repr=False)
    find_agent: FindAgent = field(repr=False)
    max_agent_depth: int | None = None

    def __call__(self, inner: CallService, /) -> CallService:
        """Check the tool scope before ``inner``."""
        return (
            _ToolScope(inner, self)
            if self.max_agent_depth is None
            else _DepthLimited(inner, self, self.max_agent_depth)
        ).__call__

    def __repr__(self) -> str:
        return "ToolScope()" if self.max_agent_depth is None else f"ToolScope(max_agent_depth={self.max_agent_depth})"


class _ToolScope:
    """The service. It is not a coroutine function, which saves a coroutine on the common path."""

    __slots__ = ("_find_agent", "_inner", "_name")

    def __init__(self, inner: CallService, layer: ToolScope) -> None:
        self._inner = inner
        self._find_agent = layer.find_agent
        self._name = layer.name

    def __call__(self, call: Call, /) -> CoroutineType[Any, Any, Reply]:
        tool_scope = call.caller.tool_scope
        if tool_scope is not None and self._name not in tool_scope:
            self._deny(call)
        return self._inner(call)

    def _deny(self, call: Call) -> NoReturn:
        name, path = self._name, call.caller.path
        denying_agents = [each for each in path if _denies(self._find_agent(each), name)]
        if not denying_agents:
            raise DeniedError(f"the call that started this run could not reach {name}, so its runs cannot either")
        call_path = f" (called by {' > '.join(path)})" if len(path) > 1 else ""
        raise DeniedError(
            f"{denying_agents[0]} does not let its calls reach {name}{call_path}; add {name} to its tool_scope"
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
                f"agents are nested {len(path) + 1} deep ({nested}); at most {self._max_agent_depth} may be"
            )
        return super().__call__(call)


def _denies(agent: AnyAgent | None, name: str) -> bool:
    return agent is not None and agent.tool_scope is not None and name not in agent.tool_scope
