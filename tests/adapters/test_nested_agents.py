"""A call of an agent inside another one pauses both, in the frameworks whose approvals rise, and is made once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import langchain.agents
import pytest
from agents import Agent, Runner, RunState
from agents.testing import ScriptedModel, assistant_message, function_call
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from remit.adapters.langchain import GovernMiddleware
from tests.adapters.frameworks.bank import ADA, Bank, Process
from tests.adapters.frameworks.with_langchain import THREAD, LangChain, ScriptedChat
from tests.adapters.frameworks.with_openai_agents import UNTRACED, OpenAIAgents
from tests.adapters.test_frameworks import REST, SCRIPT


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return Bank(tmp_path)


async def test_an_agent_of_openai_agents_as_a_tool(bank: Bank) -> None:
    clerk = OpenAIAgents(bank, offers=False)
    here = Process(bank, clerk, 0, risk="high")
    async with here.open_run() as run:
        tools = await here.runtime.client(ADA).tools()
        inner, governed = clerk.build(run, SCRIPT, tools)
        lead = _lead(inner, [[function_call("clerk", {"input": "Pay."}, call_id="outer")]])
        state = (await Runner.run(lead, "Pay the bakery.", run_config=UNTRACED)).to_state()
        (waiting,) = await governed.answer(state)
        assert waiting["name"] == "pay"
        await here.decide(approved=True)
        inner, governed = clerk.build(run, REST, tools)
        lead = _lead(inner, [])
        loaded = await RunState.from_string(lead, state.to_string())
        assert await governed.answer(loaded) == []
        result = await Runner.run(lead, loaded, run_config=UNTRACED)
    assert (result.final_output, bank.payments) == ("All done.", ["bakery 40"])


def _lead(inner: Agent[Any], steps: list[Any]) -> Agent[Any]:
    model = ScriptedModel([*steps, [assistant_message("All done.")]])
    return Agent("lead", tools=[inner.as_tool("clerk", "Pays.")], model=model)


async def test_an_agent_of_langchain_that_a_tool_runs(bank: Bank) -> None:
    clerk = LangChain(bank, offers=False)
    here = Process(bank, clerk, 0, risk="high")
    build: Any = vars(langchain.agents)["create_agent"]  # its type is partially unknown
    async with here.open_run() as run:
        model = ScriptedChat(messages=iter([_call("pay", account="bakery", euros=40), AIMessage("Paid.")]))
        inner = build(model, [clerk.pay], middleware=[GovernMiddleware(run)])

        @tool
        async def ask_clerk(task: str) -> str:
            """Ask the clerk."""
            return str((await inner.ainvoke({"messages": [HumanMessage(task)]}))["messages"][-1].content)

        lead_model = ScriptedChat(messages=iter([_call("ask_clerk", task="Pay."), AIMessage("All done.")]))
        lead = build(lead_model, [ask_clerk], checkpointer=InMemorySaver())
        state = await lead.ainvoke({"messages": [HumanMessage("Pay the bakery.")]}, THREAD)
        (interrupt,) = state["__interrupt__"]
        assert interrupt.value["name"] == "pay"
        await here.decide(approved=True)
        state = await lead.ainvoke(None, THREAD)
    assert (state["messages"][-1].content, bank.payments) == ("All done.", ["bakery 40"])


def _call(name: str, **arguments: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": arguments, "id": f"call of {name}"}])
