"""The built-in agent, as a callee: called with a prompt, it answers with text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from remit.agent.handoff import Handoffs, HandoffTool
from remit.agent.loop import AgentLoop, AgentRun, LoopService
from remit.agent.model import Model, NamedModel
from remit.agent.step import AgentStep
from remit.agent.wire import Wire
from remit.contracts.arguments import Arguments
from remit.contracts.call import AgentLayer, CallLayer, ModelLayer, StepLayer
from remit.contracts.callee import UNKNOWN, Callee, Found, Frame
from remit.contracts.chat import ChatRequest, Completion, History, ToolTexts, completion_of, read, text_of, write
from remit.contracts.contract import check_name, definition
from remit.contracts.facts import Effect, Facts
from remit.contracts.items import Message, Mismatch
from remit.contracts.reply import Reply
from remit.contracts.schema import Input, Output
from remit.contracts.step import StepRequest
from remit.core import Stack, compose
from remit.errors import InvalidError, NoModelError, SetupError
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
        handoffs: the agents that may go on in its place, or their names, which the runtime resolves.
        parallel: how many calls of one reply run at once.
        max_turns: how often the model is asked, each time that the agent has the conversation.

    Raises:
        SetupError: a layer says not where it stands, or the agent hands over to itself, or twice to one.
    """

    def __init__(
        self,
        name: str,
        *,
        instructions: str,
        tools: Iterable[Callee[..., Any]] = (),
        model: Model | None = None,
        handoffs: Iterable[Agent | str] = (),
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
        self.handoffs = tuple(handoffs)
        self._given = tuple(tools)
        self._handing = tuple(HandoffTool(each if isinstance(each, str) else each.name) for each in self.handoffs)
        self.tools: tuple[Callee[..., Any], ...] = (*self._given, *self._handing)
        self.model = model
        self.facts = Facts(effect=Effect.COMPOSED)
        self.provider_tools: tuple[str, ...] = ()
        self.reach: frozenset[str] | None = None
        self.permissions: frozenset[str] | None = None
        self.layers: Stack[CallLayer] = Stack()
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.max_turns = max_turns
        self.parallel = parallel
        self.around: Stack[AgentLayer] = around or Stack()
        _refuse_strange(self.name, self.around)
        _refuse_circling(self.name, [tool.target for tool in self._handing])
        self._peers: Mapping[str, Agent] = {}
        self._identity = object()
        self._texts = ToolTexts(definition(tool) for tool in self.tools)
        self._system = write({"role": "system", "content": instructions})
        self._service = self._compose(model) if model is not None else None

    def layer(self, layer: AgentLayer | Stack[AgentLayer]) -> Agent:
        """A new agent with ``layer`` around its calls, its model requests or its steps, as the layer's type says."""
        return self._with(around=Stack(layer, self.around), model=self.model)

    def using(self, model: Model) -> Agent:
        """The same agent with another model."""
        return self.among(self._peers, self._handing, model)

    def among(self, peers: Mapping[str, Agent], handing: Iterable[HandoffTool], model: Model | None) -> Agent:
        """The same agent with a model, and with the others of its application, among whom are those it hands over to.

        ``peers`` may be filled later: agents that hand over to one another cannot all be made first. ``handing`` are
        the tools by which it hands over, which say what the others are for.
        """
        same = self._with(around=self.around, model=model)
        same._identity = self._identity
        same._peers = peers
        same._handing = tuple(handing)
        same.tools = (*same._given, *same._handing)
        same._texts = ToolTexts(definition(tool) for tool in same.tools)
        return same

    @property
    def body(self) -> object:
        """What it runs: the same for this agent with another model."""
        return self._identity

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
        """Loop until the agent is done; the reply's content is the last thing it said, or a final reply's."""
        history = self._opening(_prompt().check(payload), frame)
        chat = self._request(frame, history, turn=1, used=_used(_prior(frame)))
        run = await self._looped(StepRequest(chat=chat, calls=frame))
        handed = 0
        while run.to and run.final is None:
            agent, handed = self._peers[run.to], handed + 1
            history = agent._taking_over(run.messages, frame, handed)
            chat = agent._request(frame, history, turn=chat.turn + run.turns, used=chat.used)
            run = await agent._looped(StepRequest(chat=chat, calls=frame.handed_to(agent)))
        if run.final is not None:
            return Reply(run.final.content, "ok", run.final.content, ends=True)
        return said(run.messages)

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> Found:
        """An agent is driven again; there is nothing to find out."""
        return UNKNOWN

    async def _looped(self, request: StepRequest) -> AgentRun:
        service = self._service or self._compose(self._no_model)
        return await service(request)

    async def _no_model(self, _request: ChatRequest, /) -> Completion:
        """Stands in for the model that nobody has given: a run that its journal knows needs none."""
        raise NoModelError(f"agent {self.name} has no model; give it one, or give the runtime one")

    def _request(self, frame: Frame, history: History, *, turn: int, used: set[str]) -> ChatRequest:
        return ChatRequest(
            agent=frame.id,
            turn=turn,
            ledger=frame.ledger,
            history=history,
            used=used,
            tools=self._texts,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
        )

    def _opening(self, payload: Prompt, frame: Frame) -> History:
        """System message, the conversation so far (for the root of a run), and what is asked now."""
        user = write({"role": "user", "content": payload.prompt})
        system = self._told(frame, 0, self._system)
        return History([system, *_prior(frame), self._told(frame, 1, user)])

    def _taking_over(self, messages: History, frame: Frame, handed: int) -> History:
        """The conversation as the agent has it that takes over, by the handoff of that number: its system message."""
        return History([self._told(frame, 1 + handed, self._system), *list(messages)[1:]])

    def _told(self, frame: Frame, index: int, text: str) -> str:
        """The message of that number that the model is told, not by another: recorded, or else written now."""
        known = [item for item in frame.ledger.known(frame.id) if isinstance(item, Message)]
        if index < len(known) and not frame.ledger.replaying:
            return self._kept(known[index], text, frame)
        frame.ledger.add(Message(call=frame.id, agent=frame.id, text=text))
        return text

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
        handoffs = Handoffs(source=self.name, targets={tool.name: tool.target for tool in self._handing})
        step = AgentStep(model=asked, parallel=self.parallel, handoffs=handoffs)
        return AgentLoop(max_turns=self.max_turns)(compose(steps, step))

    def _with(self, *, around: Stack[AgentLayer], model: Model | None) -> Agent:
        return Agent(
            self.name,
            instructions=self.instructions,
            tools=self._given,
            model=model,
            handoffs=self.handoffs,
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


def _refuse_circling(name: str, targets: Sequence[str]) -> None:
    for target in targets:
        if target == name or targets.count(target) > 1:
            how = "to itself" if target == name else f"to {target} twice"
            raise SetupError(f"agent {name} hands over {how}; name each other agent once")


def _refuse_strange(name: str, layers: Iterable[object]) -> None:
    for layer in layers:
        if not isinstance(layer, (CallLayer, ModelLayer, StepLayer)):
            raise SetupError(f"agent {name} cannot attach {layer!r}: say where, with its .calls, .models or .steps")


def said(messages: Sequence[str] | History) -> str:
    """The text of the last message."""
    return text_of(read(messages[len(messages) - 1]))
