"""The paying agent with LangChain, checkpointed in SQLite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Unpack, cast

import langchain.agents
from langchain_core.language_models import LanguageModelInput
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from remit import Tool
from remit.adapters.langchain import GovernMiddleware, adopt_tool, offer_tool
from remit.call.facts import FactOptions
from remit.runtime import OpenRun, ToolInfo
from tests.adapters.frameworks.bank import Bank, Step, Turn

THREAD: Any = {"configurable": {"thread_id": "conversation 1"}}


class ScriptedChat(GenericFakeChatModel):
    """LangChain's fake model, which an agent can give tools."""

    def bind_tools(self, tools: Any, **options: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """Return itself: the script knows the tools."""
        return cast("Runnable[LanguageModelInput, AIMessage]", self)


class LangChain:
    """The agent."""

    def __init__(self, bank: Bank, *, offers: bool) -> None:
        self._offers = offers
        self._bank = bank
        self.pay: BaseTool = tool("pay", description="Pay euros to an account.")(bank.pay)

    def adopt(self, **facts: Unpack[FactOptions]) -> Tool[..., Any]:
        """The framework's own tool as a tool of Remit."""
        return adopt_tool(self.pay, **facts)

    async def start(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Run the agent from its first message."""
        return await self._invoke(run, script, tools, {"messages": [HumanMessage("Pay the bakery.")]})

    async def resume(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo]) -> Turn:
        """Continue the agent from its last checkpoint."""
        return await self._invoke(run, script, tools, None)

    async def _invoke(self, run: OpenRun, script: Sequence[Step], tools: Sequence[ToolInfo], given: Any) -> Turn:
        given_tools = [offer_tool(each) for each in tools] if self._offers else [self.pay]
        build: Any = vars(langchain.agents)["create_agent"]  # its type is partially unknown
        model = ScriptedChat(messages=_messages(script))
        async with AsyncSqliteSaver.from_conn_string(str(self._bank.home / "checkpoints.db")) as saver:
            agent = build(model, given_tools, middleware=[GovernMiddleware(run)], checkpointer=saver)
            state = await agent.ainvoke(given, THREAD, durability="sync")
        questions = [each for interrupt in state.get("__interrupt__", ()) for each in interrupt.value["questions"]]
        read = [(each.status, str(each.content)) for each in state["messages"] if isinstance(each, ToolMessage)]
        return Turn(questions, read, "" if questions else state["messages"][-1].content)


def _messages(script: Sequence[Step]) -> Iterator[AIMessage]:
    for step in script:
        if isinstance(step, str):
            yield AIMessage(step)
        else:
            yield AIMessage(
                "", tool_calls=[{"name": each.name, "args": each.arguments, "id": each.id} for each in step]
            )
