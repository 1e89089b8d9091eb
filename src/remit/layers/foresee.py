"""Runs a tool's gates before approval, so that no approver is asked about a call that would be refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.callee import Callee
from remit.contracts.gate import Gate, has_passed_gates
from remit.contracts.reply import Reply
from remit.core import Place


class PrecheckGates(CallLayer):
    """Checks the gates of a tool at the place of authorization. The gates around the tool stay.

    They check the call a second time, because the state may change during the wait for approval.
    """

    place = Place.AUTHORIZE

    def __init__(self, tools: Iterable[Callee[..., Any]]) -> None:
        gates = {tool.name: tuple(each for each in tool.layers if isinstance(each, Gate)) for tool in tools}
        self._gates: Mapping[str, tuple[Gate, ...]] = {
            name: tool_gates for name, tool_gates in gates.items() if tool_gates
        }

    def __call__(self, inner: CallService, /) -> CallService:
        """Check the gates before ``inner``."""

        async def check_gates(call: Call, /) -> Reply:
            for gate in () if has_passed_gates(call) else self._gates.get(call.callee.name, ()):
                await gate.check(call)
            return await inner(call)

        return check_gates

    def __repr__(self) -> str:
        return f"PrecheckGates({len(self._gates)} tools)"
