"""Remit with its default layers and a journal in memory."""

from collections.abc import Iterator

from compare.speeds import DONE, INSTRUCTIONS, NAME, PROMPT, Work, encode_arguments, script
from remit import Agent, App, Effect, Principal, Runtime, tool
from remit.agent import AgentLimits
from remit.messages import ChatRequest, Completion, completion_from_message, encode_message
from remit.testing import calls

ada = Principal("ada", permissions=frozenset({"numbers:add"}))


@tool(effect=Effect.PURE, permissions={"numbers:add"})
async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return Work.add(a, b)


class ScriptedModel:
    """Answers with what was prepared."""

    answers: Iterator[Completion]

    async def __call__(self, _request: ChatRequest, /) -> Completion:
        """The next answer."""
        return next(self.answers)


class Task:
    """An agent that calls the tool ``wide`` times in each of ``turns`` turns."""

    def __init__(self, turns: int, wide: int) -> None:
        self._script = script(turns, wide)
        self._model = ScriptedModel()
        limits = AgentLimits(turns=turns + 1)
        agent = Agent(NAME, instructions=INSTRUCTIONS, tools=[add], model=self._model, limits=limits, parallel=50)
        self._runtime = Runtime(App(name="speed", agents=[agent]))

    def prepare(self) -> None:
        """Make the answers of the next run."""
        messages = [
            {"role": "assistant", **calls(*(("add", encode_arguments(each)) for each in turn.values()))}
            for turn in self._script
        ]
        for message, turn in zip(messages, self._script, strict=True):
            for call, call_id in zip(message["tool_calls"], turn, strict=True):
                call["id"] = call_id
        texts = [encode_message(each) for each in [*messages, {"role": "assistant", "content": DONE}]]
        self._model.answers = iter([completion_from_message(text) for text in texts])

    async def run(self) -> str:
        """One run; its answer."""
        return (await self._runtime.run(PROMPT, by=ada)).value()

    async def call(self, a: int, b: int) -> None:
        """One governed call: a run of its own, authorised, validated, within the budget and in the journal."""
        (await self._runtime.call(add, ada, a, b)).value()
