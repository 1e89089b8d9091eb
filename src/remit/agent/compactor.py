"""Fits an agent's requests into its model's window.

It first removes definitions of found tools, then drops old tool outputs, then summarises old messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from msgspec import structs

from remit.agent.compaction import Compaction, CompactionPlan, LongRequest
from remit.agent.definition import AgentDefinition
from remit.agent.layered_model import LayeredModel
from remit.agent.model import Model
from remit.agent.model_recorder import recorded_model
from remit.agent.model_window import find_window
from remit.agent.summary import NO_SUMMARY, encode_summary, request_summary
from remit.agent.too_long import explain_too_long
from remit.call.call import ModelService
from remit.call.callee import Callee
from remit.call.schema import shorten_text
from remit.chat.chat import ChatRequest, Completion, History, ToolDefinitions
from remit.chat.compacted_history import compact_history, compact_messages, compaction_id
from remit.chat.streaming import withhold_answers
from remit.errors import ContextLengthError, ModelError
from remit.record.estimate import estimate_tokens
from remit.record.items import HistoryCompacted, Message

FindTools = Callable[[ChatRequest, int | None], ToolDefinitions]
"""The definitions of the tools that a model sees after a request, given its window; None if that is not known."""


class Compactor:
    """Fits the requests of one agent into the window of its model.

    Compactions are on record and are not decided again when a run is resumed. ``find_callees`` finds the agent's tools.
    ``find_tools`` chooses the tools of a request if the model searches for them. ``model`` writes the summaries unless
    the settings name another model.
    """

    def __init__(
        self,
        definition: AgentDefinition,
        find_callees: Callable[[], Iterable[Callee[..., Any]]],
        find_tools: FindTools | None,
        layers: LayeredModel,
        model: Model,
    ) -> None:
        self._name, self._settings = definition.name, definition.compaction
        self._find_callees = find_callees
        self._find_tools = find_tools
        self._layers = layers
        self._model = model

    def around(self, inner: ModelService) -> ModelService:
        """The service that fits chat requests. A request that the model refuses as too long is sent again, once."""

        async def ask(chat: ChatRequest, /) -> Completion:
            try:
                return await self._ask(inner, chat)
            except ContextLengthError as error:
                refused = _list_refused(chat, _list_compactions(chat))
                window = find_window(chat, self._name, [chat.turn, *refused])
                least = LongRequest.of(self._with_tools(chat, 0))
                fixed = self._with_tools(replace(chat, history=History()), 0).tools
                why = explain_too_long(self._name, least, fixed, window)
                raise ContextLengthError(f"{why} ({error.message})") from error

        return ask

    async def _ask(self, inner: ModelService, chat: ChatRequest) -> Completion:
        recorded = _list_compactions(chat)
        refused = [each.turn for each in recorded if each.refused] if recorded else []
        window = find_window(chat, self._name, _list_refused(chat, recorded) if refused else ())
        sent, applied = await self._fit(chat, window, recorded)
        if chat.turn not in refused:
            try:
                return await inner(sent)
            except ContextLengthError:
                shorter = await self._shorten(chat, sent, applied, window)
                if shorter is None:
                    raise
        else:
            shorter = await self._shorten(chat, sent, applied, window)
        return await inner(shorter or sent)

    def _with_tools(self, chat: ChatRequest, window: int | None) -> ChatRequest:
        """The request with the definitions that fit into a window."""
        return chat if self._find_tools is None else replace(chat, tools=self._find_tools(chat, window))

    async def _fit(
        self, chat: ChatRequest, window: int | None, recorded: list[HistoryCompacted]
    ) -> tuple[ChatRequest, list[HistoryCompacted]]:
        """The request to send: compacted as recorded, and once more if it is too long. Returns the compactions too."""
        if self._find_tools is not None:
            chat = self._with_tools(chat, window)
        settings = self._settings
        if window is not None:  # without settings, only the window counts
            settings = Compaction(tokens=window * 3 // 4) if settings is None else settings.within(window)
        if settings is None and not recorded:
            return chat, []
        request, today = LongRequest.of(chat), [each for each in recorded if each.turn == chat.turn]
        applied = recorded[: len(recorded) - len(today)]
        if not chat.ledger.execution.is_replaying and (today or _has_answer(chat)):
            applied += [each for each in today if not each.refused]
        elif settings is not None:
            applied += await self._record(request, applied, settings)
        return request.with_messages(compact_history(request.messages, applied)), applied

    async def _shorten(
        self, chat: ChatRequest, sent: ChatRequest, applied: list[HistoryCompacted], window: int | None
    ) -> ChatRequest | None:
        """The request to send after the model refused ``sent`` as too long; None if it cannot be shorter.

        It has half of the tokens, or fewer if the refusal states the window. Definitions of found tools are removed
        first.
        """
        known = (window, find_window(chat, self._name, [chat.turn]))
        size = estimate_tokens(sent.history, sent.tools.text)
        room = min([size * 2 // 3, *(each for each in known if each is not None)])
        request = LongRequest.of(self._with_tools(chat, room))
        recorded = [each for each in _list_compactions(chat) if each.turn == chat.turn and each.refused]
        if not recorded or chat.ledger.execution.is_replaying:
            recorded = await self._record(
                request,
                applied,
                self._settings or Compaction(),
                refused_limit=room * 3 // 4,
                has_fewer_tools=request.chat.tools.digest != sent.tools.digest,
            )
        if not recorded:
            return None
        return request.with_messages(compact_history(request.messages, [*applied, *recorded]))

    async def _record(
        self,
        request: LongRequest,
        applied: list[HistoryCompacted],
        settings: Compaction,
        *,
        refused_limit: int | None = None,
        has_fewer_tools: bool = False,
    ) -> list[HistoryCompacted]:
        """Compact once more and record it; empty if there is nothing to do."""
        texts = compact_history(request.messages, applied)
        if not texts:
            return []
        plan = CompactionPlan(request, texts, settings, refused_limit=refused_limit)
        item = await self._compact(plan, settings, len(applied) + 1) if plan.is_needed else None
        if item is None and has_fewer_tools:
            item = plan.record_unchanged()
        if item is None:
            return []
        request.chat.ledger.add(item)
        return [item]

    async def _compact(self, plan: CompactionPlan, settings: Compaction, number: int) -> HistoryCompacted | None:
        """The compaction that a plan needs; None if it is not worthwhile."""
        item = plan.drop_outputs(self._find_callees())
        if not plan.is_short_enough(item):
            item = await self._summarise(plan, item, settings, number) or item
        return item if plan.is_worthwhile(item) else None

    async def _summarise(
        self, plan: CompactionPlan, item: HistoryCompacted, settings: Compaction, number: int
    ) -> HistoryCompacted | None:
        """Replace the older messages by a summary, which another request asks for; None if that is not shorter."""
        older = compact_messages(plan.older, item)
        pinned = await plan.list_pinned()
        room = _size(older) - _size(pinned) - _size([encode_summary("")])
        if room < _SHORTEST_SUMMARY or not plan.may_summarise(older):
            return None
        texts = request_summary(older, 4 * plan.limit)
        assert not isinstance(settings.model, str)  # noqa: S101 - `link_agents` has resolved it
        ledger, model = plan.request.chat.ledger, settings.model or self._model
        chat = ChatRequest(agent_call_id=item.call, turn=number, ledger=ledger, history=History(texts))
        try:
            with withhold_answers():  # a summary is not streamed as an answer
                text = (await recorded_model(model, self._layers)(chat)).content or ""
        except ModelError:  # on record; an answer without the older messages is better than none
            text = ""
        summary = encode_summary(shorten_text(text.strip() or NO_SUMMARY, room // 2))
        kept, head = len(plan.groups) - plan.older_count, (summary, *pinned)
        return structs.replace(item, kept=kept, head=head, notes=())


def _list_compactions(chat: ChatRequest) -> list[HistoryCompacted]:
    """The recorded compactions up to a request, in order."""
    items = chat.ledger.items_for(compaction_id(chat.agent_call_id))
    return [item for item in items if isinstance(item, HistoryCompacted) and item.turn <= chat.turn] if items else []


def _list_refused(chat: ChatRequest, recorded: list[HistoryCompacted]) -> list[int]:
    """The agent's turns before a request whose requests were refused as too long, newest first."""
    turns = (each.turn for each in reversed(recorded) if each.refused)
    return [turn for turn in turns if chat.first_turn <= turn < chat.turn]


def _has_answer(chat: ChatRequest) -> bool:
    return any(isinstance(item, Message) for item in chat.ledger.items_for(chat.call_id))


def _size(texts: Iterable[str]) -> int:
    return sum(len(text.encode(errors="replace")) for text in texts)


_SHORTEST_SUMMARY: Final = 200
"""A summary that must be shorter than this many bytes is not worth its request."""
