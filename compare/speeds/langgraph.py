"""LangGraph by LangChain's `create_agent`, without a checkpointer; LangSmith is off, as by default."""

from collections.abc import Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.tools import tool
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable

from compare.speeds import DONE, INSTRUCTIONS, NAME, PROMPT, Work, script


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return Work.add(a, b)


class ScriptedModel(BaseChatModel):
    """Answers with what was prepared."""

    answers: Iterator[AIMessage] = iter(())

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable:
        """A model that knows the tools."""
        return self.bind(tools=tools, **kwargs)

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=next(self.answers))])

    async def _agenerate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return self._generate(messages)


class Task:
    """An agent that calls the tool ``wide`` times in each of ``turns`` turns."""

    def __init__(self, turns: int, wide: int) -> None:
        self._script = script(turns, wide)
        self._model = ScriptedModel()
        self._agent = create_agent(self._model, [add], system_prompt=INSTRUCTIONS, name=NAME)

    def prepare(self) -> None:
        """Make the answers of the next run."""
        turns = [[{"name": "add", "args": each, "id": id_} for id_, each in turn.items()] for turn in self._script]
        answers = [AIMessage("", tool_calls=calls) for calls in turns]
        self._model.answers = iter([*answers, AIMessage(DONE)])

    async def run(self) -> str:
        """One run; its answer."""
        result = await self._agent.ainvoke({"messages": [{"role": "user", "content": PROMPT}]})
        return result["messages"][-1].content

    async def call(self, a: int, b: int) -> None:
        """One call of the tool, validated."""
        await add.ainvoke({"a": a, "b": b})
