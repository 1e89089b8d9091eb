"""Calls of one conversation share a question about the same call: one uses its approval, the others ask anew."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from remit import Effect, LeafContext, Risk, tool
from remit.errors import ApprovalUsedError
from remit.journal.ports import AppendFuture, Store
from remit.policies import Question
from remit.record.arguments import Limits, parse_arguments
from remit.record.items import Position
from remit.record.ledger import Consumption
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, superuser
from tests.runtime.kit import runtime_of

ADA, BOB = superuser(name="ada"), superuser(name="bob")


class Desk:
    """A tool with a confirmation flag, called from several places of one conversation at once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.dropped: list[str] = []

        @tool(effect=Effect.UNSAFE, risk=Risk.HIGH, confirm="confirmed")
        async def drop(ctx: LeafContext, page: str, *, confirmed: bool = False) -> str:
            """Drop a page."""
            if confirmed:
                self.dropped.append(page)
            return "dropped" if confirmed else "announced"

        self.runtime = runtime_of(Scripted([]), drop, store=store)

    async def call(self, *, confirmed: bool = True) -> RunResult[Any]:
        arguments = parse_arguments(json.dumps({"page": "about", "confirmed": confirmed}), Limits())
        return await self.runtime.call_by_name("drop", arguments, by=ADA, conversation="talk")

    async def ask(self) -> Question:
        """The one open question."""
        (row,) = await self.store.list_questions()
        return row.question

    async def decide(self, **decision: Any) -> None:
        decision = {"approved": True, **decision}
        await self.runtime.decide((await self.ask()).id, by=BOB, **decision)


@pytest.mark.parametrize("first", [0, 1], ids=["the call that opened it", "the other call"])
async def test_a_call_whose_shared_approval_was_used_is_asked_about_anew(store: Store, first: int) -> None:
    desk = Desk(store)
    waiting = [await desk.call(), await desk.call()]
    assert waiting[0].questions == waiting[1].questions
    await desk.decide()
    assert (await desk.runtime.resume(waiting[first].run)).status == "done"
    other = await desk.runtime.resume(waiting[1 - first].run)
    assert (other.status, desk.dropped) == ("waiting", ["about"])
    question = await desk.ask()
    assert question.why == "drop is high-risk; asked again, because another call has used the approval"
    await desk.decide()
    assert (await desk.runtime.resume(other.run)).status == "done"
    assert desk.dropped == ["about", "about"]
    for run in (each.run for each in waiting):
        assert (await desk.runtime.replay(run)).is_identical


async def test_an_edit_that_was_used_is_asked_about_anew(store: Store) -> None:
    desk = Desk(store)
    waiting = [await desk.call(), await desk.call()]
    await desk.decide(arguments='{"page":"news","confirmed":true}')
    assert (await desk.runtime.resume(waiting[0].run)).status == "done"
    other = await desk.runtime.resume(waiting[1].run)
    assert (other.status, desk.dropped) == ("waiting", ["news"])
    question = await desk.ask()
    assert (question.editor, json.loads(question.arguments)["page"]) == ("bob", "news")
    await desk.decide()
    assert (await desk.runtime.resume(other.run)).status == "done"
    assert desk.dropped == ["news", "news"]


async def test_a_shared_denial_denies_every_call(store: Store) -> None:
    desk = Desk(store)
    waiting = [await desk.call(), await desk.call()]
    await desk.decide(approved=False)
    ended = [await desk.runtime.resume(each.run) for each in waiting]
    assert ([each.status for each in ended], desk.dropped) == (["failed", "failed"], [])


class Racing(InMemoryStore):
    """Runs ``intruder`` just before an approval is consumed. A run that tries for ever ends at the hundredth append."""

    def __init__(self) -> None:
        super().__init__()
        self.appends = 0
        self.intruder: Callable[[Consumption], None] | None = None

    def append(
        self, run: str, epoch: int, items: Sequence[Position], consumption: Consumption | None = None
    ) -> AppendFuture:
        self.appends += 1
        assert self.appends < 100, "the run goes round in circles"
        if consumption is not None and self.intruder is not None:
            self.intruder(consumption)
        return super().append(run, epoch, items, consumption)


async def test_a_call_that_loses_its_approval_at_the_last_moment_is_asked_about_anew() -> None:
    store = Racing()
    desk = Desk(store)
    waiting = await desk.call()
    await desk.decide()

    def use(consumption: Consumption) -> None:
        store.intruder = None
        store._consume_decisions(consumption._replace(run="other"))  # pyright: ignore[reportPrivateUsage]

    store.intruder = use
    again = await desk.runtime.resume(waiting.run)
    assert (again.status, desk.dropped) == ("waiting", [])
    await desk.decide()
    assert (await desk.runtime.resume(waiting.run)).status == "done"
    assert desk.dropped == ["about"]


async def test_an_approval_that_can_never_be_consumed_ends_with_an_error() -> None:
    store = Racing()
    desk = Desk(store)
    waiting = await desk.call()
    await desk.decide()

    def refuse(_consumption: Consumption) -> None:
        raise ApprovalUsedError("the decision is gone")

    store.intruder = refuse
    with pytest.raises(ApprovalUsedError, match="the decision is gone"):
        await desk.runtime.resume(waiting.run)
