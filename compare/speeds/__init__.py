"""One small agent in each framework, whose model answers in the same process. They share a tool, a script and texts."""

from __future__ import annotations

import json
from typing import Final

NAME: Final = "adder"
INSTRUCTIONS: Final = "Add what you are given."
PROMPT: Final = "Add the numbers."
DONE: Final = "All is added."


class Work:
    """What the tool has done since the last `reset`: a framework that does less than its script fails."""

    calls = 0
    total = 0

    @classmethod
    def reset(cls) -> None:
        """Forget it."""
        cls.calls = cls.total = 0

    @classmethod
    def add(cls, a: int, b: int) -> int:
        """The body of the tool."""
        cls.calls += 1
        cls.total += a + b
        return a + b


def script(turns: int, wide: int) -> list[dict[str, dict[str, int]]]:
    """What the model calls: for each turn the arguments of ``wide`` calls by their ids. Then it says `DONE`."""
    return [{f"call_{turn}_{n}": {"a": turn, "b": n} for n in range(wide)} for turn in range(turns)]


def encode_arguments(arguments: dict[str, int]) -> str:
    """Arguments as a provider sends them."""
    return json.dumps(arguments)


def check_work(turns: int, wide: int, text: str) -> None:
    """Compare what was done with the script.

    Raises:
        RuntimeError: a call was not made, made twice or with other arguments, or the answer is another.
    """
    expected = [each for calls in script(turns, wide) for each in calls.values()]
    found = (Work.calls, Work.total, text)
    if found != (len(expected), sum(each["a"] + each["b"] for each in expected), DONE):
        raise RuntimeError(f"a run of {turns} turns with {wide} calls each made {found} of {len(expected)} calls")
