"""Mutants of the figure about pins."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_SOURCE: Final = "remit.sources.source:Source"
_REVIEW: Final = "remit.sources.review"

MUTANTS: Final = mutants_of(
    "pins.unnoticed",
    {
        "a field is left out of the pin of a tool": edited(
            "remit.sources.offer:Offer.digest.fget", "structs.astuple(self)", "structs.astuple(self)[:-1]"
        ),
        "the instructions are left out of the pin of a source": edited(
            "remit.sources.offer:Snapshot.digest.fget", "(self.address, self.instructions)", "(self.address,)"
        ),
        "the command is left out of the pin of a source": edited(
            "remit.sources.offer:Snapshot.digest.fget", "(self.address, self.instructions)", "(self.instructions,)"
        ),
        "a changed tool counts as accepted": edited(
            f"{_REVIEW}:_review_offer", "if pinned.digest == offered.digest", "if pinned.name == offered.name"
        ),
        "a new tool is accepted when it appears": edited(
            f"{_SOURCE}.refresh",
            "if pins is None:",
            "if pins is None or len(offered.offers) > len(pins.snapshot.offers):",
        ),
        "the offer is served instead of what was accepted": edited(
            f"{_SOURCE}._list_offers", "self._pins.snapshot.offers", "(self._found or self._pins).offered.offers"
        ),
        "another digest than that offered is accepted": edited(
            f"{_SOURCE}.accept", "if digest != present:", "if False:"
        ),
        "anybody may accept": edited(f"{_SOURCE}.accept", "if not by.may(ACCEPT):", "if False:"),
        "an acceptance is not recorded": edited(
            f"{_SOURCE}.accept", "acts=(*self._pins.acts, act)", "acts=self._pins.acts"
        ),
        "a notice is ignored": edited(f"{_SOURCE}._note_change", "self._is_dirty = True", "return"),
        "the offer is looked at only once": edited(f"{_SOURCE}._call", "or is_old", ""),
        "a call is made whatever was found": edited(
            f"{_SOURCE}._call", "if refused := self.why_closed(name):", "if refused := None:"
        ),
        "the gate of a tool in quarantine is open": edited(
            "remit.sources.adoption:QuarantineGate.why_closed", "return self.why(self.tool)", "return None"
        ),
    },
)
