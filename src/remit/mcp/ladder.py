"""The ladder: what a client is told about a call that waits for a person.

First the call is held, because the person may answer at once. Then the client asks its own person, if it can: by a
form, which can only confirm, or by an address, at which the person signs in. Then it gets a task, if it can fetch one,
or is asked to repeat the call, which is held again. In the end it is told that the call waits: the same call, whenever
it is made again, is the one that waits.
"""

from __future__ import annotations

import enum
from typing import Final

from msgspec import Struct

from remit.mcp.peers import Peer

MOST_ROUNDS: Final = 2
"""How often a client is asked to repeat one call. Common clients give up after ten times, with an error."""


class Step(enum.Enum):
    """The next step of a call that waits."""

    FORM = "form"
    ADDRESS = "address"
    TASK = "task"
    HOLD = "hold"
    WAITING = "waiting"


class Waiting(Struct, frozen=True, kw_only=True):
    """A call that waits.

    ``can_confirm``: its questions include one that the acting person can confirm and has not been shown by a form.
    ``has_page``: a page shows a question that the client has not been given the address of. ``is_dismissed``: the
    person has closed a form without an answer. ``rounds``: how often the client was asked to repeat the call.
    """

    can_confirm: bool
    has_page: bool
    is_dismissed: bool = False
    rounds: int = 0


def can_ask(peer: Peer, waiting: Waiting) -> bool:
    """Whether the client can ask its own person about the call."""
    return next_step(peer, waiting) in (Step.FORM, Step.ADDRESS)


def next_step(peer: Peer, waiting: Waiting) -> Step:
    """The step that follows after the call was held."""
    is_over = waiting.is_dismissed or waiting.rounds >= MOST_ROUNDS
    if not is_over and peer.can_form and waiting.can_confirm:
        return Step.FORM
    if not is_over and peer.can_url and waiting.has_page:
        return Step.ADDRESS
    if peer.can_fetch:
        return Step.TASK
    return Step.WAITING if is_over or peer.has_session else Step.HOLD
