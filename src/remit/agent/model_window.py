"""The window of an agent's model: how many tokens a request may have. It is on record, so replays heed the same."""

from __future__ import annotations

from typing import Final

from remit.contracts.items import Note
from remit.contracts.ledger import Ledger

_WINDOW: Final = "window of the model of"


def record_window(ledger: Ledger, call: str, agent: str, first_turn: int, window: int | None) -> None:
    """Record the window of an agent's model at the beginning of its call, if it is known."""
    if window is None or ledger.is_replaying or ledger.items_for(f"{call}:{first_turn}"):
        return
    if find_window(ledger, call, agent) is None:
        ledger.add(Note(call=call, name=f"{_WINDOW} {agent}", data=str(window)))


def find_window(ledger: Ledger, call: str, agent: str) -> int | None:
    """The window that is on record for a call of an agent; None if it is not known."""
    name = f"{_WINDOW} {agent}"
    notes = (int(each.data) for each in ledger.items_for(call) if isinstance(each, Note) and each.name == name)
    return next(notes, None)
