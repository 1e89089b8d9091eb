"""The built-in agent, as a callee: called with a prompt, it answers with text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from remit.agent.loop import AgentLoop, LoopService
from remit.agent.model import Model, NamedModel
from remit.agent.step import AgentStep
from remit.agent.wire import Wire
from remit.contracts.arguments import Arguments
from remit.contracts.call import AgentLayer, CallLayer, ModelLayer, StepLayer
from remit.contracts.callee import UNKNOWN, Callee, Found, Frame
from remit.contracts.chat import ChatRequest, History, ToolTexts, completion_of, read, text_of, write
from remit.contracts.contract import check_name, definition
from remit.contracts.facts import Effect, Facts
from remit.contracts.items import Message, Mismatch
from remit.contracts.reply import Reply
from remit.contracts.schema import Input, Output
from remit.contracts.step import StepRequest
from remit.core import Stack, compose
from remit.errors import InvalidError, SetupError
from remit.layers.trace import TraceModel


class Prompt(BaseModel):
    """What an agent is asked."""

    model_config = ConfigDict(defer_build=True)

    prompt: str = Field(description="What the agent should do, in plain words", max_length=1 << 20)


@cache
def _prompt() -> Input[Prompt]:
    return Input(Prompt)


@cache
def _text() -> Output[str]:
    return Output(str)


class Agent:
    """Instructions, tools, and the knobs of each request. Immutable: `layer` and `using` give a new agent.

    Args:
        instructions: the one system message.
        tools: what the model may call.
        model: who is asked; None takes the runtime's.
        parallel: how many calls of one reply run at once.
    """

    def __init__(
        self,
        name: str,
        *,
        instructions: str,
        tools: Iterable[Callee[..., Any]] = (),
        model: Model | None = None,
        description: str = "",
        temperature: float | None = None,
        max_tokens: int | None = None,
        max_turns: int = 16,
        parallel: int = 8,
        around: Stack[AgentLayer] | None = None,
    ) -> None:
        self.name = check_name(name)
        self.instructions = instructions
        self.description = description or f"The agent {name}."
        self.tools = tuple(tools)
        self.model = model
        self.facts = Facts(effect=Effect.COMPOSED)
        self.layers: Stack[CallLayer] = Stack()
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.max_turns = max_turns
        self.parallel = parallel
        self.around: Stack[AgentLayer] = around or Stack()
        _refuse_strange(self.name, self.around)
        self._identity = object()
        self._texts = ToolTexts(definition(tool) for tool in self.tools)
        self._system = write({"role": "system", "content": instructions})
        self._service = self._compose(model) if model is not None else None

    def layer(self, layer: AgentLayer | Stack[AgentLayer]) -> Agent:
        """A new agent with ``layer`` around its calls, its model requests or its steps, as the layer's type says."""
        return self._with(around=Stack(layer, self.around), model=self.model)

    def using(self, model: Model) -> Agent:
        """The same agent with another model."""
        same = self._with(around=self.around, model=model)
        same._identity = self._identity
        return same

    @property
    def schema_in(self) -> Input[Prompt]:
        """A prompt."""
        return _prompt()

    @property
    def schema_out(self) -> Output[str]:
        """Text."""
        return _text()

    @property
    def call_layers(self) -> Stack[CallLayer]:
        """Those of its layers that stand around the calls it makes."""
        return Stack(*(layer for layer in self.around if isinstance(layer, CallLayer)))

    def arguments(self, prompt: str) -> Arguments:
        """The arguments that a prompt stands for.

        Raises:
            InvalidError: it is too long, or no text that UTF-8 can hold.
        """
        try:
            return _prompt().arguments(Prompt(prompt=prompt))
        except ValidationError as error:
            raise InvalidError(_prompt().explain(error)) from error

    async def run(self, payload: BaseModel, frame: Frame, /) -> Any:
        """Loop until the agent is done; the reply's content is the last thing it said."""
        if self._service is None:
            raise SetupError(
                f"agent {self.name} has no model; give it one, or list it in the app and give the runtime one"
            )
        chat = ChatRequest(
            agent=frame.id,
            turn=1,
            ledger=frame.ledger,
            history=self._opening(_prompt().check(payload), frame),
            used=_used(_prior(frame)),
            tools=self._texts,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
        )
        run = await self._service(StepRequest(chat=chat, calls=frame))
        if run.final is not None:
            return Reply(run.final.content, "ok", run.final.content)
        return said(run.messages)

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> Found:
        """An agent is driven again; there is nothing to find out."""
        return UNKNOWN

    def _opening(self, payload: Prompt, frame: Frame) -> History:
        """System message, the conversation so far (for the root of a run), and what is asked now."""
        user = write({"role": "user", "content": payload.prompt})
        known = [item for item in frame.ledger.known(frame.id) if isinstance(item, Message)]
        texts: list[str] = []
        for index, text in enumerate((self._system, user)):
            if index < len(known) and not frame.ledger.replaying:
                texts.append(self._kept(known[index], text, frame))
            else:
                frame.ledger.add(Message(call=frame.id, agent=frame.id, text=text))
                texts.append(text)
        return History([texts[0], *_prior(frame), texts[1]])

    def _kept(self, known: Message, today: str, frame: Frame) -> str:
        """On resume the recorded message is kept, and a difference is journaled."""
        if known.text == today:
            return today
        what = read(known.text)["role"]
        if not any(isinstance(i, Mismatch) and i.today == today for i in frame.ledger.known(frame.id)):
            frame.ledger.add(Mismatch(call=frame.id, what=f"{what} message", recorded=known.text, today=today))
        return known.text

    def _compose(self, model: Model) -> LoopService:
        models = [layer for layer in self.around if isinstance(layer, ModelLayer)]
        steps = [layer for layer in self.around if isinstance(layer, StepLayer)]
        traced = TraceModel(model=model.model, vendor=model.vendor) if isinstance(model, NamedModel) else TraceModel()
        asked = compose([traced, *models, Wire()], model)
        return AgentLoop(max_turns=self.max_turns)(compose(steps, AgentStep(model=asked, parallel=self.parallel)))

    def _with(self, *, around: Stack[AgentLayer], model: Model | None) -> Agent:
        return Agent(
            self.name,
            instructions=self.instructions,
            tools=self.tools,
            model=model,
            description=self.description,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            max_turns=self.max_turns,
            parallel=self.parallel,
            around=around,
        )

    def __eq__(self, other: object) -> bool:
        """Whether it is the same agent, or the same before it was given its model."""
        return (
            isinstance(other, Agent)
            and self._identity is other._identity
            and (self.model is other.model or self.model is None or other.model is None)
        )

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"Agent {self.name} ({len(self.tools)} tools)"


def _prior(frame: Frame) -> Sequence[str]:
    """The conversation so far, which the agent at the root of a run goes on with."""
    return () if frame.caller.call else frame.ledger.prior


def _used(texts: Iterable[str]) -> set[str]:
    """The ids by which the calls in wire texts were named."""
    return {wanted.id for text in texts if '"tool_calls"' in text for wanted in completion_of(text).wanted}


def _refuse_strange(name: str, layers: Iterable[object]) -> None:
    for layer in layers:
        if not isinstance(layer, (CallLayer, ModelLayer, StepLayer)):
            raise SetupError(f"agent {name} cannot attach {layer!r}: say where, with its .calls, .models or .steps")


def said(messages: Sequence[str] | History) -> str:
    """The text of the last message."""
    return text_of(read(messages[len(messages) - 1]))
