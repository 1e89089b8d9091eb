"""Budget reserves before a call starts, for a whole run and everything it calls."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Effect, tool
from remit.errors import BudgetError, SetupError
from remit.layers import Budget, Call, Place, Reply
from remit.record.items import AttemptStarted, ModelUsage
from remit.testing import call_through, make_call, memory_ledger
from tests.layers.inner import Inner, stopped_within


@tool(effect=Effect.PURE)
async def look() -> str:
    """Look."""
    return "seen"


@tool(effect=Effect.COMPOSED)
async def all_of_it() -> str:
    """Do it all."""
    return "done"


def used(prompt: int, completion: int) -> ModelUsage:
    return ModelUsage(
        call="a:1", model="m", finish="stop", prompt_tokens=prompt, completion_tokens=completion, response=""
    )


async def test_a_call_within_the_budget_passes_through_untouched() -> None:
    inner = Inner(reply := Reply.from_value("inner"))
    call = await make_call(look)
    assert await call_through(Budget(), call, inner) is reply
    assert inner.calls == [call]


async def test_the_call_after_the_last_is_refused_before_it_starts() -> None:
    ledger, inner = await memory_ledger(), Inner()
    service = Budget(calls=2)(inner)
    for name in ("one", "two"):
        await service(await make_call(look, ledger=ledger, call_id=name))
    with pytest.raises(BudgetError) as caught:
        await service(await make_call(look, ledger=ledger, call_id="three"))
    assert (caught.value.code, caught.value.message) == ("BUDGET_EXCEEDED", "the run has used all of its calls (2)")
    assert not caught.value.retryable
    assert len(inner.calls) == 2


async def test_calls_at_once_are_reserved_before_any_of_them_ends() -> None:
    ledger, under_way, most = await memory_ledger(), 0, 0

    async def inner(call: Call, /) -> Reply:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return Reply.from_value(call.id)

    service = Budget(calls=3)(inner)
    calls = [await make_call(look, ledger=ledger, call_id=str(number)) for number in range(10)]
    outcomes = await asyncio.gather(*map(service, calls), return_exceptions=True)
    assert [isinstance(outcome, BudgetError) for outcome in outcomes] == [False] * 3 + [True] * 7
    assert most == 3


async def test_the_same_call_again_costs_nothing() -> None:
    call, inner = await make_call(look), Inner()
    service = Budget(calls=1)(inner)
    await service(call)
    await service(call.replace(attempt=2))
    assert len(inner.calls) == 2


async def test_what_the_journal_says_was_started_counts() -> None:
    started = AttemptStarted(call="before", parent="", callee="save", attempt=1)
    with pytest.raises(BudgetError, match=r"used all of its calls \(1\)"):
        await call_through(Budget(calls=1), await make_call(look, recorded_items=[started]))


async def test_a_composed_call_is_free_for_it_touches_nothing_itself() -> None:
    ledger, inner = await memory_ledger(), Inner()
    service = Budget(calls=1)(inner)
    for number in range(3):
        await service(await make_call(all_of_it, ledger=ledger, call_id=str(number)))
    await service(await make_call(look, ledger=ledger, call_id="the one"))
    assert len(inner.calls) == 4


@pytest.mark.parametrize("effect_of", [look, all_of_it], ids=["pure", "composed"])
async def test_calls_in_calls_go_only_so_deep(effect_of: Any) -> None:
    inner = Inner()
    service = Budget(depth=2)(inner)
    await service(await make_call(effect_of, depth=2))
    with pytest.raises(BudgetError, match="calls are nested 3 levels deep; the limit of this run is 2"):
        await service(await make_call(effect_of, depth=3))
    assert len(inner.calls) == 1


@pytest.mark.parametrize("usage", [used(60, 40), used(100, 0), used(0, 100), used(1000, 1000)])
async def test_a_run_that_has_used_its_tokens_makes_no_more_calls(usage: ModelUsage) -> None:
    with pytest.raises(BudgetError, match="the run has used all of its 100 tokens"):
        await call_through(Budget(tokens=100), await make_call(look, recorded_items=[usage]))


async def test_a_run_with_a_token_left_goes_on() -> None:
    call = await make_call(look, recorded_items=[used(50, 30), used(10, 9)])
    assert (await call_through(Budget(tokens=100), call)).value == "inner"


async def test_without_a_limit_of_tokens_any_number_may_be_used() -> None:
    assert (await call_through(Budget(), await make_call(look, recorded_items=[used(10**9, 10**9)]))).value == "inner"


async def test_what_is_refused_for_another_reason_reserves_nothing() -> None:
    ledger = await memory_ledger()
    with pytest.raises(BudgetError):
        await call_through(Budget(calls=1, depth=1), await make_call(look, ledger=ledger, call_id="deep", depth=2))
    assert ledger.reservations.reserve_call("another", 1)


async def test_cancellation_reaches_inner() -> None:
    assert await stopped_within(Budget(), await make_call(look)) == ["call"]


async def test_two_runs_share_no_budget() -> None:
    service = Budget(calls=1)(Inner())
    assert [(await service(await make_call(look))).value for _ in range(3)] == ["inner"] * 3


async def test_two_budgets_around_one_run_count_the_same_calls() -> None:
    call, inner = await make_call(look), Inner()
    await Budget(calls=1)(Budget(calls=1)(inner))(call)
    assert len(inner.calls) == 1


@pytest.mark.parametrize("wrong", [{"calls": 0}, {"calls": -1}, {"depth": 0}, {"tokens": -5}], ids=str)
async def test_a_budget_that_allows_nothing_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(SetupError, match=r"give a whole number of at least 1$"):
        Budget(**wrong)


async def test_a_budget_of_no_tokens_is_refused_too() -> None:
    with pytest.raises(SetupError, match=r"give a whole number of at least 1$"):
        Budget(tokens=0)


async def test_it_stands_at_its_place_and_prints_its_numbers() -> None:
    assert Budget().place is Place.BUDGET
    assert repr(Budget(calls=3)) == "Budget(calls=3, tokens=None, depth=8)"


@pytest.mark.parametrize("options", [{"cost": 0}, {"seconds": -1.0}, {"cost": True}, {"seconds": "2"}])
def test_cost_and_seconds_are_positive_numbers(options: dict[str, Any]) -> None:
    with pytest.raises(SetupError):
        Budget(**options)


def test_limits_on_cost_and_seconds_are_drawn_if_they_are_set() -> None:
    assert repr(Budget(cost=1.5)) == "Budget(calls=256, tokens=None, depth=8, cost=1.5)"
    assert repr(Budget(tokens=9, seconds=2)) == "Budget(calls=256, tokens=9, depth=8, seconds=2)"
