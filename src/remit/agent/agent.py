"""The built-in agent, as a callee: called with a prompt, it answers with text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from remit.agent.chat_recorder import RecordModel
from remit.agent.handoff import Handoffs, HandoffTool
from remit.agent.loop import AgentLoop, AgentRun, LoopService
from remit.agent.model import Model, NamedModel, ResolveModel, is_same_model
from remit.agent.step import AgentStep
from remit.contracts.arguments import Arguments
from remit.contracts.call import AgentLayer, CallLayer, ModelLayer, StepLayer
from remit.contracts.callee import UNKNOWN, Callee, Frame, ReconcileResult, check_callees
from remit.contracts.chat import (
    ChatRequest,
    Completion,
    History,
    ToolDefinitions,
    completion_from_message,
    decode_message,
    encode_message,
    message_text,
)
from remit.contracts.contract import check_name, tool_definition
from remit.contracts.facts import Effect, Facts
from remit.contracts.items import Message, Mismatch
from remit.contracts.reply import Reply
from remit.contracts.schema import Input, Output
from remit.contracts.step import StepRequest
from remit.core import Stack, compose
from remit.errors import InvalidArgumentsError, NoModelError, SetupError
from remit.layers.trace import TraceModel


class Prompt(BaseModel):
    """What an agent is asked."""

    model_config = ConfigDict(defer_build=True)

    prompt: str = Field(description="What the agent should do, in plain words", max_length=1 << 20)


@cache
def _prompt_input() -> Input[Prompt]:
    return Input(Prompt)


@cache
def _text_output() -> Output[str]:
    return Output(str)


class Agent:
    """Instructions, tools, and the knobs of each request. Immutable: `layer` and `using` give a new agent.

    Args:
        instructions: the one system message.
        tools: what the model may call.
        model: a model, or its name, like ``openai:gpt-5``, which the runtime resolves; None takes the runtime's.
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
        model: Model | str | None = None,
        handoffs: Iterable[Agent | str] = (),
        description: str = "",
        temperature: float | None = None,
        max_tokens: int | None = None,
        max_turns: int = 16,
        parallel: int = 8,
        agent_layers: Stack[AgentLayer] | None = None,
    ) -> None:
        self.name = check_name(name)
        self.instructions = instructions
        self.description = description or f"The agent {name}."
        self.handoffs = tuple(handoffs)
        self._own_tools = check_callees(f"agent {name}: tools", tools)
        self._handoff_tools = tuple(HandoffTool(each if isinstance(each, str) else each.name) for each in self.handoffs)
        self.tools: tuple[Callee[..., Any], ...] = (*self._own_tools, *self._handoff_tools)
        self.model = model
        self.facts = Facts(effect=Effect.COMPOSED)
        self.provider_tools: tuple[str, ...] = ()
        self.tool_scope: frozenset[str] | None = None
        self.permissions: frozenset[str] | None = None
        self.layers: Stack[CallLayer] = Stack()
        self.temperature = temperature
        self.max_tokens = max_tokens
        self.max_turns = max_turns
        self.parallel = parallel
        self.agent_layers: Stack[AgentLayer] = agent_layers or Stack()
        _check_layers(self.name, self.agent_layers)
        _check_handoff_targets(self.name, [tool.target for tool in self._handoff_tools])
        self._peers: Mapping[str, Agent] = {}
        self._identity = object()
        self._resolve_model: ResolveModel | None = None
        self._tool_texts = ToolDefinitions(tool_definition(tool) for tool in self.tools)
        self._system_message = encode_message({"role": "system", "content": instructions})
        self._loop_service = self._build_service(model) if model is not None and not isinstance(model, str) else None

    def layer(self, layer: AgentLayer | Stack[AgentLayer]) -> Agent:
        """A new agent with ``layer`` around its calls, its model requests or its steps, as the layer's type says."""
        return self._replace(agent_layers=Stack(layer, self.agent_layers), model=self.model)

    def with_model(self, model: Model | str) -> Agent:
        """The same agent with another model, or the one of a name."""
        return self.with_peers(self._peers, self._handoff_tools, model, self._resolve_model)

    def with_peers(
        self,
        peers: Mapping[str, Agent],
        handoff_tools: Iterable[HandoffTool],
        model: Model | str | None,
        resolve_model: ResolveModel | None,
    ) -> Agent:
        """The same agent with a model, and with the others of its application, among whom are those it hands over to.

        ``peers`` may be filled later: agents that hand over to one another cannot all be made first. ``handoff_tools``
        are the tools by which it hands over, which say what the others are for. ``resolve_model`` turns the name of a
        model into the model.
        """
        if isinstance(model, str) and resolve_model is not None:
            model = resolve_model(model)
        clone = self._replace(agent_layers=self.agent_layers, model=model)
        clone._identity = self._identity
        clone._resolve_model = resolve_model
        clone._peers = peers
        clone._handoff_tools = tuple(handoff_tools)
        clone.tools = (*clone._own_tools, *clone._handoff_tools)
        clone._tool_texts = ToolDefinitions(tool_definition(tool) for tool in clone.tools)
        return clone

    @property
    def body(self) -> object:
        """What it runs: the same for this agent with another model."""
        return self._identity

    @property
    def schema_in(self) -> Input[Prompt]:
        """A prompt."""
        return _prompt_input()

    @property
    def schema_out(self) -> Output[str]:
        """Text."""
        return _text_output()

    @property
    def call_layers(self) -> Stack[CallLayer]:
        """Those of its layers that stand around the calls it makes."""
        return Stack(*(layer for layer in self.agent_layers if isinstance(layer, CallLayer)))

    def build_arguments(self, prompt: str) -> Arguments:
        """The arguments that a prompt stands for.

        Raises:
            InvalidArgumentsError: it is too long, or no text that UTF-8 can hold.
        """
        try:
            return _prompt_input().dump_arguments(Prompt(prompt=prompt))
        except ValidationError as error:
            raise InvalidArgumentsError(_prompt_input().explain(error)) from error

    async def run(self, payload: BaseModel, frame: Frame, /) -> Any:
        """Loop until the agent is done; the reply's content is the last thing it said, or a final reply's."""
        history = self._build_first_history(_prompt_input().check_payload(payload), frame)
        chat = self._build_request(frame, history, turn=1, used_call_ids=_collect_call_ids(_get_prior_messages(frame)))
        run = await self._run_loop(StepRequest(chat=chat, calls=frame))
        handoff_count = 0
        while run.handoff_target and run.final is None:
            agent, handoff_count = self._peers[run.handoff_target], handoff_count + 1
            history = agent._build_history_after_handoff(run.messages, frame, handoff_count)
            chat = agent._build_request(frame, history, turn=chat.turn + run.turns, used_call_ids=chat.used_call_ids)
            run = await agent._run_loop(StepRequest(chat=chat, calls=frame.hand_over_to(agent)))
        if run.final is not None:
            return Reply(run.final.content, "ok", run.final.content, is_final=True)
        return last_message_text(run.messages)

    async def reconcile(self, _payload: BaseModel, _frame: Frame, /) -> ReconcileResult:
        """An agent is driven again; there is nothing to find out."""
        return UNKNOWN

    async def _run_loop(self, request: StepRequest) -> AgentRun:
        service = self._loop_service or self._build_service(self._raise_no_model)
        return await service(request)

    async def _raise_no_model(self, _request: ChatRequest, /) -> Completion:
        """Stands in for the model that nobody has given: a run that its journal knows needs none."""
        raise NoModelError(f"agent {self.name} has no model; give it one, or give the runtime one")

    def _build_request(self, frame: Frame, history: History, *, turn: int, used_call_ids: set[str]) -> ChatRequest:
        return ChatRequest(
            agent_call_id=frame.id,
            turn=turn,
            ledger=frame.ledger,
            history=history,
            used_call_ids=used_call_ids,
            tools=self._tool_texts,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
        )

    def _build_first_history(self, payload: Prompt, frame: Frame) -> History:
        """System message, the conversation so far (for the root of a run), and what is asked now."""
        user = encode_message({"role": "user", "content": payload.prompt})
        system = self._record_message(frame, 0, self._system_message)
        return History([system, *_get_prior_messages(frame), self._record_message(frame, 1, user)])

    def _build_history_after_handoff(self, messages: History, frame: Frame, handoff_number: int) -> History:
        """The conversation as the agent has it that takes over, by the handoff of that number: its system message."""
        return History([self._record_message(frame, 1 + handoff_number, self._system_message), *list(messages)[1:]])

    def _record_message(self, frame: Frame, index: int, text: str) -> str:
        """The message of that number that the model is told, not by another: recorded, or else written now."""
        recorded_messages = [item for item in frame.ledger.items_for(frame.id) if isinstance(item, Message)]
        if index < len(recorded_messages) and not frame.ledger.is_replaying:
            return self._keep_recorded(recorded_messages[index], text, frame)
        frame.ledger.add(Message(call=frame.id, agent=frame.id, text=text))
        return text

    def _keep_recorded(self, recorded_message: Message, current: str, frame: Frame) -> str:
        """On resume the recorded message is kept, and a difference is journaled."""
        if recorded_message.text == current:
            return current
        what = decode_message(recorded_message.text)["role"]
        if not any(isinstance(i, Mismatch) and i.today == current for i in frame.ledger.items_for(frame.id)):
            frame.ledger.add(
                Mismatch(call=frame.id, what=f"{what} message", recorded=recorded_message.text, today=current)
            )
        return recorded_message.text

    def _build_service(self, model: Model) -> LoopService:
        models = [layer for layer in self.agent_layers if isinstance(layer, ModelLayer)]
        steps = [layer for layer in self.agent_layers if isinstance(layer, StepLayer)]
        traced = TraceModel(model=model.model, vendor=model.vendor) if isinstance(model, NamedModel) else TraceModel()
        model_service = compose([traced, *models, RecordModel()], model)
        handoffs = Handoffs(source=self.name, targets={tool.name: tool.target for tool in self._handoff_tools})
        step = AgentStep(model=model_service, parallel=self.parallel, handoffs=handoffs)
        return AgentLoop(max_turns=self.max_turns)(compose(steps, step))

    def _replace(self, *, agent_layers: Stack[AgentLayer], model: Model | str | None) -> Agent:
        return Agent(
            self.name,
            instructions=self.instructions,
            tools=self._own_tools,
            model=model,
            handoffs=self.handoffs,
            description=self.description,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            max_turns=self.max_turns,
            parallel=self.parallel,
            agent_layers=agent_layers,
        )

    def __eq__(self, other: object) -> bool:
        """Whether it is the same agent, or the same before it was given its model."""
        return (
            isinstance(other, Agent)
            and self._identity is other._identity
            and (is_same_model(self.model, other.model) or self.model is None or other.model is None)
        )

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"Agent {self.name} ({len(self.tools)} tools)"


def _get_prior_messages(frame: Frame) -> Sequence[str]:
    """The conversation so far, which the agent at the root of a run goes on with."""
    return () if frame.caller.call else frame.ledger.prior_messages


def _collect_call_ids(texts: Iterable[str]) -> set[str]:
    """The ids by which the calls in wire texts were named."""
    return {
        wanted.id for text in texts if '"tool_calls"' in text for wanted in completion_from_message(text).tool_calls
    }


def _check_handoff_targets(name: str, targets: Sequence[str]) -> None:
    for target in targets:
        if target == name or targets.count(target) > 1:
            how = "to itself" if target == name else f"to {target} twice"
            raise SetupError(f"agent {name} hands over {how}; name each other agent once")


def _check_layers(name: str, layers: Iterable[object]) -> None:
    for layer in layers:
        if not isinstance(layer, (CallLayer, ModelLayer, StepLayer)):
            raise SetupError(f"agent {name} cannot attach {layer!r}: say where, with its .calls, .models or .steps")


def last_message_text(messages: Sequence[str] | History) -> str:
    """The text of the last message."""
    return message_text(decode_message(messages[len(messages) - 1]))
