"""Comparing the vectors of a site with that of a query: what both ways of it have in common."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from remit_cms.storage.scope import Target

if TYPE_CHECKING:
    from remit_cms.semantic.floats import Floats

SCALE: Final = 100_000
"""Likenesses are compared as whole numbers of this part: what two libraries compute differs beyond it."""
MIN_LIKENESS: Final = 12_000
"""The cosine below which a text does not fit, as a multiple of 1/`SCALE`."""
MAX_DISTANCE: Final = 15_000
"""How much less like the query than the best one a text may be, as a multiple of 1/`SCALE`."""


class Near(NamedTuple):
    """An object whose texts are like a query, and the language of those that are most like it."""

    id: str
    locale: str


class Comparison(Protocol):
    """A way to compare the vectors of a site with that of a query."""

    async def find_near(
        self,
        target: Target,
        version: int,
        query: Floats,
        kinds: Collection[str],
        locales: Collection[str],
        limit: int,
    ) -> Sequence[Near]:
        """The objects of a site that are like a query, best first, each once: its best vector counts.

        Equally good ones are in the order of their ids, and of an object's languages the first counts. What was written
        up to ``version`` of the site's vectors is compared, and perhaps later vectors.
        """
        ...
