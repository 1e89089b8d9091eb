"""The Microsoft Agent Framework, with the layers of its own clients.

Instrumentation is on, as by default, and exports nothing: no SDK of OpenTelemetry is installed.
"""

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from agent_framework.observability import ChatTelemetryLayer

from compare.speeds import DONE, INSTRUCTIONS, NAME, PROMPT, Work, encode_arguments, script


@tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return Work.add(a, b)


class ScriptedClient(FunctionInvocationLayer, ChatMiddlewareLayer, ChatTelemetryLayer, BaseChatClient):
    """Answers with what was prepared."""

    answers: Iterator[ChatResponse]

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> Awaitable[ChatResponse]:
        async def get() -> ChatResponse:
            await self._validate_options(options)
            return next(self.answers)

        return get()


class Task:
    """An agent that calls the tool ``wide`` times in each of ``turns`` turns."""

    def __init__(self, turns: int, wide: int) -> None:
        self._script = script(turns, wide)
        self._client = ScriptedClient(function_invocation_configuration={"max_iterations": turns + 1})
        self._agent = Agent(self._client, INSTRUCTIONS, name=NAME, tools=[add])

    def prepare(self) -> None:
        """Make the answers of the next run."""
        turns = [
            [Content.from_function_call(id_, "add", arguments=encode_arguments(each)) for id_, each in turn.items()]
            for turn in self._script
        ]
        messages = [Message("assistant", contents) for contents in [*turns, [DONE]]]
        self._client.answers = iter([ChatResponse(messages=[each]) for each in messages])

    async def run(self) -> str:
        """One run; its answer."""
        return (await self._agent.run(PROMPT)).text

    async def call(self, a: int, b: int) -> None:
        """One call of the tool, validated."""
        await add.invoke(arguments={"a": a, "b": b})
