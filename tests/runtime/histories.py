"""Runs that start from a history of another program: what their model is sent."""

from __future__ import annotations

from string import ascii_lowercase
from typing import Any

from remit import Agent, App, Runtime, tool
from remit.agent import AgentDriver
from remit.messages import ChatRequest, decode_message
from remit.testing import Scripted, superuser
from remit.testing.history_check import history_errors


@tool(effect="pure")
async def look(found: str = "") -> str:
    """Look."""
    return found


def _agree(_request: ChatRequest) -> str:
    return "Yes."


async def send_history(messages: Any, driver: AgentDriver) -> list[dict[str, Any]]:
    """What a model is sent of a given history, which is whole and replayed to the byte.

    Raises:
        RequestError, SetupError: the history is refused.
    """
    model = Scripted([_agree] * 20)
    agent = Agent("clerk", instructions="Help.", tools=[look], model=model, driver=driver)
    runtime = Runtime(App(name="shop", agents=(agent,)))
    result = await runtime.run("Sure?", by=superuser(), messages=messages)
    assert (result.status, result.text) == ("done", "Yes.")
    assert history_errors(await runtime.history(result.run)) == []
    assert (await runtime.replay(result.run)).is_identical
    return _name_calls([{**decode_message(text)} for text in model.requests[0].for_model("test").history][1:-1])


def _name_calls(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with the ids ``a``, ``b``, … for their calls: providers get ids that each of them takes."""
    made = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    names = dict(zip(dict.fromkeys(made), ascii_lowercase, strict=False))
    for message in messages:
        if "tool_calls" in message:
            message["tool_calls"] = [{**call, "id": names[call["id"]]} for call in message["tool_calls"]]
        if "tool_call_id" in message:
            message["tool_call_id"] = names[message["tool_call_id"]]
    return messages
