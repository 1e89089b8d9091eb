"""Windows of a budget: what the calls of a subject may add up to, in a time."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, Final, cast

from pydantic import PositiveFloat, PositiveInt

from remit.call.call import Call
from remit.call.contract import names_of
from remit.call.subject import Per, subject_of
from remit.core.argument_types import Converted, Name
from remit.core.call_checks import check_arguments
from remit.core.checks import as_texts, check_number
from remit.errors import BudgetError, SetupError
from remit.record.uses import Every, UseRefusal, UseRequest, counts_again
from remit.shown import show_value

_CALENDAR: Final = ("hour", "day", "month")


def _as_every(what: str, every: Any) -> Any:
    if every is None or every in _CALENDAR:
        return every
    if isinstance(every, str):
        raise SetupError(f"{what} is {show_value(every)}; give 'hour', 'day', 'month' or a number of seconds")
    check_number(what, every)
    if every <= 0:
        raise SetupError(f"{what} is {show_value(every)}; give a positive number of seconds")
    return float(every)


@check_arguments()
@dataclass(frozen=True, slots=True)
class Window:
    """A limit on the calls of a subject in a time: how many there are, or the sum of one of their arguments.

    Args:
        calls: the most calls. Give it, or ``field`` with ``amount``.
        field: the argument that is summed, such as ``euros`` or ``order.total``. Of a list, all parts are summed.
        amount: what the argument may add up to.
        tools: names of tools or agents whose calls count; empty for all calls that a `Budget` counts.
        per: whose calls count together.
        every: a calendar ``hour``, ``day`` or ``month`` (UTC), or any period of this many seconds. None for no end,
            which only a run or a conversation has.
    """

    name: Name
    _: KW_ONLY
    calls: PositiveInt | None = None
    field: str = ""
    amount: PositiveFloat | None = None
    tools: Annotated[Iterable[str], Converted(as_texts)] = frozenset()
    per: Per = "run"
    every: Annotated[Every, Converted(_as_every)] = None

    def __post_init__(self) -> None:
        where = f"Window {show_value(self.name)}"
        if bool(self.field) != (self.amount is not None) or (self.calls is None) == (self.amount is None):
            raise SetupError(f"{where}: give calls=…, or field=… with amount=…")
        if self.field and not self.tools:
            raise SetupError(f"{where}: give the tools whose argument {show_value(self.field)} is summed")
        if self.every is None and self.per not in ("run", "conversation"):
            raise SetupError(f"{where}: give every='day', 'month' or seconds; a {self.per} has no end")

    @property
    def limit(self) -> float:
        """The most calls, or what the argument may add up to."""
        return float(self.calls if self.calls is not None else cast("float", self.amount))

    @property
    def subject_text(self) -> str:
        """What is counted, whose, and for how long, in words: ``euros of pay per principal and day``."""
        tools = f" of {', '.join(sorted(self.tools))}" if self.tools else ""
        return f"{self.field or 'calls'}{tools}{self._whose}"

    @property
    def _whose(self) -> str:
        length = "" if self.every is None else f" and {self.every}" if isinstance(self.every, str) else self._seconds
        return f" per {self.per}{length}"

    @property
    def _seconds(self) -> str:
        return f" in {self.every:,g} s"

    @property
    def terms(self) -> list[str]:
        """What a run's header pins of the window, for each of the tools that it names."""
        tools = [f" of {tool}" for tool in sorted(self.tools)] or [""]
        return [f"{self.field or 'calls'}{tool}{self._whose}" for tool in tools]

    def covers(self, call: Call) -> bool:
        """Whether a call that a budget counts is one of the named tools, if there are any."""
        return not self.tools or any(name in self.tools for name in names_of(call.callee))

    def request(self, call: Call) -> UseRequest:
        """What a call would use.

        Raises:
            BudgetError: the summed argument is no number that is not negative.
        """
        amount = self._sum_field(call) if self.field else 1.0
        subject = "" if self.per == "run" else subject_of(call.caller, self.per, "window", self.name, str(self.every))
        return UseRequest(self.name, subject, amount, self.limit, self.every)

    def _sum_field(self, call: Call) -> float:
        arguments = json.loads(call.canonical_arguments) if call.canonical_arguments else call.arguments.value
        total = 0.0
        for value in _find(arguments, self.field.split(".")):
            number = _as_number(value)
            if number is None or not 0 <= number < math.inf:
                raise BudgetError(
                    f"{call.callee.name} is refused: the window {self.name!r} sums {self.field}, which is "
                    f"{show_value(value)} and not a number of 0 or more"
                )
            total += number
        return total

    def make_error(self, call: Call, refusal: UseRefusal) -> BudgetError:
        """Make the error for a call that does not fit."""
        amount, now = refusal.request.amount, call.ledger.now()
        used, limit = _round(refusal.used), _round(self.limit)
        needs = f" and this call needs {_round(amount)}" if self.field else ""
        again = counts_again(self.every, now)
        when = f"; it begins anew at {again:%Y-%m-%d %H:%M} UTC" if again else ""
        return BudgetError(
            f"{call.callee.name} exceeds the window {self.name!r} ({self.subject_text}): "
            f"{used} of {limit} are used{needs}{when}"
        )


def _find(value: object, path: list[str]) -> Iterator[object]:
    """The values at a path, in all elements of lists. A missing value is None."""
    if isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _find(each, path)
    elif not path:
        yield value
    elif isinstance(value, Mapping):
        yield from _find(cast("Mapping[str, object]", value).get(path[0]), path[1:])
    else:
        yield None


def _as_number(value: object) -> float | None:
    """The number that a value of JSON is or spells, as decimals are spelled. True and false are none."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _round(amount: float) -> str:
    return f"{round(amount, 6):,.15g}"
