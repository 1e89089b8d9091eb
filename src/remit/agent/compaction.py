"""Decides when an agent's history is too long for its model, and which parts of it may be compacted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from msgspec import Struct, structs
from pydantic import PositiveInt

from remit.agent.dropped_output import describe_dropped_outputs
from remit.agent.found_tools import find_found_tools
from remit.agent.model import Model, VendorModel, check_is_model
from remit.agent.run_instructions import find_run_instructions
from remit.agent.working_memory import find_working_memory
from remit.call.callee import Callee
from remit.chat.chat import ChatRequest, History, decode_message
from remit.chat.compacted_history import compact_messages, compaction_id, group_messages
from remit.core.call_checks import check_arguments
from remit.core.checks import check_counts
from remit.errors import SetupError
from remit.record.estimate import estimate_tokens
from remit.record.items import HistoryCompacted, Message
from remit.shown import show_value


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """Shortens an agent's history before a request that is estimated at more than ``tokens``.

    Each tool output in older messages is replaced by one line. If that is not enough, a model summarises the older
    messages. The newest messages of at most ``keep`` tokens, by default a quarter of ``tokens``, remain unchanged. A
    request that the provider refuses as too long is shortened and sent again, once.

    Args:
        tokens: the estimated tokens of a request, tools and instructions included, that may be sent unchanged; less if
            the model's window is known to be smaller.
        keep: the estimated tokens of the newest messages that stay; by default a quarter of ``tokens``.
        model: the model that writes the summaries, or its name, like ``openai:gpt-5-mini``; by default the agent's own.

    Raises:
        SetupError: a number is out of range, or the model is not one of Remit's port.
    """

    tokens: PositiveInt = 100_000
    keep: PositiveInt | None = None
    model: Model | str | None = None

    def __post_init__(self) -> None:
        if not 0 < self.kept_tokens < self.tokens:
            raise SetupError(f"{self!r}: keep must be less than tokens, and both more than 0")
        if self.model is not None and isinstance(self.model, type | VendorModel):
            raise SetupError(f"Compaction cannot ask {show_value(self.model)}; use its name, or PydanticAIModel(…)")
        if self.model is not None:
            check_is_model("Compaction: model", self.model)

    def within(self, window: int | None) -> Compaction:
        """The same settings for a model whose requests may have ``window`` tokens; a quarter is left for the answer."""
        check_counts("Compaction.within", window=1 if window is None else window)
        tokens = self.tokens if window is None else window * 3 // 4
        if tokens >= self.tokens:
            return self
        return replace(self, tokens=tokens, keep=None if self.keep is None else min(self.keep, tokens // 2))

    @property
    def kept_tokens(self) -> int:
        """The tokens of the newest messages, which are kept."""
        return self.tokens // 4 if self.keep is None else self.keep


class LongRequest(Struct, frozen=True):
    """A request of an agent: its system message, if there is one, and its other messages."""

    chat: ChatRequest
    system: Sequence[str]
    messages: Sequence[str]

    @classmethod
    def of(cls, chat: ChatRequest) -> LongRequest:
        """Divide a request into its parts."""
        texts = list(chat.history)
        count = int(bool(texts) and decode_message(texts[0])["role"] == "system")
        return cls(chat, texts[:count], texts[count:])

    def with_messages(self, messages: Sequence[str]) -> ChatRequest:
        """The request with other messages after the system message."""
        if messages == self.messages:
            return self.chat
        return replace(self.chat, history=History([*self.system, *messages]))

    @property
    def fixed_texts(self) -> Sequence[str]:
        """The tokens that the model reads in addition to the messages."""
        return (*self.system, self.chat.tools.text)


class CompactionPlan:
    """The parts of a request that can be compacted, and by how much. All sizes are estimated tokens.

    ``refused_limit`` is the maximum size of a request that was refused as too long.
    """

    def __init__(
        self, request: LongRequest, texts: Sequence[str], settings: Compaction, *, refused_limit: int | None = None
    ) -> None:
        self.request = request
        self._refused = refused_limit is not None
        self._texts = texts
        self.groups = group_messages(texts)
        sizes = [_tokens(group) for group in self.groups]
        self._fixed = _tokens(request.fixed_texts)
        self._total = self._fixed + sum(sizes)
        self.limit, keep = settings.tokens, settings.kept_tokens
        if refused_limit is not None:
            self.limit, keep = refused_limit, min(keep, refused_limit // 2)
        self.is_needed = self._total > self.limit
        self.older_count, kept = len(sizes) - 1, sizes[-1]
        while self.older_count and kept + sizes[self.older_count - 1] <= keep:
            self.older_count -= 1
            kept += sizes[self.older_count]

    @property
    def older(self) -> list[str]:
        """The messages before the kept ones."""
        return [text for group in self.groups[: self.older_count] for text in group]

    def drop_outputs(self, callees: Iterable[Callee[..., Any]]) -> HistoryCompacted:
        """Replace the outputs of tools in the older messages by notes."""
        return structs.replace(
            self.record_unchanged(), notes=tuple(describe_dropped_outputs(self.groups[: self.older_count], callees))
        )

    def record_unchanged(self) -> HistoryCompacted:
        """The record of a request whose messages all stay."""
        agent, turn = self.request.chat.agent_call_id, self.request.chat.turn
        return HistoryCompacted(
            call=compaction_id(agent),
            agent=agent,
            turn=turn,
            length=len(self.request.messages),
            refused=self._refused,
        )

    def is_short_enough(self, item: HistoryCompacted) -> bool:
        """Whether there is room for more messages, so that the next request need not be compacted again."""
        return self._size(item) <= (self.limit if self._refused else self.limit * 3 // 4)

    def is_worthwhile(self, item: HistoryCompacted) -> bool:
        """Whether the compaction saves enough: a changed history is not in the cache of the model's provider."""
        saved = self._total - self._size(item)
        return saved > (0 if self._refused else self.limit // 8)

    def may_summarise(self, older: Sequence[str]) -> bool:
        """Whether there is enough text to justify a model request for a summary."""
        return self._refused or _tokens(older) >= self.limit // 8

    async def list_pinned(self) -> list[str]:
        """The messages that are kept with a summary: the newest ones that Remit wrote, and the request."""
        ledger, agent = self.request.chat.ledger, self.request.chat.agent_call_id
        kept = {"", *(text for group in self.groups[self.older_count :] for text in group)}
        newest = (
            find_run_instructions(ledger, agent),
            await find_working_memory(ledger, agent, self._texts),
            find_found_tools(ledger, agent),
        )
        asked = [
            item.text
            for item in ledger.items_for(agent)
            if isinstance(item, Message) and decode_message(item.text)["role"] == "user"
        ]
        return [text for text in (*newest, *asked) if text not in kept]

    def _size(self, item: HistoryCompacted) -> int:
        return self._fixed + _tokens(compact_messages(self._texts, item))


def _tokens(texts: Iterable[str]) -> int:
    return estimate_tokens(texts, "")
