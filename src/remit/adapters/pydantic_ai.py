"""PydanticAI agents whose tool calls Remit governs. Needs the extra ``pydantic-ai``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Unpack, cast

from pydantic import TypeAdapter

from remit.adapters.framework_calls import call_tool, check_declared, describe_pause, is_denied, is_paused, model_text
from remit.call.facts import FactOptions
from remit.call.tool import Tool
from remit.client.open_run import OpenRun
from remit.client.tools import ToolInfo
from remit.core.call_checks import check_arguments, check_types
from remit.errors import ContractError
from remit.lazy_exports import require_extra

with require_extra(__name__, "pydantic-ai"):
    from pydantic_ai import (
        ApprovalRequired,
        RunContext,
        ToolDefinition,
        ToolDenied,
        ToolFailed,
    )
    from pydantic_ai import Tool as FrameworkTool
    from pydantic_ai.messages import ModelResponse
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

__all__ = ["GovernedToolset", "adopt_tool"]

_ANY_ARGUMENTS: Final[Any] = TypeAdapter[Any](Any).validator
"""Passes arguments on as the model wrote them: the run checks them."""


@check_types
def adopt_tool(tool: FrameworkTool[Any], **facts: Unpack[FactOptions]) -> Tool[..., Any]:
    """Make a Remit tool of a PydanticAI tool: its name, description and schema, with its function as the body.

    Raises:
        ContractError: the function takes a `RunContext`, the tool has an approval, a validator, a timeout or a function
            that prepares it, which Remit would not keep, or its schema cannot be a contract.
    """
    if tool.takes_ctx:
        raise ContractError(f"{tool.name} takes a RunContext, which a run of Remit does not have; leave it out")
    check_declared(
        tool.name,
        requires_approval=tool.requires_approval,
        args_validator=tool.args_validator,
        prepare=tool.prepare,
        timeout=tool.timeout,
    )
    function, no_context = tool.function_schema, cast("RunContext[Any]", None)

    async def body(arguments: dict[str, Any]) -> Any:
        return await function.call(function.validator.validate_python(arguments), no_context)

    return Tool.from_schema(tool.name, tool.description or "", function.json_schema, body, **facts)


@check_arguments()
class GovernedToolset(AbstractToolset[Any]):
    """A toolset whose calls are made in an open run: ``Agent(…, toolsets=[GovernedToolset(run, tools)])``.

    A call that waits ends the run of the agent with `DeferredToolRequests`. When its questions are decided in Remit,
    continue with an approval of each request, which only lets the agent ask the run again: without a decision in Remit,
    the call goes on waiting. The run checks all arguments, so PydanticAI does not.

    Args:
        run: the open run.
        tools: the tools to offer, as ``client.tools()`` lists them.
        id: the id of the toolset, unique among those of the agent.
    """

    def __init__(self, run: OpenRun, tools: Iterable[ToolInfo], *, id: str = "remit") -> None:  # noqa: A002 - its name there
        self._run = run
        self._id = id
        definitions = [
            ToolDefinition(name=each.name, description=each.description, parameters_json_schema=dict(each.parameters))
            for each in tools
        ]
        self._tools = {
            each.name: ToolsetTool[Any](toolset=self, tool_def=each, max_retries=0, args_validator=_ANY_ARGUMENTS)
            for each in definitions
        }

    @property
    def id(self) -> str:
        """The id of the toolset."""
        return self._id

    async def get_tools(self, ctx: RunContext[Any]) -> dict[str, ToolsetTool[Any]]:
        """The tools that the agent offers to its model."""
        return self._tools

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]
    ) -> str | ToolDenied:
        """Make the call in the run, and return its result, its denial or its failure to the model."""
        result = await call_tool(self._run, name, tool_args, key=_call_key(ctx))
        if is_paused(result):
            raise ApprovalRequired(describe_pause(result))
        if is_denied(result):
            return ToolDenied(model_text(result))
        if result.status != "done":
            raise ToolFailed(model_text(result))
        return model_text(result)


def _call_key(ctx: RunContext[Any]) -> str:
    """The id of a call, and the time of the response that made it: some models give the same ids again."""
    call = ctx.tool_call_id or ""
    for message in reversed(ctx.messages):
        if isinstance(message, ModelResponse) and any(each.tool_call_id == call for each in message.tool_calls):
            return f"{call} {message.timestamp.isoformat()}"
    return call
