"""What would be refused anyway is refused before a person is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from remit.contracts.call import Call, CallLayer, CallService
from remit.contracts.callee import Callee
from remit.contracts.gate import Gate, has_passed_gates
from remit.contracts.reply import Reply
from remit.core import Place


class PrecheckGates(CallLayer):
    """Asks the gates of a tool as early as permissions are looked at. They stand around the tool as before.

    What changes while a person thinks is seen there: a gate is asked twice.
    """

    place = Place.AUTHORIZE

    def __init__(self, tools: Iterable[Callee[..., Any]]) -> None:
        gates = {tool.name: tuple(each for each in tool.layers if isinstance(each, Gate)) for tool in tools}
        self._gates: Mapping[str, tuple[Gate, ...]] = {
            name: tool_gates for name, tool_gates in gates.items() if tool_gates
        }

    def __call__(self, inner: CallService, /) -> CallService:
        """The service that asks the gates before ``inner``."""

        async def foreseen(call: Call, /) -> Reply:
            for gate in () if has_passed_gates(call) else self._gates.get(call.callee.name, ()):
                await gate.check(call)
            return await inner(call)

        return foreseen

    def __repr__(self) -> str:
        return f"Foresee({len(self._gates)} tools)"
