"""Agents of the OpenAI Agents SDK whose tool calls Remit governs. Needs the extra ``openai-agents``."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import partial
from typing import Any, Unpack

from remit.adapters.framework_calls import (
    call_tool,
    check_declared,
    describe_pause,
    is_denied,
    is_paused,
    model_text,
    refuse_early_approval,
)
from remit.call.callee import LeafContext
from remit.call.facts import FactOptions
from remit.call.tool import Tool
from remit.client.open_run import OpenRun
from remit.client.tools import ToolInfo
from remit.core.call_checks import check_arguments, check_types
from remit.lazy_exports import require_extra
from remit.schemas.jsontext import compact_json

with require_extra(__name__, "openai-agents"):
    from agents import FunctionTool, RunContextWrapper, RunState
    from agents.tool import set_function_tool_failure_error_function
    from agents.tool_context import ToolContext

__all__ = ["GovernedTools", "adopt_tool"]


@check_types
def adopt_tool(tool: FunctionTool, **facts: Unpack[FactOptions]) -> Tool[..., Any]:
    """Make a Remit tool of a function tool: its name, description and schema, with its function as the body.

    The function gets no context of the program. An exception is the error of the call, instead of a text about it.

    Raises:
        ContractError: the tool has an approval, guardrails for its input or a timeout, which Remit would not keep, or
            its schema cannot be a contract.
    """
    _check_declared(tool)
    raising = set_function_tool_failure_error_function(copy(tool), None)

    async def body(ctx: LeafContext, arguments: dict[str, Any]) -> Any:
        text = compact_json(arguments)
        context = ToolContext[Any](None, tool_name=tool.name, tool_call_id=ctx.key, tool_arguments=text)
        return await raising.on_invoke_tool(context, text)

    return Tool.from_schema(tool.name, tool.description, tool.params_json_schema, body, **facts)


@check_arguments()
class GovernedTools:
    """Tools whose calls are made in an open run: ``Agent(…, tools=GovernedTools(run, [pay]).tools)``.

    A call that waits interrupts the run of the agent. `answer` returns its questions and, when they are decided in
    Remit, carries the decisions into the state of the run, with which to continue.

    Args:
        run: the open run. Its application must have a tool of each name, made with `adopt_tool` or otherwise.
        tools: function tools of the SDK, or tools of Remit as ``client.tools()`` lists them.
    """

    def __init__(self, run: OpenRun, tools: Iterable[FunctionTool | ToolInfo]) -> None:
        self._run = run
        self.tools = [_govern(run, each) for each in tools]
        self._names = {each.name for each in self.tools}

    @check_types
    async def answer(self, state: RunState[Any]) -> list[dict[str, Any]]:
        """Approve or reject, in the state, the calls that were decided in Remit.

        Returns, of each call that still waits, its id and name, the run and its questions.
        """
        waiting: list[dict[str, Any]] = []
        for item in state.get_interruptions():
            if item.name not in self._names:
                continue
            result = await call_tool(self._run, item.name, item.arguments or "", key=item.call_id or "")
            if is_paused(result):
                waiting.append({"tool_call_id": item.call_id, "name": item.name, **describe_pause(result)})
            elif is_denied(result):
                state.reject(item, rejection_message=model_text(result))
            else:
                state.approve(item)
        return waiting


def _check_declared(tool: FunctionTool) -> None:
    """Refuse what the SDK would apply only after the call was made, or not at all."""
    check_declared(
        tool.name,
        needs_approval=tool.needs_approval,
        tool_input_guardrails=tool.tool_input_guardrails,
        timeout_seconds=tool.timeout_seconds,
    )


def _govern(run: OpenRun, tool: FunctionTool | ToolInfo) -> FunctionTool:
    invoke, needs_approval = partial(_invoke, run), partial(_is_waiting, run, tool.name)
    if isinstance(tool, ToolInfo):
        schema = dict(tool.parameters)
        governed = FunctionTool(tool.name, tool.description, schema, invoke, strict_json_schema=False)
    else:
        _check_declared(tool)
        governed = copy(tool)
        governed.on_invoke_tool = invoke
    governed.needs_approval = needs_approval
    return governed


async def _is_waiting(run: OpenRun, name: str, _: RunContextWrapper[Any], arguments: dict[str, Any], call: str) -> bool:
    """Make the call, and interrupt the run of the agent if it waits."""
    return is_paused(await call_tool(run, name, arguments, key=call))


async def _invoke(run: OpenRun, context: ToolContext[Any], arguments: str) -> str:
    result = await call_tool(run, context.tool_name, arguments, key=context.tool_call_id)
    if is_paused(result):
        raise refuse_early_approval(result)
    return model_text(result)
