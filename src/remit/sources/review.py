"""The review of a source: what of its present offer is accepted, and what is in quarantine."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from msgspec import Struct

from remit.sources.diff import diff_offers, diff_origins
from remit.sources.offer import Offer, Snapshot
from remit.sources.pins import Pins


class OfferState(enum.Enum):
    """The state of a tool of a source."""

    ACCEPTED = "accepted"
    CHANGED = "changed"
    """It is not as it was accepted: in quarantine."""
    NEW = "new"
    """It was never accepted: in quarantine."""
    GONE = "gone"
    """It was accepted, and is offered no longer."""


class ReviewedOffer(Struct, frozen=True, kw_only=True):
    """A tool of a source: as it was accepted, and as it is offered now."""

    name: str
    state: OfferState
    pinned: Offer | None = None
    offered: Offer | None = None

    @property
    def digest(self) -> str:
        """The digest that an acceptance names; empty for a tool that is gone."""
        return "" if self.offered is None else self.offered.digest

    @property
    def lines(self) -> list[str]:
        """What differs, as lines for a person."""
        return diff_offers(self.pinned, self.offered)


class Review(Struct, frozen=True, kw_only=True):
    """A source as it was accepted, and as it is now."""

    source: str
    pinned: Snapshot
    offered: Snapshot
    tools: Sequence[ReviewedOffer] = ()

    @property
    def is_moved(self) -> bool:
        """Whether its command, host or instructions are not as they were accepted: then all its tools are closed."""
        return self.pinned.digest != self.offered.digest

    @property
    def lines(self) -> list[str]:
        """What differs in what the source says of itself, as lines for a person."""
        return diff_origins(self.pinned, self.offered)

    @property
    def tools_to_accept(self) -> Sequence[ReviewedOffer]:
        """The tools that a person has to look at."""
        return [each for each in self.tools if each.state is not OfferState.ACCEPTED]

    def find(self, name: str) -> ReviewedOffer | None:
        """The tool with a name."""
        return next((each for each in self.tools if each.name == name), None)


def review(pins: Pins, offered: Snapshot) -> Review:
    """Compare what a source offers with what was accepted."""
    names = sorted({each.name for snapshot in (pins.snapshot, offered) for each in snapshot.offers})
    tools = [_review_offer(name, pins.snapshot.find(name), offered.find(name)) for name in names]
    return Review(source=pins.source, pinned=pins.snapshot, offered=offered, tools=tools)


def _review_offer(name: str, pinned: Offer | None, offered: Offer | None) -> ReviewedOffer:
    if pinned is None:
        state = OfferState.NEW
    elif offered is None:
        state = OfferState.GONE
    else:
        state = OfferState.ACCEPTED if pinned.digest == offered.digest else OfferState.CHANGED
    return ReviewedOffer(name=name, state=state, pinned=pinned, offered=offered)
