"""The meter of a run: the usage of its models, and the limits on that usage."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise, takewhile
from typing import Final, NamedTuple, Protocol

from msgspec import Struct

from remit.core.amounts import format_dollars, format_seconds
from remit.errors import BudgetError, NoModelError
from remit.record.estimate import READS_IMAGES, Reads, estimate_tokens
from remit.record.items import OPEN_RUN, Item, ModelUsage, Position, RunOpened, RunResumed
from remit.record.usage import (
    NO_TOKENS,
    ModelName,
    Price,
    Prices,
    TokenCounts,
    UsageTotals,
    describe_missing_price,
    find_price,
    price_of,
)

DEFAULT_OUTPUT_TOKENS: Final = 256
"""The tokens reserved for the answer to a request without ``max_tokens``."""


class UsageLimit(NamedTuple):
    """The limits on the total usage of a run's requests, or of one call and everything below it.

    Error messages begin with ``owner``, and ``settings`` says where the limits are set. None means no limit. The limits
    of an open run apply to any ``window`` seconds.
    """

    owner: str
    settings: str
    is_of_run: bool
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    window: float = 0.0

    def make_error(self, how: str) -> BudgetError:
        """Make the error for this limit; ``how`` follows the owner's name."""
        error = BudgetError(f"{self.owner} {how}")
        error.limit = self
        return error


class MeteredRequest(Protocol):
    """The properties of a request from which its tokens are estimated."""

    @property
    def call_id(self) -> str:
        """The id of the agent's call and the number of the request: ``call:number``."""
        ...

    @property
    def max_tokens(self) -> int | None:
        """The maximum tokens of the answer."""
        ...

    def texts(self) -> Iterable[str]:
        """Everything that the model reads: messages and tool definitions, in pieces."""
        ...


class UsedTokens(Protocol):
    """Counts of tokens: those of one request or of a run."""

    @property
    def prompt_tokens(self) -> int:
        """Tokens of prompts, including those that the provider had cached."""
        ...

    @property
    def completion_tokens(self) -> int:
        """Tokens of completions, including reasoning."""
        ...

    @property
    def cached_tokens(self) -> int:
        """Cached tokens of prompts."""
        ...


class RequestUsage(UsedTokens, Protocol):
    """The usage that an answer reports."""

    @property
    def model(self) -> str:
        """The model that answered, empty if unknown."""
        ...


class Reservation(Struct, frozen=True):
    """The estimated tokens of a request to ``model`` and their cost; None if the price is unknown."""

    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0


NO_RESERVATION: Final = Reservation()
"""The reservation if no model is asked."""


class Meter:
    """Adds up the usage on record, and reserves the estimated usage of a request before the model is asked.

    A request starts only if the recorded usage, other reservations and its own estimate together are within each limit.
    When the answer is recorded, the reported usage, if plausible, replaces the reservation. Requests whose answers are
    lost in a crash do not count.

    Args:
        clock: seconds since the epoch.
        history: the items of earlier executions.
    """

    def __init__(self, prices: Prices, clock: Callable[[], float], history: Sequence[Position] = ()) -> None:
        self._prices = prices
        self._clock = clock
        self._history = history
        self._started_at = clock()
        self._seconds_before: float | None = None
        self._parents: dict[str, str] = {}
        self._used: dict[tuple[str, ModelName], TokenCounts] = {}
        self._recent: list[tuple[float, ModelUsage]] = []
        header = history[0].item if history else None
        self.is_open = isinstance(header, RunOpened) and header.callee == OPEN_RUN
        self._limits: dict[str, set[UsageLimit]] = {}
        self._reserved: dict[str, list[Reservation]] = {}

    def add_call(self, parent: str, call: str) -> None:
        """Report that the body of ``parent`` makes ``call``."""
        self._parents[call] = parent

    def add_usage(self, item: ModelUsage, at: float = 0.0) -> None:
        """Add the usage of a request recorded at ``at``. The item names the calls around the agent."""
        agent = _agent_of(item.call)
        for call, parent in pairwise((agent, *item.within)):
            self._parents.setdefault(call, parent)
        key = agent, ModelName(item.requested, item.model)
        self._used[key] = self._used.get(key, NO_TOKENS).add(item)
        if self.is_open:
            self._recent.append((at, item))

    def cost_of(self, requested: str, usage: RequestUsage) -> float | None:
        """US dollars for an answer to a request to the model ``requested``; None if the price is unknown."""
        price = price_of(requested, usage.model, self._prices)
        return None if price is None else price.cost(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)

    def calls_around(self, call: str) -> tuple[str, ...]:
        """The calls around ``call``, innermost first."""
        around: list[str] = []
        while call := self._parents.get(call, ""):
            around.append(call)
        return tuple(around)

    def call_from_outside(self, call: str) -> str:
        """The external call of an open run that is or contains ``call``; empty in other runs."""
        around = (call, *self.calls_around(call))
        return around[-2] if self.is_open and len(around) > 1 else ""

    def totals(self, within: str = "") -> UsageTotals:
        """The recorded usage of the run, or of one call and everything below it."""
        used = [(name, counts) for (agent, name), counts in self._used.items() if self._is_within(agent, within)]
        return UsageTotals.of(used, self._prices)

    def add_limit(self, call: str, limit: UsageLimit) -> None:
        """Apply a limit to the requests of ``call`` and of everything below it."""
        self._limits.setdefault(call, set()).add(limit)

    def seconds(self) -> float:
        """The seconds of all executions of the run; waiting between them does not count."""
        if self._seconds_before is None:
            self._seconds_before = _executed_seconds(self._history, lambda _item: True)
        return self._seconds_before + max(0.0, self._clock() - self._started_at)

    def _seconds_since(self, since: float) -> float:
        """The seconds for which the run has executed since a time."""
        before = _executed_seconds(self._history, lambda _item: True, since)
        return before + max(0.0, self._clock() - max(self._started_at, since))

    def _used_of(self, limit: UsageLimit, within: str) -> UsageTotals:
        """The usage that counts for a limit: all recorded usage or, in an open run, that of the last seconds."""
        if not (self.is_open and limit.is_of_run and limit.window):
            return self.totals("" if limit.is_of_run else within)
        since = self._clock() - limit.window
        recent = takewhile(lambda timed: timed[0] > since, reversed(self._recent))
        used = [(ModelName(item.requested, item.model), NO_TOKENS.add(item)) for _, item in recent]
        return UsageTotals.of(used, self._prices)

    def seconds_before(self, call: str) -> float:
        """The seconds that ``call`` and everything below it ran in earlier executions."""
        return _executed_seconds(self._history, lambda item: self._is_within(_agent_of(item.call), call))

    def check_limit(self, limit: UsageLimit, call: str) -> None:
        """Refuse a call if a limit is used up.

        Raises:
            BudgetError: the message names the limit.
        """
        used = self._used_of(limit, call)
        if limit.tokens is not None and used.tokens >= limit.tokens:
            raise limit.make_error(f"has used all of its {limit.tokens:,} tokens")
        if limit.cost is not None and used.cost is None:
            raise limit.make_error(
                f"may cost {format_dollars(limit.cost)}, but what it has cost is unknown: a model has no "
                "price; add it under prices in config.toml, or Runtime(prices={…})"
            )
        if limit.cost is not None and (used.cost or 0.0) >= limit.cost:
            raise limit.make_error(f"has used all of its {format_dollars(limit.cost)}")
        self._check_seconds(limit)

    def reserve(
        self, request: MeteredRequest, model: str, *, reads: Reads = READS_IMAGES
    ) -> AbstractContextManager[Reservation]:
        """Reserve the estimated usage of a request to ``model``, from before it is sent until `settle`.

        Yields the reservation, which has no tokens if no limit applies. A request that raises has used nothing.

        Raises:
            BudgetError: a limit would be exceeded; the message names it.
            NoModelError: the cost is limited, and the price of the model is unknown.
        """
        if not self._limits:
            return nullcontext(Reservation(model))
        agent = _agent_of(request.call_id)
        calls = (agent, *self.calls_around(agent))
        limits = [(call, limit) for call in calls for limit in self._limits.get(call, ())]
        if not limits:
            return nullcontext(Reservation(model))
        prompt = estimate_tokens(request.texts(), model, reads=reads)
        reservation = _estimate(model, prompt, request.max_tokens, find_price(self._prices, model))
        for call, limit in limits:
            self._check_seconds(limit)
            self._check_fits(limit, "" if limit.is_of_run else call, reservation, model)
        return self._hold(request.call_id, reservation)

    @contextmanager
    def _hold(self, request: str, reservation: Reservation) -> Generator[Reservation]:
        reserved = self._reserved.setdefault(request, [])
        reserved.append(reservation)
        try:
            yield reservation
        except BaseException:
            reserved.remove(reservation)
            raise

    def settle(self, request: str) -> None:
        """Drop the reservations of a request whose usage is recorded or that has none."""
        self._reserved.pop(request, None)

    def _is_within(self, agent: str, call: str) -> bool:
        return not call or call == agent or call in self.calls_around(agent)

    def _check_seconds(self, limit: UsageLimit) -> None:
        if limit.seconds is None:
            return
        windowed = self.is_open and limit.window
        seconds = self._seconds_since(self._clock() - limit.window) if windowed else self.seconds()
        if seconds >= limit.seconds:
            raise limit.make_error(f"has executed for its {format_seconds(limit.seconds)}")

    def _check_fits(self, limit: UsageLimit, within: str, reservation: Reservation, model: str) -> None:
        used = self._used_of(limit, within)
        pending = [
            each
            for request, reserved in self._reserved.items()
            if self._is_within(_agent_of(request), within)
            for each in reserved
        ]
        pending.append(reservation)
        raise_it = f"raise {limit.settings} or ask for less"
        if limit.tokens is not None:
            planned = sum(each.prompt_tokens + each.completion_tokens for each in pending)
            if used.tokens + planned > limit.tokens:
                raise limit.make_error(
                    f"has used {used.tokens:,} of its {limit.tokens:,} tokens, and the requests to come "
                    f"need about {planned:,}; {raise_it}"
                )
        if limit.cost is not None:
            most = format_dollars(limit.cost)
            costs = [used.cost, *(each.cost for each in pending)]
            if None in costs:
                raise NoModelError(f"{limit.owner} may cost {most}, but {describe_missing_price(model)}")
            if sum(each or 0.0 for each in costs) > limit.cost:
                raise limit.make_error(
                    f"has used {format_dollars(used.cost or 0.0)} of its {most}, "
                    f"and the requests to come exceed the rest; {raise_it}"
                )


def _estimate(model: str, prompt: int, max_tokens: int | None, price: Price | None) -> Reservation:
    completion = DEFAULT_OUTPUT_TOKENS if max_tokens is None else max_tokens
    return Reservation(model, prompt, completion, None if price is None else price.cost(prompt, completion))


def _agent_of(call: str) -> str:
    """The agent's call for the id of a request; any other call unchanged."""
    return call.partition(":")[0]


def _executed_seconds(
    history: Iterable[Position], is_counted: Callable[[Item], bool], since: float = -math.inf
) -> float:
    """Sum the seconds of all executions after ``since``, each from its start to its last counted item.

    The execution in which the counted items begin starts with the first of them.
    """
    total = first = last = 0.0
    has_begun = False
    for position in history:
        if isinstance(position.item, (RunOpened, RunResumed)):
            total += max(0.0, last - max(first, since))
            first = last = position.at
        if is_counted(position.item):
            if not has_begun:
                has_begun, first = True, position.at
            last = position.at
    return total + max(0.0, last - max(first, since))
