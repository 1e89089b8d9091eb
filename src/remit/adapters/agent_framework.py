"""Agents of the Microsoft Agent Framework whose tool calls Remit governs. Needs the extra ``agent-framework``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final, Unpack

from pydantic import TypeAdapter

from remit.adapters.framework_calls import call_tool, describe_pause, is_paused, model_text, refuse_ungoverned
from remit.call.facts import FactOptions
from remit.call.tool import Tool
from remit.client.open_run import OpenRun
from remit.client.tools import ToolInfo
from remit.core.call_checks import check_arguments, check_types
from remit.errors import RemitError
from remit.lazy_exports import require_extra

with require_extra(__name__, "agent-framework"):
    from agent_framework import (
        Content,
        FunctionInvocationContext,
        FunctionMiddleware,
        FunctionTool,
        MiddlewareFailure,
    )

__all__ = ["GovernMiddleware", "adopt_tool", "offer_tool"]

_ARGUMENTS: Final = TypeAdapter[Any](Any)


@check_types
def adopt_tool(tool: FunctionTool, **facts: Unpack[FactOptions]) -> Tool[..., Any]:
    """Make a Remit tool of a function tool: its name, description and schema, with its function as the body.

    Raises:
        ContractError: its schema cannot be a contract.
    """

    async def body(arguments: dict[str, Any]) -> Any:
        return await tool.invoke(arguments=arguments, skip_parsing=True)

    return Tool.from_schema(tool.name, tool.description, tool.parameters(), body, **facts)


@check_types
def offer_tool(tool: ToolInfo) -> FunctionTool:
    """Make a function tool of a Remit tool, as ``client.tools()`` lists it, for an agent with `GovernMiddleware`."""
    schema = dict(tool.parameters)
    return FunctionTool(name=tool.name, description=tool.description, func=refuse_ungoverned, input_model=schema)


@check_arguments()
class GovernMiddleware(FunctionMiddleware):
    """Makes each tool call of an agent in an open run: ``Agent(…, middleware=[GovernMiddleware(run)])``.

    A call that waits returns as a request for an approval. When its questions are decided in Remit, answer the request
    with ``request.to_function_approval_response(approved=True)``, which only lets the agent ask the run again: without
    a decision in Remit, the call goes on waiting. The application of the run must have a tool of each name.
    """

    def __init__(self, run: OpenRun) -> None:
        self._run = run

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Make the call in the run; the framework repeats it with the same key when a person has answered."""
        name, arguments = context.function.name, _ARGUMENTS.dump_python(context.arguments, mode="json")
        occurrence = context.metadata.get("function_call_occurrence_id") or context.metadata["call_id"]
        try:
            result = await call_tool(self._run, name, arguments, key=occurrence)
        except RemitError as error:  # of the run, not of the call: the agent cannot go on
            raise MiddlewareFailure(str(error)) from error
        context.result = model_text(result)
        if is_paused(result):
            call = Content.from_function_call(context.metadata["call_id"], name, arguments=arguments, id=occurrence)
            context.result = Content.from_function_approval_request(
                occurrence, call, additional_properties=describe_pause(result)
            )
