"""PydanticAI, which has no call of a tool without an agent. It is not instrumented, as by default."""

from collections.abc import Iterator

from pydantic_ai import Agent, ModelMessage, ModelResponse, RequestUsage, TextPart, ToolCallPart, UsageLimits
from pydantic_ai.models.function import AgentInfo, FunctionModel

from compare.speeds import DONE, INSTRUCTIONS, NAME, PROMPT, Work, encode_arguments, script

USAGE = RequestUsage(input_tokens=10, output_tokens=5)  # else FunctionModel estimates it from all messages


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return Work.add(a, b)


class Task:
    """An agent that calls the tool ``wide`` times in each of ``turns`` turns."""

    _answers: Iterator[ModelResponse]

    def __init__(self, turns: int, wide: int) -> None:
        self._script = script(turns, wide)
        self._agent = Agent(FunctionModel(self._answer), name=NAME, instructions=INSTRUCTIONS, tools=[add])
        self._limits = UsageLimits(request_limit=turns + 1)

    async def _answer(self, _messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
        return next(self._answers)

    def prepare(self) -> None:
        """Make the answers of the next run."""
        turns = [
            [ToolCallPart("add", encode_arguments(each), tool_call_id=call_id) for call_id, each in turn.items()]
            for turn in self._script
        ]
        self._answers = iter([ModelResponse(parts=parts, usage=USAGE) for parts in [*turns, [TextPart(DONE)]]])

    async def run(self) -> str:
        """One run; its answer."""
        return (await self._agent.run(PROMPT, usage_limits=self._limits)).output
