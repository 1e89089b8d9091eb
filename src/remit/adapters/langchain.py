"""LangChain agents whose tool calls Remit governs. Needs the extra ``langchain``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Unpack, cast

from pydantic import BaseModel

from remit.adapters.framework_calls import call_tool, describe_pause, is_paused, model_text, refuse_ungoverned
from remit.call.facts import FactOptions
from remit.call.tool import Tool
from remit.client.open_run import OpenRun
from remit.client.tools import ToolInfo
from remit.core.call_checks import check_arguments, check_types
from remit.errors import ContractError
from remit.lazy_exports import require_extra

with require_extra(__name__, "langchain"):
    from langchain.agents.middleware import AgentMiddleware, ToolCallRequest
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.types import Command, interrupt

__all__ = ["GovernMiddleware", "adopt_tool", "offer_tool"]


@check_types
def adopt_tool(tool: BaseTool, **facts: Unpack[FactOptions]) -> Tool[..., Any]:
    """Make a Remit tool of a LangChain tool: its name, description and schema, with its function as the body.

    Raises:
        ContractError: LangChain injects arguments, such as a state, or its schema cannot be a contract.
    """

    async def body(arguments: dict[str, Any]) -> Any:
        return await tool.ainvoke(arguments)

    shown = cast("dict[str, Any] | type[BaseModel]", tool.tool_call_schema)
    if isinstance(shown, dict):
        return Tool.from_schema(tool.name, tool.description, shown, body, **facts)
    taken = cast("type[BaseModel]", tool.get_input_schema())
    if injected := ", ".join(taken.model_fields.keys() - shown.model_fields.keys()):
        why = "which a run of Remit does not have; leave it out"
        raise ContractError(f"{tool.name} takes {injected} from the agent that calls it, {why}")
    return Tool.from_schema(tool.name, tool.description, shown.model_json_schema(), body, **facts)


@check_types
def offer_tool(tool: ToolInfo) -> BaseTool:
    """Make a LangChain tool of a Remit tool, as ``client.tools()`` lists it, for an agent with `GovernMiddleware`."""
    schema = dict(tool.parameters)
    return StructuredTool(name=tool.name, description=tool.description, args_schema=schema, coroutine=refuse_ungoverned)


@check_arguments()
class GovernMiddleware(AgentMiddleware[Any, Any, Any]):
    """Makes each tool call of an agent in an open run: ``create_agent(…, middleware=[GovernMiddleware(run)])``.

    A call that waits interrupts the graph, with the run and its questions. Continue the graph when they are decided in
    Remit, such as with ``agent.ainvoke(None, config)``: what the graph is resumed with decides nothing. The application
    of the run must have a tool of each name, made with `adopt_tool` or otherwise.
    """

    def __init__(self, run: OpenRun) -> None:
        super().__init__()
        self._run = run

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """Make the call in the run; LangGraph repeats it with the same key when it continues."""
        call, key = request.tool_call, _call_key(request)
        name, arguments = call["name"], call["args"]
        while is_paused(result := await call_tool(self._run, name, arguments, key=key)):
            interrupt({"tool_call_id": call["id"], "name": name, "args": arguments, **describe_pause(result)})
        status = "success" if result.status == "done" else "error"
        return ToolMessage(content=model_text(result), name=name, tool_call_id=call["id"], status=status)


def _call_key(request: ToolCallRequest) -> str:
    """The id of a call, and the id of the message that made it: some models give the same ids again."""
    call = request.tool_call["id"] or ""
    state = cast("Mapping[str, Sequence[object]]", request.state)
    for message in reversed(state["messages"]):
        if isinstance(message, AIMessage) and any(each["id"] == call for each in message.tool_calls):
            return f"{call} {message.id}"
    return call
