"""A body that is driven again makes the calls that the journal knows before any other goes."""

from __future__ import annotations

import asyncio

import pytest

from remit.errors import DivergedError
from remit.journal.before_calls import STALL_TIMEOUT
from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.record.items import Item, ToolOutput
from remit.testing.store_suite.samples import Clock, header_item, positions, question, question_item, start_item

pytestmark = pytest.mark.looptime


def output(call: str, *, parent: str = "root") -> ToolOutput:
    return ToolOutput(call=call, parent=parent, callee=f"tool_{call}", wire="", text="{}", outcome="ok")


def driven_again(*known: Item) -> RunLedger:
    clock = Clock()
    items = positions("run", known)
    return RunLedger(InMemoryStore(clock), "run", 2, clock=clock, on_stored=lambda _: None, history=items)


def idle() -> bool:
    return False


def busy() -> bool:
    return True


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_in_a_new_run_every_call_goes_at_once() -> None:
    ledger = driven_again()
    assert ledger.order.claim("root", "a")
    assert ledger.order.claim("root", "b")
    ledger.order.finish("root")


async def test_a_call_that_the_journal_knows_goes_at_once_and_another_waits() -> None:
    ledger = driven_again(start_item("a"), start_item("b"))
    assert ledger.order.claim("root", "a")
    assert not ledger.order.claim("root", "new")
    assert ledger.order.claim("root", "b")
    assert ledger.order.claim("root", "newer")


@pytest.mark.parametrize(
    "known", [start_item("a"), question_item(question(call="a")), output("a")], ids=lambda item: item.kind
)
async def test_a_call_is_known_by_its_start_its_question_or_its_end(known: Item) -> None:
    ledger = driven_again(known)
    assert not ledger.order.claim("root", "new")
    assert ledger.order.claim("root", "a")
    assert ledger.order.claim("root", "newer")


async def test_a_call_of_which_much_is_known_is_one_call() -> None:
    ledger = driven_again(start_item("a"), question_item(question(call="a")), output("a"))
    assert ledger.order.claim("root", "a")
    ledger.order.finish("root")


async def test_calls_of_another_body_and_the_root_itself_are_nobodys_children() -> None:
    ledger = driven_again(header_item(), output("root", parent=""), start_item("a", parent="other"))
    assert ledger.order.claim("root", "new")
    ledger.order.finish("root")
    ledger.order.finish("")
    assert not ledger.order.claim("other", "new")


async def test_claiming_twice_is_claiming_once() -> None:
    ledger = driven_again(start_item("a"), start_item("b"))
    assert ledger.order.claim("root", "a")
    assert ledger.order.claim("root", "a")
    assert not ledger.order.claim("root", "new")


async def test_a_body_is_expected_to_make_the_known_calls_that_it_has_not_made_yet() -> None:
    ledger = driven_again(start_item("a"))
    assert [ledger.order.expects("root"), ledger.order.expects("other")] == [True, False]
    ledger.order.claim("root", "a")
    assert not ledger.order.expects("root")


async def test_waiting_is_over_as_soon_as_the_last_known_call_is_claimed() -> None:
    ledger = driven_again(start_item("a"), start_item("b"))
    begun = now()
    waiting = asyncio.create_task(ledger.order.wait("root", "new", idle))
    await asyncio.sleep(1)
    ledger.order.claim("root", "a")
    await asyncio.sleep(1)
    assert not waiting.done()
    ledger.order.claim("root", "b")
    await waiting
    assert now() - begun == 2


async def test_nobody_waits_where_all_were_claimed() -> None:
    ledger = driven_again(start_item("a"))
    ledger.order.claim("root", "a")
    begun = now()
    await ledger.order.wait("root", "new", idle)
    await ledger.order.wait("nobody", "new", idle)
    assert now() == begun


async def test_a_claim_by_a_task_that_stands_next_in_line_is_not_missed() -> None:
    """As two calls of one `asyncio.gather` do, the first of which the journal does not know."""
    ledger = driven_again(start_item("known"))
    begun = now()

    async def call(name: str) -> None:
        if not ledger.order.claim("root", name):
            await ledger.order.wait("root", name, idle)

    await asyncio.gather(call("new"), call("known"))
    assert now() == begun


async def test_a_body_that_stalls_has_diverged() -> None:
    ledger = driven_again(output("a"))
    begun = now()
    with pytest.raises(DivergedError, match=r"a call \(tool_a\) that the current code does not make; nothing was run"):
        await ledger.order.wait("root", "new", idle)
    assert now() - begun == STALL_TIMEOUT


async def test_while_one_of_its_calls_is_under_way_a_body_has_not_stalled() -> None:
    ledger = driven_again(start_item("a"))
    begun = now()
    waiting = asyncio.create_task(ledger.order.wait("root", "new", busy))
    await asyncio.sleep(10 * STALL_TIMEOUT)
    assert not waiting.done()
    ledger.order.claim("root", "a")
    await waiting
    assert now() - begun == 10 * STALL_TIMEOUT


async def test_a_body_that_ends_without_a_known_call_has_diverged() -> None:
    ledger = driven_again(start_item("0123456789abcdef"), start_item("a"))
    ledger.order.claim("root", "a")
    with pytest.raises(DivergedError, match=r"a call \(01234567\) that"):
        ledger.order.finish("root")
