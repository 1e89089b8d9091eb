"""The window of an agent's model: the most tokens of a request. It is on record, so replays use the same window.

It is known from a note at the beginning of an agent's call, and from the failure of each request that was refused as
too long. A note holds the window that the model states, or else the one that its earlier refusals stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import MsgspecError, Struct
from msgspec.json import decode, encode

from remit.agent.model import SMALLEST_WINDOW, Model, model_name, window_of
from remit.chat.chat import ChatRequest
from remit.core.patterns import lazy_pattern
from remit.errors import ContextLengthError, error_from_reply
from remit.record.conversation import read_conversation
from remit.record.items import Item, ModelFailure, ModelUsage, Note
from remit.record.ledger import Ledger

_NOTE: Final = "window of the model of "
_STATED: Final = lazy_pattern(
    r"(?:(?:context|prompt) (?:length|size|window)(?! \(n_keep)[^0-9.]{0,24}|token limit[^0-9.]{0,12}"
    r"|limit of |\): limit |n_ctx: |length should be \[\d+, "
    r"|> |<= |exceed |model with |allowed \(|max size: )(\d[\d,]{2,8})",
    re.IGNORECASE,
)


def read_window(text: str) -> int | None:
    """The maximum number of tokens of a request, as the refusal of a longer one states it; None if it does not."""
    stated = _STATED.search(text)
    window = 0 if stated is None else int(stated[1].replace(",", ""))
    return window if window >= SMALLEST_WINDOW else None


async def record_window(ledger: Ledger, call: str, agent: str, first_turn: int, model: Model) -> None:
    """Record the window of an agent's model at the beginning of its call, if it is known."""
    if ledger.execution.is_replaying or ledger.items_for(f"{call}:{first_turn}") or _noted_window(ledger, call, agent):
        return
    name = model_name(model)
    window = window_of(model) or await _learnt_window(ledger, name)
    if window is not None:
        noted = encode(_NotedWindow(model=name, tokens=window)).decode()
        ledger.add(Note(call=call, name=f"{_NOTE}{agent}", data=noted))


def find_window(chat: ChatRequest, agent: str, turns: Iterable[int]) -> int | None:
    """The window on record for a call of an agent: from a refusal in one of its ``turns``, or else from the note.

    The turns are given newest first.
    """
    ledger, call = chat.ledger, chat.agent_call_id
    for turn in turns:
        refusal = find_refusal(ledger, f"{call}:{turn}")
        if refusal is not None and (window := read_window(refusal.message)) is not None:
            return window
    return _noted_window(ledger, call, agent)


def find_refusal(ledger: Ledger, call: str) -> ContextLengthError | None:
    """The error of a model that refused the request of that id as too long; None if no model refused it."""
    return next(filter(None, map(_refusal_in, ledger.items_for(call))), None)


def _refusal_in(item: Item) -> ContextLengthError | None:
    """The error of a request that was refused as too long, unless another model was asked in its place."""
    if not isinstance(item, ModelFailure) or item.retry_at is not None or ContextLengthError.code not in item.content:
        return None
    error = error_from_reply(item.content)
    return error if isinstance(error, ContextLengthError) else None


class _NotedWindow(Struct, frozen=True):
    """The data of a note: a window, and the name of the model."""

    model: str
    tokens: int


def _noted_window(ledger: Ledger, call: str, agent: str) -> int | None:
    for item in ledger.items_for(call):  # runs with every request, so it avoids a generator
        if isinstance(item, Note) and (noted := _read_note(item)) is not None and noted[0] == agent:
            return noted[1].tokens
    return None


def _read_note(item: Item) -> tuple[str, _NotedWindow] | None:
    """The agent and the window that an item notes; None for any other item."""
    if not isinstance(item, Note) or not item.name.startswith(_NOTE):
        return None
    try:
        return item.name.removeprefix(_NOTE), decode(item.data, type=_NotedWindow)
    except MsgspecError:  # a tool may give its notes any name
        return None


async def _learnt_window(ledger: Ledger, model: str) -> int | None:
    """The window of the model of that name, from this run and those before it in its conversation.

    Each run notes the window that it uses, so no run before the last one that asked the model is read.
    """
    async for items in read_conversation(ledger):
        window = _window_in(items, model)
        if window is not None or any(isinstance(each, ModelUsage) and each.requested == model for each in items):
            return window
    return None


def _window_in(items: Sequence[Item], model: str) -> int | None:
    """The window of the model of that name, by the newest of the items that gives it."""
    for item in reversed(items):  # read at the beginning of every run, so no generator
        if isinstance(item, (Note, ModelFailure)) and (window := _window_by(item, model)):
            return window
    return None


def _window_by(item: Item, model: str) -> int | None:
    """The window that one item states."""
    noted = _read_note(item)
    if noted is not None:
        return noted[1].tokens if noted[1].model == model else None
    refusal = _refusal_in(item) if isinstance(item, ModelFailure) and item.requested == model else None
    return None if refusal is None else read_window(refusal.message)
