"""How many requests one address may send: a bucket of tokens for each, in this process."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address
from typing import Final

from remit.errors import RequestError

_MAX_SOURCES: Final = 10_000
"""The number of addresses that are remembered. The one that was quiet longest is forgotten first."""


class RequestLimitedError(RequestError, code="REQUEST_LIMITED"):
    """There are too many requests of this kind at the moment, such as attempts to sign in; a later one may succeed."""


def find_source(address: str) -> str:
    """The source of a request: an IPv4 address, or the IPv6 network that a provider assigns to one customer."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if not isinstance(found, IPv6Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))


class RequestRates:
    """Counts requests. A source may send ``burst`` at once and ``per_minute`` in the long run.

    Args:
        per_minute: 0 for no limit. burst: by default a third of a minute's.
        clock: seconds that only increase.
    """

    def __init__(self, per_minute: int, burst: int = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._burst, self._clock = per_minute / 60, float(burst or max(1, per_minute // 3)), clock
        self._left = OrderedDict[str, tuple[float, float]]()

    def take(self, source: str) -> float:
        """Count a request; 0 if it is within the limit, else the seconds until the next one may come."""
        if not self._per_second:
            return 0.0
        now, source = self._clock(), find_source(source)
        left, at = self._left.pop(source, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._per_second)
        is_within = left >= 1
        self._left[source] = (left - 1 if is_within else left, now)
        if len(self._left) > _MAX_SOURCES:
            self._left.popitem(last=False)
        return 0.0 if is_within else (1 - left) / self._per_second
