"""Sources of tools: servers of others, whose offers are pinned, and quarantined when they change."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.sources.adoption import Trust as Trust
    from remit.sources.offer import Offer as Offer
    from remit.sources.offer import Snapshot as Snapshot
    from remit.sources.pins import Act as Act
    from remit.sources.pins import PinFolder as PinFolder
    from remit.sources.review import OfferState as OfferState
    from remit.sources.review import Review as Review
    from remit.sources.source import ACCEPT as ACCEPT
    from remit.sources.source import Origin as Origin
    from remit.sources.source import Source as Source
    from remit.sources.source import find_sources as find_sources
else:
    __getattr__ = lazy_exports(__name__)
