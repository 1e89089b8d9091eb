"""Windows of a budget: what calls add up to, for whom and in what time, is reserved before a call begins."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remit import Ask, When
from remit.errors import BudgetError, SetupError
from remit.layers import Budget, Window
from remit.record.items import AttemptStarted, ToolOutput, UsesReserved
from remit.stores import SqlStore, Store
from remit.testing import call_through, make_call, memory_ledger
from remit.testing.store_suite.samples import Clock
from tests.approvals.shop import ADA, BOB, CYD, Shop, outcome
from tests.layers.inner import Inner
from tests.runtime.kit import items_of

NOON = datetime(2026, 12, 31, 12, tzinfo=UTC).timestamp()
TWO_MAILS = Window("two mails", calls=2, tools="send_mail")
HUNDRED = Window("a hundred euros", field="euros", amount=100, tools="pay")
A_DAY = Window("a day", field="euros", amount=100, tools="pay", per="principal", every="day")
ASK = When("ask", verdict=Ask(reason="look"), tools="pay")
OVER = "BUDGET_EXCEEDED"


def _output(call: str) -> ToolOutput:
    return ToolOutput(call=call, parent="parent", callee="pay", text="no", outcome="denied")


async def pays(shop: Shop, *amounts: float) -> list[str]:
    async with shop.open() as run:
        return [outcome(await run.call("pay", {"euros": each})) for each in amounts]


async def test_calls_of_a_tool_are_counted_in_the_run_and_others_are_not() -> None:
    shop = Shop(windows=[TWO_MAILS])
    for _ in range(2):
        async with shop.open() as run:
            names = ("send_mail", "read_secret", "send_mail", "read_secret", "send_mail")
            came = [outcome(await run.call(name, {})) for name in names]
            assert came == ["send_mail x", "read_secret", "send_mail x", "read_secret", OVER]


async def test_an_argument_is_summed() -> None:
    assert await pays(Shop(windows=[HUNDRED]), 60, 41, 40, 0.01) == ["pay 60", OVER, "pay 40", OVER]


async def test_sums_of_small_amounts_are_not_over_by_the_error_of_floats() -> None:
    window = Window("one", field="euros", amount=1, tools="pay")
    assert await pays(Shop(windows=[window]), *[0.1] * 11) == ["pay 0.1"] * 10 + [OVER]


async def test_the_error_says_what_is_used_of_what_and_when_it_begins_anew() -> None:
    shop = Shop(windows=[A_DAY], clock=Clock(NOON))
    await shop.call("pay", euros=60)
    reply = (await shop.process().call_by_name("pay", {"euros": 50}, by=ADA)).reply
    assert reply is not None
    assert reply.error is not None
    assert reply.error.message == (
        "pay exceeds the window 'a day' (euros of pay per principal and day): 60 of 100 are used and this call needs 50"
        "; it begins anew at 2027-01-01 00:00 UTC"
    )


@pytest.mark.every_store
async def test_the_runs_of_a_principal_or_tenant_count_together(store: Store) -> None:
    windows = [
        Window("own", field="euros", amount=100, tools="pay", per="principal", every="day"),
        Window("all", field="euros", amount=150, tools="pay", per="tenant", every="day"),
    ]
    shop = Shop(windows=windows, store=store)
    came = [
        await shop.call("pay", by, euros=each) for by, each in ((ADA, 80), (ADA, 30), (BOB, 80), (BOB, 70), (CYD, 90))
    ]
    assert came == ["pay 80", OVER, OVER, "pay 70", "pay 90"]


async def test_calls_of_a_conversation_and_of_an_agent_count_over_its_runs() -> None:
    client = Shop(windows=[Window("mails", calls=1, tools="send_mail", per="conversation")]).process().client(ADA)
    results = [await client.call("send_mail", {}, conversation=each) for each in ("one", "two", "one")]
    assert [outcome(each) for each in results] == ["send_mail x", "send_mail x", OVER]


async def test_a_window_of_seconds_moves_and_one_of_the_calendar_begins_anew() -> None:
    windows = [
        Window("a minute", calls=2, tools="send_mail", per="principal", every=60),
        Window("a day", calls=3, tools="send_mail", per="principal", every="day"),
    ]
    shop = Shop(windows=windows, clock=Clock(NOON))
    came = list[str]()
    for seconds in (0, 30, 29, 1, 60, 12 * 3600):
        shop.clock.pass_by(seconds)
        came.append(await shop.call("send_mail"))
    sent = "send_mail x"
    assert came == [sent, sent, OVER, sent, OVER, sent]


async def test_calls_at_once_never_exceed_a_window() -> None:
    shop = Shop(windows=[TWO_MAILS, Window("five", calls=5, tools="send_mail", per="tenant", every="day")])

    async def one_run() -> list[str]:
        async with shop.open() as run:
            return [outcome(each) for each in await asyncio.gather(*(run.call("send_mail", {"to": t}) for t in "abcd"))]

    came = await asyncio.gather(*(one_run() for _ in range(4)))
    assert [each.count(OVER) >= 2 for each in came] == [True] * 4
    assert len(shop.done) == 5


async def test_a_call_that_waits_holds_what_it_needs_and_returns_it_if_it_is_denied() -> None:
    shop = Shop([ASK], windows=[HUNDRED, A_DAY])
    async with shop.open() as run:
        assert outcome(await run.call("pay", {"euros": 80})) == "waits"
        assert outcome(await run.call("pay", {"euros": 30})) == OVER
    (question,) = await shop.store.list_questions(run=run.id)
    await shop.process().decide(question.question.id, approved=False, by=BOB)
    await shop.process().resume(run.id)
    async with shop.open(idempotency_key="other") as other:
        assert outcome(await other.call("pay", {"euros": 100})) == "waits"
    async with shop.process().client(ADA).open_run(run_id=run.id, idle_seconds=0.01) as again:
        assert outcome(await again.call("pay", {"euros": 10})) == OVER


async def test_a_waiting_call_of_a_cancelled_run_returns_what_it_held() -> None:
    shop = Shop([ASK], windows=[A_DAY])
    async with shop.open() as run:
        await run.call("pay", {"euros": 80})
    await shop.process().cancel(run.id, by=ADA)
    async with shop.open() as other:
        assert outcome(await other.call("pay", {"euros": 100})) == "waits"


async def test_a_call_that_failed_after_it_began_has_used_what_it_reserved() -> None:
    shop = Shop(windows=[HUNDRED, A_DAY], fails=True)
    await shop.call("pay", euros=80)
    shop.fails = False
    assert await shop.call("pay", euros=30) == OVER


async def test_a_call_that_another_layer_refuses_has_used_nothing() -> None:
    ledger = await memory_ledger()
    call = await make_call(Shop().tools()[3], '{"euros":80}', ledger=ledger)
    await call_through(Budget(windows=[HUNDRED]), call, Inner())
    ledger.add(_output("call"))
    second = await make_call(Shop().tools()[3], '{"euros":90}', ledger=ledger, call_id="second")
    await call_through(Budget(windows=[HUNDRED]), second, Inner())


async def test_an_edit_by_the_approver_is_counted_instead_of_what_was_asked() -> None:
    shop = Shop([ASK], windows=[HUNDRED, A_DAY])
    ids = list[str]()
    for edited in ('{"euros":20.0}', '{"euros":81.0}', '{"euros":80.0}'):
        async with shop.open(idempotency_key=edited) as run:
            await run.call("pay", {"euros": 50})
            ids.append(run.id)
        (question,) = await shop.store.list_questions(run=run.id)
        await shop.process().decide(question.question.id, approved=True, by=BOB, arguments=edited)
        await shop.process().resume(run.id)
    assert shop.done == ["pay 20", "pay 80"]
    assert await shop.call("read_secret") == "read_secret"


async def test_a_run_that_continues_in_another_process_counts_on() -> None:
    shop = Shop(windows=[HUNDRED])
    async with shop.open() as run:
        await run.call("pay", {"euros": 60})
    async with shop.process().client(ADA).open_run(run_id=run.id, idle_seconds=0.01) as again:
        assert [outcome(await again.call("pay", {"euros": each})) for each in (50, 40)] == [OVER, "pay 40"]
        await again.close()
    assert (await shop.process().replay(run.id)).difference == ""


async def test_nested_calls_count_like_those_from_outside() -> None:
    shop = Shop(windows=[HUNDRED])
    async with shop.open() as run:
        assert outcome(await run.call("settle", {"amounts": [60, 30, 20]})) == OVER
        assert outcome(await run.call("pay", {"euros": 10})) == "pay 10"
        await run.close()
    assert shop.done == ["pay 60", "pay 30", "pay 10"]
    assert (await shop.process().replay(run.id)).difference == ""


async def test_two_processes_on_one_file_count_together(tmp_path: Path) -> None:
    clock = Clock(NOON)
    stores = [SqlStore.at(tmp_path / "journal.db", clock) for _ in range(2)]
    shops = [Shop(windows=[A_DAY], store=each, clock=clock) for each in stores]
    await shops[0].call("pay", euros=1)
    await asyncio.gather(*(shop.call("pay", euros=30) for shop in shops for _ in range(4)))
    assert sum(len(shop.done) for shop in shops) == 4
    for each in stores:
        await each.close()


async def test_what_a_call_uses_is_on_record_before_it_starts() -> None:
    shop = Shop(windows=[HUNDRED, A_DAY])
    async with shop.open() as run:
        await run.call("pay", {"euros": 5})
    items = await items_of(shop.store, run.id)
    (used,) = [each for each in items if isinstance(each, UsesReserved)]
    assert [(window, bool(subject), amount) for window, subject, amount in used.uses] == [
        ("a hundred euros", False, 5.0),
        ("a day", True, 5.0),
    ]
    assert items.index(used) < next(n for n, each in enumerate(items) if isinstance(each, AttemptStarted))


@pytest.mark.parametrize("euros", ["null", "-1", "true", '"much"', '{"a":1}', "1e999"])
async def test_an_amount_that_cannot_be_summed_is_refused(euros: str) -> None:
    call = await make_call(Shop().tools()[3], f'{{"euros":{euros}}}')
    with pytest.raises(BudgetError):
        await call_through(Budget(windows=[HUNDRED]), call, Inner())


async def test_an_amount_of_an_object_that_there_is_not_is_refused() -> None:
    call = await make_call(Shop().tools()[3], '{"order":null}')
    with pytest.raises(BudgetError, match=r"sums order\.euros, which is null|sums order\.euros, which is None"):
        await call_through(
            Budget(windows=[Window("orders", field="order.euros", amount=100, tools="pay")]), call, Inner()
        )


async def test_a_call_that_has_begun_reserves_nothing_again() -> None:
    ledger = await memory_ledger()
    call = await make_call(Shop().tools()[3], '{"euros":60}', ledger=ledger)
    ledger.add(AttemptStarted(call=call.id, parent="", callee="pay", attempt=1))
    for _ in range(2):
        await call_through(Budget(windows=[HUNDRED]), call, Inner())
    assert not any(isinstance(each, UsesReserved) for each in ledger.items_for(call.id))


async def test_amounts_of_lists_and_objects_are_summed() -> None:
    window = Window("lines", field="order.lines.euros", amount=100, tools="pay")
    ledger = await memory_ledger()
    for number, (lines, fits) in enumerate((([40, "20.5"], True), ([], True), ([40], False))):
        text = f'{{"order":{{"lines":[{",".join(f"""{{"euros":{each!r}}}""" for each in lines)}]}}}}'.replace("'", '"')
        call = await make_call(Shop().tools()[3], text, ledger=ledger, call_id=str(number))
        reply: Any = None
        with contextlib.suppress(BudgetError):
            reply = await call_through(Budget(windows=[window]), call, Inner())
        assert (reply is not None) is fits


def test_windows_that_cannot_count_are_refused() -> None:
    for wrong, message in (
        ({}, "give calls=…, or field=… with amount=…"),
        ({"calls": 1, "field": "x", "amount": 1, "tools": "pay"}, "give calls=…, or field=… with amount=…"),
        ({"field": "x", "tools": "pay"}, "give calls=…, or field=… with amount=…"),
        ({"field": "x", "amount": 1}, "give the tools whose argument 'x' is summed"),
        ({"calls": 1, "per": "tenant"}, "a tenant has no end"),
        ({"calls": 1, "every": "week"}, "give 'hour', 'day', 'month' or a number of seconds"),
        ({"calls": 1, "every": 0}, "give a positive number of seconds"),
        ({"calls": 1, "per": "month"}, "per"),
        ({"calls": 0}, "calls"),
    ):
        with pytest.raises(SetupError, match=message):
            Window("w", **wrong)  # type: ignore[arg-type]
    with pytest.raises(SetupError, match="two windows are named 'two mails'"):
        Budget(windows=[TWO_MAILS, TWO_MAILS])
    with pytest.raises(SetupError, match="the window 'w': there is no tool or agent 'pey'"):
        Shop(windows=[Window("w", calls=1, tools="pey")]).process()
