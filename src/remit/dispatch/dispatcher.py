"""The dispatcher: checks the layers around each callee, builds them once, and makes every call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from types import CoroutineType
from typing import Any

from remit.call.call import Call, CallLayer, CallService
from remit.call.callee import AgentLike
from remit.call.facts import Effect
from remit.call.gate import is_outcome_unknown
from remit.call.guard import compose_calls
from remit.call.redact import Redaction, redact_error
from remit.call.reply import Reply
from remit.core import Stack
from remit.core.protocols import implements
from remit.dispatch.attempts import LateAttempt
from remit.dispatch.base import Base
from remit.dispatch.chosen_names import find_unknown_names
from remit.dispatch.registry import AnyAgent, AnyCallee, MissingCallee, Registry
from remit.dispatch.scopes import Scopes
from remit.errors import CallError, DeadlineError, SetupError, UnknownToolError
from remit.layers.approve import Approve
from remit.layers.redact import Redact
from remit.record.arguments import Limits
from remit.record.items import DecisionItem, QuestionClosed, QuestionItem
from remit.record.principal import Caller


class Dispatcher:
    """Composes layers: the entry is outermost, followed by the layers of run, agent and tool, and the base.

    Args:
        run_layers: the layers of the runtime.
        callees: everything that the application lists.
        root_agent: the agent in whose name external calls are made, if any.

    Raises:
        LayerOrderError: the layers around a callee break an order rule, within a scope or across scopes.
        NameTakenError: two callees have the same name.
        SetupError: a layer or rule names a tool or agent whose calls it never sees.
    """

    def __init__(self, run_layers: Stack[CallLayer], callees: Registry, limits: Limits, root_agent: str = "") -> None:
        self.limits = limits
        self._callees = callees
        self._agents: dict[str, AnyAgent] = {each.name: each for each in callees if implements(each, AgentLike)}
        self._agent_registries = {name: Registry(agent.tools) for name, agent in self._agents.items()}
        self._scopes = Scopes(run_layers, self._agents, limits)
        self._services: dict[tuple[str, int], CallService] = {}
        self.late_attempts: dict[tuple[str, str], LateAttempt] = {}
        callees.check_steps()
        registries = (callees, callees.programs, *self._agent_registries.values())
        self._offered = {id(each): each for registry in registries for each in registry}
        for problem in find_unknown_names(run_layers, self._offered.values()):
            raise SetupError(problem)
        self._check_layers(root_agent)

    @property
    def agent_names(self) -> Iterator[str]:
        """The names of all agents."""
        return iter(self._agents)

    def find(self, name: str) -> AnyCallee | None:
        """The listed callee with that name, or None."""
        return self._callees.find(name)

    def policy_versions(self, tool: str) -> set[str]:
        """The versions of the policies that apply to a listed callee, for any caller."""
        callee = self._callees.get_or_missing(tool)
        stacks = [self.layers(agent, callee) for agent in (*self.agent_names, "")]
        return {layer.policy.version for stack in stacks for layer in stack if isinstance(layer, Approve)}

    def service(self, agent: str, callee: AnyCallee) -> CallService:
        """The layers around ``callee`` for calls made as ``agent``.

        They are composed once for registered callees, and on each call for objects derived from these. Layers that
        application code composes are composed with the dispatcher, which reveals their defects early; others are
        composed for the first call.
        """
        service = self._services.get((agent, id(callee)))
        if service is None:
            service = self._compose(agent, callee)
            if id(callee) in self._offered:
                self._services[agent, id(callee)] = service
        return service

    def open_service(self, root: AnyCallee) -> CallService:
        """The service of an open run's own body. Policies judge not the body but each of its calls."""
        return compose_calls(self._scopes.recording, Base(root, self).__call__)

    def refuse(self, error: CallError) -> CallService:
        """The service that records calls and answers them with ``error``."""
        return compose_calls(self._scopes.recording, _refusal(error))

    def caller_below(self, callee: AnyCallee, call: Call) -> Caller:
        """The caller for calls by the body of ``callee``: the agent if it is one, or else the caller of ``call``."""
        caller = call.caller.enter_call(call.id)
        agent = self._agents.get(callee.name)
        return caller if agent is None else caller.enter_agent(agent.name, agent.tool_scope, agent.permissions)

    def resolve_for_model(self, caller: Caller, name: str) -> AnyCallee:
        """Resolve a name written by the calling agent's model, which can call only the agent's own tools.

        A registered callee outside the tool scope is returned too, so that its call is denied rather than unknown.
        """
        is_denied = caller.tool_scope is not None and name not in caller.tool_scope
        return (self.find(name) if is_denied else None) or self._registry_of(caller).get_or_missing(name)

    def resolve_for_code(self, caller: Caller, name: str) -> AnyCallee:
        """Resolve a name in Python code: a tool of the calling agent, or a name in its tool scope.

        Without a calling agent, all names of the application resolve.
        """
        is_open = not caller.path or self._is_allowed_or_denied(caller, name)
        return (self.find(name) if is_open else None) or self._registry_of(caller).get_or_missing(name)

    def resolve_alias(self, caller: Caller, alias: str) -> AnyCallee:
        """Resolve an attribute of ``ctx.tools``; see `resolve_for_code`."""
        name = self._registry_of(caller).canonical_name(alias) or self._callees.canonical_name(alias)
        return self.resolve_for_code(caller, name or alias)

    def layers(self, agent: str, callee: AnyCallee) -> Stack[CallLayer]:
        """The layers around ``callee`` for calls made as ``agent``, outermost first."""
        return Stack[CallLayer](*self._scopes.choose(agent, callee).values())

    def draw_layers(self, agent: str, callee: AnyCallee) -> str:
        """The layers around ``callee`` as a drawing, outermost first."""
        scopes = self._scopes.choose(agent, callee)
        lines = [f"{scope.upper():<6} {_format_row(layers.layers)}" for scope, layers in scopes.items()]
        return "\n".join([*lines, f"{'BASE':<6} seal · effect · {callee.name} · check · end"])

    def _registry_of(self, caller: Caller) -> Registry:
        return self._agent_registries.get(caller.agent, self._callees)

    def _is_allowed_or_denied(self, caller: Caller, name: str) -> bool:
        """Whether the agent's tool scope includes ``name``, or an agent above denies it."""
        agent = self._agents.get(caller.agent)
        is_allowed = agent is not None and agent.tool_scope is not None and name in agent.tool_scope
        return is_allowed or (caller.tool_scope is not None and name not in caller.tool_scope)

    def _check_layers(self, root_agent: str) -> None:
        """Check the order of the layers around all callees, and compose those that application code composes."""
        names = dict.fromkeys((root_agent, *self._agents))
        nothing = MissingCallee("", ())
        pairs = chain(
            self._scopes.check_all([""], self._agents.values()),
            self._scopes.check_all(names, [nothing, *self._offered.values()]),
        )
        for agent, callee in pairs:
            if callee is not nothing:
                self.service(agent, callee)

    def _compose(self, agent: str, callee: AnyCallee) -> CallService:
        """Compose the layers around a callee. Unregistered objects get only the record layer, which refuses them."""
        try:
            body = callee if isinstance(callee, MissingCallee) else self._callees.resolve(callee)
        except UnknownToolError as error:
            return self.refuse(error)
        scopes = self._scopes.choose(agent, callee)
        self._scopes.check(agent, callee, scopes)
        base = Base(body, self)
        layers = Stack[CallLayer](*scopes.values()).layers[len(self._scopes.recording.layers) :]
        if isinstance(body, MissingCallee):
            layers = tuple(each for each in layers if not isinstance(each, Approve))
            service = compose_calls(layers, _refuse_asked(base.__call__, body))
        else:
            service = compose_calls(layers, base.__call__)
        if body.facts.effect is Effect.UNSAFE:
            service = _settle_refused(service, base)
        redactions = tuple(each.redaction for each in reversed(layers) if isinstance(each, Redact))
        if redactions:
            service = _redact_from_start(service, redactions)
        return compose_calls(self._scopes.recording, service)


def _redact_from_start(inner: CallService, redactions: tuple[Redaction, ...]) -> CallService:
    """Tell layers outside a tool's `Redact` layers, such as `Validate`, what to remove."""

    def call_redacted(call: Call, /) -> CoroutineType[Any, Any, Reply]:
        return inner(call.replace(redactions=redactions))

    return call_redacted


def _refuse_asked(inner: CallService, missing: MissingCallee) -> CallService:
    """Refuse a call that a person was asked about if its callee is gone, because no answer could have it made."""

    async def refuse_or_call(call: Call, /) -> Reply:
        items = call.ledger.items_for(call.id)
        asked = [item.question for item in items if isinstance(item, QuestionItem)]
        if not asked:
            return await inner(call)
        settled = {item.question for item in items if isinstance(item, (DecisionItem, QuestionClosed))}
        for question in asked:
            if question not in settled:
                call.ledger.add(QuestionClosed(call=call.id, question=question))
        raise redact_error(missing.error, call.redactions)

    return refuse_or_call


def _settle_refused(inner: CallService, base: Base) -> CallService:
    """Settle a started call that the layers refuse, before the refusal is recorded."""

    async def call_or_settle(call: Call, /) -> Reply:
        try:
            return await inner(call)
        except DeadlineError:
            raise
        except CallError:
            if not is_outcome_unknown(call.callee, call.ledger.items_for(call.id)):
                raise
        reply = await base.settle_refused(call)
        return await inner(call) if reply is None else reply

    return call_or_settle


def _refusal(error: CallError) -> CallService:
    async def refuse(_call: Call, /) -> Reply:
        raise error

    return refuse


def _format_row(layers: Sequence[CallLayer]) -> str:
    return " · ".join(repr(layer) for layer in layers) or "-"
