"""What a source offers: its tools as it describes them, and what it says of itself."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, Final

from msgspec import Struct, structs

from remit.schemas.jsontext import canonical_text

DIGEST_FORMAT: Final = 1
"""The version of the digests. Another one would make all pins look changed, so it changes with a migration only."""


class Offer(Struct, frozen=True, kw_only=True):
    """A tool as its source describes it. All of it is what a person accepts.

    ``annotations`` and ``meta`` are what the source says about it beside its contract.
    """

    name: str
    title: str = ""
    description: str = ""
    input_schema: dict[str, Any] = {}
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] = {}
    meta: dict[str, Any] = {}

    @property
    def digest(self) -> str:
        """The digest of all fields."""
        return _digest(structs.astuple(self))


class Snapshot(Struct, frozen=True, kw_only=True):
    """What a source offers at a moment.

    ``address`` is its command or host, and ``instructions`` what it says about all its tools.
    """

    address: str
    instructions: str = ""
    offers: tuple[Offer, ...] = ()

    @property
    def digest(self) -> str:
        """The digest of what the source says of itself, without its tools."""
        return _digest((self.address, self.instructions))

    def find(self, name: str) -> Offer | None:
        """The offer with a name."""
        return next((each for each in self.offers if each.name == name), None)


def _digest(fields: tuple[Any, ...]) -> str:
    return f"{DIGEST_FORMAT}:{sha256(canonical_text([*fields]).encode('utf-8', 'surrogatepass')).hexdigest()}"
