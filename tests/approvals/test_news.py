"""A question marks what is new since the last yes of its rule."""

from __future__ import annotations

import pytest

from remit import Effect, LeafContext, Risk, tool
from remit.journal.ports import Store
from remit.testing import Scripted, calls, superuser
from remit.tools import Change
from tests.runtime.kit import runtime_of

ADA = superuser()


@tool(effect=Effect.KEYED, risk=Risk.HIGH)
async def pay(ctx: LeafContext, to: str, euros: int) -> str:
    """Pay an amount."""
    return f"{euros} to {to}"


@pytest.mark.parametrize("decided", ["approved", "denied", "edited"])
async def test_arguments_that_differ_from_the_last_approved_call_are_marked(store: Store, decided: str) -> None:
    script = [calls(("pay", {"to": "carl", "euros": each})) for each in (20, 30)]
    runtime = runtime_of(Scripted([*script, "done"]), pay, store=store)
    first = await runtime.run("go", by=ADA)
    edit = '{"to":"carl","euros":25}' if decided == "edited" else ""
    await runtime.decide(first.questions[0], approved=decided != "denied", by=ADA, arguments=edit)
    second = await runtime.resume(first.run)
    news = list[tuple[Change, ...]]()
    for question in (first.questions[0], second.questions[0]):
        row = await store.find_question(question)
        assert row is not None
        news.append(row.question.news)
    before = {"approved": "20", "edited": "25"}.get(decided)
    assert news == [(), (Change("euros", before, "30"),) if before else ()]


async def test_the_same_call_again_has_nothing_new(store: Store) -> None:
    once = calls(("pay", {"to": "carl", "euros": 20}))
    runtime = runtime_of(Scripted([once, once, "done"]), pay, store=store)
    first = await runtime.run("go", by=ADA)
    await runtime.decide(first.questions[0], approved=True, by=ADA)
    second = await runtime.resume(first.run)
    row = await store.find_question(second.questions[0])
    assert row is not None
    assert row.question.news == ()
