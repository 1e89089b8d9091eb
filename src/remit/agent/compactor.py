"""Compacts the histories of an agent's requests: drops old tool outputs, then has old messages summarised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from remit.agent.compaction import Compaction, CompactionPlan, LongRequest
from remit.agent.layered_model import LayeredModel
from remit.agent.model import Model
from remit.agent.model_window import find_window
from remit.agent.recorded_model import recorded_model
from remit.agent.summary import NO_SUMMARY, encode_summary, request_summary
from remit.agent.too_long import explain_too_long
from remit.contracts.call import ModelService
from remit.contracts.callee import Callee
from remit.contracts.chat import ChatRequest, Completion, History, decode_message
from remit.contracts.compacted_history import compact_history, compact_messages, compaction_id
from remit.contracts.items import HistoryCompacted, Message
from remit.contracts.ledger import Ledger
from remit.contracts.schema import shorten_text
from remit.contracts.streaming import withhold_answers
from remit.errors import ContextLengthError, ModelError


class Compactor:
    """Compacts the requests of one agent. What it did is on record, and is not decided anew when a run is resumed.

    ``name`` is the agent's. ``find_callees`` finds its tools. ``model`` writes the summaries unless ``settings`` has
    another.
    """

    def __init__(
        self,
        name: str,
        settings: Compaction | None,
        find_callees: Callable[[], Iterable[Callee[..., Any]]],
        layers: LayeredModel,
        model: Model,
    ) -> None:
        self._name = name
        self._settings = settings
        self._find_callees = find_callees
        self._layers = layers
        self._model = model

    def _concerns(self, ledger: Ledger, agent: str) -> bool:
        """Whether the history of an agent's call was or may be compacted before the provider refuses it."""
        return self._settings_within(ledger, agent) is not None or bool(ledger.items_for(compaction_id(agent)))

    def _settings_within(self, ledger: Ledger, agent: str) -> Compaction | None:
        """The settings for the window of the model. Without any, its window, where it is known, is heeded alone."""
        window = find_window(ledger, agent, self._name)
        if self._settings is not None:
            return self._settings.within(window)
        return None if window is None else Compaction(tokens=window * 3 // 4)

    async def compact(self, request: LongRequest) -> Sequence[str]:
        """The messages to send: compacted as recorded, and once more if they are too long."""
        recorded, settings = _find_recorded(request), self._settings_within(request.ledger, request.agent)
        if settings is None and not recorded:
            return request.messages
        settings = settings or Compaction()  # a request that was refused
        today = [each for each in recorded if each.turn == request.turn]
        if not request.ledger.is_replaying and (today or _has_answer(request)):
            return compact_history(request.messages, recorded)
        compacted = recorded[: len(recorded) - len(today)]
        for refused in (False, *(True for each in today if each.refused)):
            compacted += await self._record(request, compacted, settings, refused=refused)
        return compact_history(request.messages, compacted)

    async def compact_refused(self, request: LongRequest) -> Sequence[str] | None:
        """The messages to send after the provider refused them as too long; None if they cannot be shorter."""
        recorded = _find_recorded(request)
        if any(each.turn == request.turn and each.refused for each in recorded):
            return None
        settings = self._settings_within(request.ledger, request.agent) or Compaction()
        added = await self._record(request, recorded, settings, refused=True)
        return compact_history(request.messages, [*recorded, *added]) if added else None

    async def _record(
        self, request: LongRequest, compacted: list[HistoryCompacted], settings: Compaction, *, refused: bool
    ) -> list[HistoryCompacted]:
        """Compact once more and record it; empty if there is nothing to do."""
        texts = compact_history(request.messages, compacted)
        if not texts:
            return []
        plan = CompactionPlan(request, texts, settings, refused=refused)
        if not plan.is_needed:
            return []
        item = plan.drop_outputs(self._find_callees())
        if not plan.is_short_enough(item):
            item = await self._summarise(plan, item, settings, len(compacted) + 1) or item
        if not plan.is_worthwhile(item):
            return []
        request.ledger.add(item)
        return [item]

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
        ledger, model = plan.request.ledger, settings.model or self._model
        chat = ChatRequest(
            agent_call_id=compaction_id(plan.request.agent), turn=number, ledger=ledger, history=History(texts)
        )
        try:
            with withhold_answers():  # a summary is no answer to anyone
                text = (await recorded_model(model, self._layers)(chat)).content or ""
        except ModelError:  # on record; an answer without the older messages is better than none
            text = ""
        summary = encode_summary(shorten_text(text.strip() or NO_SUMMARY, room // 2))
        return HistoryCompacted(
            call=item.call,
            agent=item.agent,
            turn=item.turn,
            length=item.length,
            kept=len(plan.groups) - plan.older_count,
            head=(summary, *pinned),
            refused=item.refused,
        )

    def around(self, inner: ModelService) -> ModelService:
        """The service that compacts chat requests."""

        async def ask(chat: ChatRequest, /) -> Completion:
            try:
                return await compact_and_ask(chat)
            except ContextLengthError as error:
                window = find_window(chat.ledger, chat.agent_call_id, self._name)
                why = explain_too_long(self._name, chat, window)
                raise ContextLengthError(f"{why} ({error.message})") from error

        async def compact_and_ask(chat: ChatRequest) -> Completion:
            sent = chat
            if self._concerns(chat.ledger, chat.agent_call_id):
                request = _to_long_request(chat)
                compacted = await self.compact(request)
                sent = chat if compacted == request.messages else _with_messages(chat, compacted)
            try:
                return await inner(sent)
            except ContextLengthError:
                shorter = await self.compact_refused(_to_long_request(chat))
                if shorter is None:
                    raise
            return await inner(_with_messages(chat, shorter))

        return ask


def _find_recorded(request: LongRequest) -> list[HistoryCompacted]:
    """The recorded compactions up to a request, in order."""
    items = request.ledger.items_for(compaction_id(request.agent))
    return [item for item in items if isinstance(item, HistoryCompacted) and item.turn <= request.turn]


def _has_answer(request: LongRequest) -> bool:
    items = request.ledger.items_for(f"{request.agent}:{request.turn}")
    return any(isinstance(item, Message) for item in items)


def _split(chat: ChatRequest) -> tuple[list[str], list[str]]:
    """The system message, if there is one, and the others."""
    texts = list(chat.history)
    count = int(decode_message(texts[0])["role"] == "system")
    return texts[:count], texts[count:]


def _to_long_request(chat: ChatRequest) -> LongRequest:
    system, messages = _split(chat)
    return LongRequest(
        ledger=chat.ledger,
        agent=chat.agent_call_id,
        turn=chat.turn,
        messages=messages,
        fixed=(*system, chat.tools.text),
    )


def _with_messages(chat: ChatRequest, messages: Sequence[str]) -> ChatRequest:
    return replace(chat, history=History([*_split(chat)[0], *messages]))


def _size(texts: Iterable[str]) -> int:
    return sum(len(text.encode(errors="replace")) for text in texts)


_SHORTEST_SUMMARY: Final = 200
"""A summary that must be shorter than this many bytes is not worth its request."""
