"""The story of a run looks at each of its items a few times, however many calls the run has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from remit import Agent, App, Effect, Risk, Runtime, tool
from remit.export.story import Story
from remit.record.items import Position, RunOpened
from remit.testing import Scripted, calls, superuser
from remit.views import RunView
from tests.agent.test_learnt_window import Strict, agent_of
from tests.runtime.kit import find_superuser

NO_ARGUMENTS: dict[str, Any] = {}


def nothing(_name: str) -> None:
    """No application: no tool is known."""


class Counted(list[Position]):
    """Positions that count how often one of them is looked at."""

    def __init__(self, positions: Any) -> None:
        super().__init__(positions)
        self.looks = 0

    def __iter__(self) -> Iterator[Position]:
        for position in super().__iter__():
            self.looks += 1
            yield position


@tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


async def test_each_item_is_looked_at_a_few_times_whatever_the_calls() -> None:
    asked = calls(*(("pay", {"amount": number}) for number in range(40)), *([("unknown", NO_ARGUMENTS)] * 40))
    agent = Agent("agent", instructions="Pay.", tools=[pay])
    runtime = Runtime(App(name="test", agents=(agent,)), model=Scripted([asked, "done"]), directory=find_superuser)
    result = await runtime.run("go", by=superuser())
    for question in result.questions[:20]:
        await runtime.decide(question, approved=True, by=superuser())
    for run in (result, await runtime.resume(result.run)):
        positions = Counted(await runtime.store.read(run.run))
        header = cast("RunOpened", next(iter(positions)).item)
        text = Story(positions, header, RunView.of(positions), nothing).thread()
        assert text.count("Pay") >= 20
        assert positions.looks < 5 * len(positions)


async def test_it_tells_that_a_refused_request_was_sent_again_with_fewer_tools() -> None:
    runtime = Runtime(App(name="test", agents=(agent_of(Strict(), finds=12),)))
    result = await runtime.run("word work care done", by=superuser())
    positions = await runtime.store.read(result.run)
    assert (
        "the model was shown fewer tools"
        in Story(positions, cast("RunOpened", positions[0].item), RunView.of(positions), nothing).thread()
    )
