"""The port to drivers, which run an agent's model: the native loop or PydanticAI (`remit.workers`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Protocol, cast

from msgspec import Struct, field

from remit.agent.attachments import Attachment
from remit.agent.call_by_name import CALL_TOOL_DEFINITION
from remit.agent.definition import AgentDefinition
from remit.agent.found_as_text import are_text, record_as_text
from remit.agent.handoff import Handoffs, HandoffTool
from remit.agent.loop import AgentRun
from remit.agent.model import AnyModel
from remit.agent.tool_search import CALL_TOOL, SEARCH_TOOL, SearchTools, ToolSearch, may_call, names_found
from remit.call.callee import AgentLike, Callee, Frame, check_callees
from remit.call.classification import Visibility
from remit.call.contract import tool_definition
from remit.call.facts import Facts
from remit.call.gate import why_closed
from remit.chat.chat import ChatRequest, History, ToolDefinitions
from remit.core import Service
from remit.core.protocols import implements
from remit.errors import NameTakenError, SetupError
from remit.journal.codec import RESULT_TOOL
from remit.layers.authorize import why_hidden
from remit.record.estimate import estimate_tokens
from remit.record.items import Note
from remit.record.ledger import Ledger
from remit.schemas.jsontext import compact_json

AnyCallee = Callee[..., Any]
_WITHHELD: Final = "tools withheld from"
_DEFINITIONS_SHARE: Final = 0.3
"""The share of a model's window that the definitions of its tools may take if they are found by a search."""
_MAX_KEPT: Final = 256
"""The most lists of definitions that are cached, one per sequence of found tools."""


class LazyTools(Struct, frozen=True):
    """``count`` tools that ``resolve`` returns on first use, so that agents can call one another."""

    resolve: Callable[[], Iterable[AnyCallee]]
    count: int


ToolSource = Iterable[AnyCallee] | LazyTools


class AgentTools:
    """The callees that an agent's model may call, in the order in which it sees them."""

    def __init__(
        self, agent: str, own: OwnTools, handoff_tools: Iterable[HandoffTool], search: ToolSearch | None = None
    ) -> None:
        self.handoff_tools = tuple(handoff_tools)
        self._agent = agent
        self._search = search if search is not None and own.count > search.above else None
        self.handoffs = Handoffs(source=agent, targets={tool.name: tool.hands_over_to for tool in self.handoff_tools})
        self._own = own

    @cached_property
    def callees(self) -> tuple[AnyCallee, ...]:
        """The agent's tools, the one that searches them if there is one, and its handoff tools."""
        search = () if self._search is None else (SearchTools(self._own.callees, self._search, self._agent),)
        return (*self._own.callees, *search, *self.handoff_tools)

    @cached_property
    def _visible(self) -> tuple[AnyCallee, ...]:
        """The callees that a model may see: only code can call internal ones."""
        return tuple(each for each in self.callees if each.facts.visibility is not Visibility.INTERNAL)

    @cached_property
    def _may_hide(self) -> bool:
        """Whether some of its tools are hidden from all principals, or from principals without a permission."""
        return any(each.facts.visibility is Visibility.EXPERIMENTAL or why_closed(each) for each in self._visible)

    @property
    def is_searched(self) -> bool:
        """Whether the model sees only those tools that it has found."""
        return self._search is not None

    @property
    def are_called_by_name(self) -> bool:
        """Whether the model may call found tools with one tool, which takes their names."""
        is_taken = CALL_TOOL in (each.name for each in self._own.callees)
        return self._search is not None and self._search.as_text is not False and not is_taken

    def record_offer(self, task: AgentTask, permissions: frozenset[str] | None, model: AnyModel) -> None:
        """Record whether found tools are text, and which tools the agent's principal may not call or see.

        The record makes a replay offer the same tools. Another principal may have found a tool earlier in the
        conversation, or the model may guess its name. Without a search, tools that lack a permission are shown, because
        a refusal names the permission.
        """
        ledger, call = task.frame.ledger, task.frame.id
        if self._search is None and not self._may_hide:
            return
        if ledger.execution.is_replaying or ledger.items_for(f"{call}:{task.first_turn}"):
            return
        if self._search is not None and self._search.as_text is None and self.are_called_by_name:
            record_as_text(ledger, call, self._agent, model)
        caller = task.frame.caller.enter_agent(self._agent, None, permissions)
        if self._search is None:
            withheld = sorted(each.name for each in self._visible if why_hidden(each, caller.principal) is not None)
        else:
            withheld = sorted(each.name for each in self._visible if not may_call(caller, each))
        if withheld and not self._list_withheld(ledger, call):
            ledger.add(Note(call=call, name=f"{_WITHHELD} {self._agent}", data=compact_json(withheld)))

    def _list_withheld(self, ledger: Ledger, call: str) -> list[str]:
        name = f"{_WITHHELD} {self._agent}"
        for each in ledger.items_for(call):
            if isinstance(each, Note) and each.name == name:
                return cast("list[str]", json.loads(each.data))
        return []

    def without_withheld(self, definitions: ToolDefinitions, ledger: Ledger, call: str) -> ToolDefinitions:
        """Remove the definitions that the agent's principal may not see, if tools are not searched."""
        withheld = self._list_withheld(ledger, call) if self._search is None else []
        if not withheld:
            return definitions
        return ToolDefinitions(
            each for each in json.loads(definitions.text) if each["function"]["name"] not in withheld
        )

    def names_offered(self, found: Mapping[str, int], ledger: Ledger, call: str, window: int | None) -> list[str]:
        """The names of the callees that the model sees in a call of the agent.

        The callees that are always shown come first, then ``found`` in its order, without withheld tools. If the
        model's ``window`` is small, only the most recently found or called tools that fit are kept.
        """
        known = [each.name for each in self._visible]
        if self._search is None:
            return known
        fixed = [SEARCH_TOOL, *self._search.always, *(each.name for each in self.handoff_tools)]
        withheld = self._list_withheld(ledger, call)
        if are_text(ledger, call, self._agent, self._search.as_text):
            return [name for name in fixed if name in known and name not in withheld]
        added = {name: last for name, last in found.items() if name in known and name not in (*fixed, *withheld)}
        if window is not None:
            added = self._keep_newest(added, window * _DEFINITIONS_SHARE - self._size(fixed))
        return [name for name in dict.fromkeys([*fixed, *added]) if name in known and name not in withheld]

    def _keep_newest(self, added: Mapping[str, int], room: float) -> dict[str, int]:
        """The most recently found or called tools whose definitions fit into ``room`` tokens; at least one."""
        kept = set[str]()
        for name in sorted(added, key=lambda name: -added[name]):  # of one search, the best first
            room -= self._size([name])
            if kept and room < 0:
                break
            kept.add(name)
        return {name: last for name, last in added.items() if name in kept}

    def _size(self, names: Iterable[str]) -> int:
        """The estimated tokens of the definitions of tools."""
        return sum(self._sizes[name] for name in names)

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        return {each.name: estimate_tokens([compact_json(tool_definition(each))], "") for each in self.callees}

    def definitions_after(
        self, chat: ChatRequest, window: int | None, *, fixed: Sequence[Mapping[str, Any]] = ()
    ) -> ToolDefinitions:
        """``fixed``, then the definitions of the tools that the model sees. The list grows only at its end.

        See `names_offered` for the ``window`` of the model.
        """
        ledger, call = chat.ledger, chat.agent_call_id
        names = tuple(self.names_offered(names_found(chat.history), ledger, call, window))
        if self._search is not None and are_text(ledger, call, self._agent, self._search.as_text):
            names, fixed = (CALL_TOOL, *names), [*fixed, CALL_TOOL_DEFINITION]
        if names not in self._kept_definitions:
            if len(self._kept_definitions) >= _MAX_KEPT:
                self._kept_definitions.clear()
            by_name = {each.name: each for each in self.callees}
            listed = [tool_definition(by_name[name]) for name in names if name in by_name]
            self._kept_definitions[names] = ToolDefinitions([*fixed, *listed])
        return self._kept_definitions[names]

    @cached_property
    def _kept_definitions(self) -> dict[tuple[str, ...], ToolDefinitions]:
        return {}

    @cached_property
    def facts(self) -> Mapping[str, Facts]:
        """The facts of the agent's own tools, by name."""
        return {each.name: each.facts for each in self._own.callees}

    @cached_property
    def agents(self) -> frozenset[str]:
        """The names of the agent's own tools that are agents."""
        return frozenset(each.name for each in self._own.callees if implements(each, AgentLike))

    @cached_property
    def definitions(self) -> ToolDefinitions:
        """The definitions of the tools, as a chat request carries them."""
        return ToolDefinitions(tool_definition(each) for each in self._visible)


class OwnTools:
    """The tools that an agent was given; resolved once for all its copies. ``owner`` names the agent in errors.

    Raises:
        SetupError: a tool has the reserved name ``final_result``.
        NameTakenError: two have one name.
    """

    def __init__(self, owner: str, source: ToolSource) -> None:
        self._owner = owner
        self._source = source if isinstance(source, LazyTools) else self._check(source)

    @property
    def count(self) -> int:
        """The number of tools, without resolving them."""
        return self._source.count if isinstance(self._source, LazyTools) else len(self._source)

    @cached_property
    def callees(self) -> tuple[AnyCallee, ...]:
        """The tools."""
        return self._check(self._source.resolve()) if isinstance(self._source, LazyTools) else self._source

    def _check(self, tools: Iterable[AnyCallee]) -> tuple[AnyCallee, ...]:
        callees = check_callees(f"{self._owner}: tools", tools)
        names = set[str]()
        for each in callees:
            if each.name == RESULT_TOOL:
                what = f"cannot call {RESULT_TOOL!r}: the name is reserved for results; rename the tool"
                raise SetupError(f"{self._owner} {what}")
            if each.name in names:
                raise NameTakenError(f"{self._owner} has two tools named {each.name!r}; list each once")
            names.add(each.name)
        return callees


class AgentTask(Struct, frozen=True, kw_only=True):
    """The work of one agent, from receiving the conversation until it finishes or hands over.

    ``history`` begins with the system message. It ends with the user's message, with the reply to a call that the run
    carries or, after a handoff, with the replies to the other agent's calls. ``attachments`` belong to the user's
    message. ``first_turn`` is the number of the first request within the call, and ``used_call_ids`` holds the ids of
    all tool calls in the history.
    """

    history: History
    frame: Frame
    attachments: Sequence[Attachment] = ()
    first_turn: int = 1
    used_call_ids: set[str] = field(default_factory=set[str])


AgentService = Service[AgentTask, AgentRun]


class AgentDriver(Protocol):
    """Runs agents. A driver is stateless: one serves any number of agents."""

    @property
    def finds_models(self) -> bool:
        """Whether the driver finds models by name itself. Otherwise the runtime resolves the name."""
        ...

    def bind(self, definition: AgentDefinition, tools: AgentTools, model: AnyModel | None, /) -> AgentService:
        """Make the service that runs one agent with one model. Sends no request and resolves no tools yet.

        Raises:
            SetupError: this driver does not support the definition.
        """
        ...

    def check_model(self, definition: AgentDefinition, model: AnyModel | None, /) -> None:
        """Check, without a request, that the agent's model can be used.

        Raises:
            NoModelError: the model cannot be used.
        """
        ...
