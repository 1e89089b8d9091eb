"""Mutants of the figure about the ways to a tool."""

from __future__ import annotations

from typing import Final

from figures.door import measure_in_process
from figures.mutants.mutant import edited, mutants_of

_CONTEXT: Final = "remit.dispatch.context:CallContext"
_DISPATCHER: Final = "remit.dispatch.dispatcher:Dispatcher"

MUTANTS: Final = mutants_of(
    "door.paths_missed",
    {
        "a call of a body runs its callee without layers": edited(
            f"{_CONTEXT}._call_value",
            "reply = await self._make_call(callee, call)",
            "return await callee.run(callee.schema_in.bind(arguments), self)",
        ),
        "the layers of the calling agent do not run": edited(
            f"{_CONTEXT}._make_call",
            "self._dispatch.service(call.caller.agent, callee)",
            'self._dispatch.service("", callee)',
        ),
        "the layers of an agent run outside those of the run": edited(
            f"{_DISPATCHER}._compose", "*scopes.values()", '*map(scopes.get, ("entry", "agent", "run", "tool"))'
        ),
        "a tool scope is not checked": edited(
            "remit.dispatch.tool_scope:_ToolScope.__call__", "if tool_scope is not None and", "if False and"
        ),
        "the permissions of a call below another are not checked": edited(
            "remit.layers.authorize:_Authorize.__call__", "if refused is not None:", "if refused and not caller.call:"
        ),
        "a call below another is not asked about": edited(
            "remit.layers.approve:_Approve.__call__",
            "if call.approvals:",
            "if call.caller.depth > 1:\n        return await self._inner(call)\n    if call.approvals:",
        ),
    },
    measure_in_process,
)
