"""Policies that are slightly wrong: none of them lets a call run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from remit import App, Ask, Block, Effect, Policy, Runtime, When, preset, tool
from remit.app import Env
from remit.errors import RemitError
from remit.layers import Call
from remit.testing import superuser


@dataclass(frozen=True)
class Odd:
    """A rule that returns a value that is no verdict, or raises it."""

    value: Any
    name: str = "odd"

    def __call__(self, _call: Call, /) -> Any:
        """Return or raise the value."""
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


async def late(_call: Call) -> bool:
    """A test that was written with `async`."""
    return True


ODD_ANSWERS: Final[tuple[Any, ...]] = (1, "yes", [True], {"a"}, re.match("a", "a"), bool, None, 0, "")
ODD_VERDICTS: Final[tuple[Any, ...]] = (Block, Ask, "block", True, 0, (), KeyError("x"), ZeroDivisionError())


def policies() -> Iterator[tuple[str, Callable[[], Policy]]]:
    """Policies that are slightly wrong: building or asking them must not let a call run."""
    for answer in ODD_ANSWERS:
        for verdict in (Ask(reason="x"), Block(reason="x")):
            yield f"When(test -> {answer!r}, {verdict!r})", _when(answer, verdict)
    for value in ODD_VERDICTS:
        yield f"rule -> {value!r}", _rule(value)
    yield "When(async test)", lambda: Policy.only(When("odd", cast("Any", late), Block(reason="x")))


def _when(answer: Any, verdict: Any) -> Callable[[], Policy]:
    return lambda: Policy.only(When("odd", lambda _call: answer, verdict))


def _rule(value: Any) -> Callable[[], Policy]:
    return lambda: Policy.only(Odd(value))


async def runs_under(build: Callable[[], Policy]) -> str:
    """Whether a call runs under a policy that is wrong; empty if it is refused or denied."""
    ran: list[int] = []

    @tool(effect=Effect.UNSAFE)
    async def pay(euros: int) -> int:
        """Pay."""
        ran.append(euros)
        return euros

    try:
        layers = preset(Env(), policy=build())
        result = await Runtime(App(name="shop", tools=[pay]), layers=layers).call(pay, superuser(), 7)
    except RemitError:
        return ""
    except Exception as error:  # noqa: BLE001 - it is what is looked for
        return f"raises {type(error).__name__}: {error}"
    return "runs" if ran else "" if result.status == "done" or result.reply is not None else "is left undecided"
