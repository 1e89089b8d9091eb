"""The OpenAI Agents SDK, which has no call of a tool without an agent. Tracing is off: it would export to OpenAI."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from agents.items import TResponseStreamEvent
from agents.testing import assistant_message, function_call

from compare.speeds import DONE, INSTRUCTIONS, NAME, PROMPT, Work, encode_arguments, script

set_tracing_disabled(True)


@function_tool
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return Work.add(a, b)


class ScriptedModel(Model):
    """Answers with what was prepared. The SDK's own ScriptedModel copies all messages three times a request."""

    answers: Iterator[ModelResponse]

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        """The next answer."""
        return next(self.answers)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[TResponseStreamEvent]:
        """Nothing streams here."""
        raise NotImplementedError


class Task:
    """An agent that calls the tool ``wide`` times in each of ``turns`` turns."""

    def __init__(self, turns: int, wide: int) -> None:
        self._script = script(turns, wide)
        self._model = ScriptedModel()
        self._agent = Agent(NAME, instructions=INSTRUCTIONS, tools=[add], model=self._model)

    def prepare(self) -> None:
        """Make the answers of the next run."""
        turns = [
            [function_call("add", encode_arguments(each), call_id=call_id) for call_id, each in turn.items()]
            for turn in self._script
        ]
        outputs = [*turns, [assistant_message(DONE)]]
        self._model.answers = iter(
            [ModelResponse(output=each, usage=Usage(requests=1), response_id=None) for each in outputs]
        )

    async def run(self) -> str:
        """One run; its answer."""
        return (await Runner.run(self._agent, PROMPT, max_turns=len(self._script) + 1)).final_output
