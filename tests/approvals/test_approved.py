"""The body of an approved call compares what was approved where it writes: a stale yes writes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from remit import Effect, LeafContext, Risk, Stack, tool
from remit.errors import ConflictError, RateLimitedError
from remit.journal.ports import Store
from remit.layers import CallLayer, Retry, Validate
from remit.record.items import AttemptEnded, AttemptStarted
from remit.testing import Scripted, calls, superuser
from remit.tools import Preview, Referent, check_approved_state, find_approvers
from tests.approvals.site import DROP as DROP_PAGE
from tests.approvals.site import PageRef, Site, decide, open_question
from tests.runtime.kit import AnyTool, Clock, Crash, Mortal, items_of, last_reply, loosen, runtime_of, tool_messages

ADA, BOB = superuser(name="ada"), superuser(name="bob")
DROP = calls(("drop", {"title": "About"}))
WRITES = [Effect.UNSAFE, Effect.KEYED, Effect.IDEMPOTENT]


class Pages:
    """A page, whose tool compares it with what was approved. ``edits`` are made by others while its body runs."""

    def __init__(self, effect: Effect = Effect.KEYED, *edits: Callable[[], None]) -> None:
        self.sections = 2
        self.edits = [*edits]
        self.dropped: list[int] = []

        @tool(effect=effect, risk=Risk.HIGH)
        async def drop(_ctx: LeafContext, title: str) -> str:
            """Drop a page."""
            if self.edits:
                self.edits.pop(0)()
            await check_approved_state()
            self.dropped.append(self.sections)
            return title

        self.drop: AnyTool = drop.with_preview(self.preview)

    def edit(self) -> None:
        self.sections += 1

    async def preview(self, _ctx: LeafContext, payload: Any) -> Preview:
        return Preview(f"{payload.title} with {self.sections} sections", state=str(self.sections))


async def test_the_body_knows_who_approved_its_call_and_one_that_asked_nobody_knows_nobody(store: Store) -> None:
    found: list[tuple[str, ...]] = []

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def drop(_ctx: LeafContext, title: str) -> str:
        """Drop a page."""
        found.append(find_approvers())
        return title

    @tool(effect=Effect.KEYED, risk=Risk.SAFE)
    async def keep(_ctx: LeafContext, title: str) -> str:
        """Keep a page."""
        found.append(find_approvers())
        return title

    assert find_approvers() == ()
    runtime = runtime_of(Scripted([calls(("keep", {"title": "Jobs"})), DROP, "done"]), keep, drop, store=store)
    await runtime.run("go", by=ADA)
    await decide(runtime, store)
    assert found == [(), ("bob",)]


async def attempts(store: Store, run: str) -> list[tuple[int, str, bool]]:
    """The ends of the attempts of the tool, and whether each is known not to have happened."""
    items = await items_of(store, run)
    starts = [item.call for item in items if isinstance(item, AttemptStarted)]
    ends = [item for item in items if isinstance(item, AttemptEnded) and item.call in starts]
    return [(item.attempt, item.outcome, item.void) for item in ends]


@pytest.mark.parametrize("effect", WRITES)
async def test_a_state_that_changes_between_the_check_and_the_write_is_asked_about_anew(
    store: Store, effect: Effect
) -> None:
    pages = Pages(effect)
    pages.edits.append(pages.edit)
    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop, store=store)
    waiting = await runtime.run("go", by=ADA)
    result = await decide(runtime, store)
    assert (result.status, pages.dropped) == ("waiting", [])
    question = await open_question(store)
    assert (question.shown, question.replaces) == ("About with 3 sections", waiting.questions[0])
    assert question.why.endswith("since it was approved: it was About with 2 sections")
    assert ((await decide(runtime, store)).status, pages.dropped) == ("done", [3])
    assert await attempts(store, waiting.run) == [(1, "error", True), (2, "ok", False)]
    assert (await runtime.replay(waiting.run)).is_identical


async def test_a_state_that_changes_back_runs_on_the_approval_of_it(store: Store) -> None:
    pages = Pages(Effect.UNSAFE, lambda: None)
    seen = iter([2, 2, 3, 2, 2])

    async def preview(_ctx: LeafContext, _payload: Any) -> Preview:
        return Preview("About", state=str(next(seen)))

    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop.with_preview(preview), store=store)
    waiting = await runtime.run("go", by=ADA)
    assert ((await decide(runtime, store)).status, pages.dropped) == ("done", [2])
    assert await attempts(store, waiting.run) == [(1, "error", True), (2, "ok", False)]


async def test_a_state_that_changes_in_every_write_ends_the_call_after_some_rounds(store: Store) -> None:
    pages, number = Pages(Effect.KEYED), 0

    async def preview(_ctx: LeafContext, _payload: Any) -> Preview:
        nonlocal number
        number += 1
        return Preview("About", state="new" if number > 2 and number % 2 else "old")

    model = Scripted([DROP, "done"])
    runtime = runtime_of(model, pages.drop.with_preview(preview), store=store)
    await runtime.run("go", by=ADA)
    assert ((await decide(runtime, store)).status, pages.dropped) == ("done", [])
    assert last_reply(model)["error"] == "drop has changed after each of 20 approvals"


async def test_a_call_that_may_have_written_in_an_earlier_attempt_ends_in_a_conflict(store: Store) -> None:
    pages = Pages(Effect.KEYED)

    def fail() -> None:
        raise RateLimitedError("busy")

    pages.edits = [fail, pages.edit]
    model = Scripted([DROP, "done"])
    runtime = runtime_of(model, pages.drop.layer(Retry(base_delay=0.001)), store=store)
    waiting = await runtime.run("go", by=ADA)
    assert ((await decide(runtime, store)).status, pages.dropped) == ("done", [])
    assert last_reply(model)["errorCode"] == "CONFLICT"
    assert last_reply(model)["error"] == (
        "the state that drop was approved for has changed: it was About with 2 sections, and is About with 3 sections"
    )
    assert await attempts(store, waiting.run) == [(1, "error", False), (2, "error", False)]


async def test_an_idempotent_call_that_died_after_its_write_is_made_again_over_its_own_change() -> None:
    clock = Clock()
    store, pages = Mortal(clock), Pages(Effect.IDEMPOTENT)

    @tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
    async def drop(_ctx: LeafContext, title: str) -> str:
        """Drop a page."""
        await check_approved_state()
        pages.edit()
        pages.dropped.append(pages.sections)
        if len(pages.dropped) == 1:
            store.die_at(1, after=False)
        return title

    runtime = runtime_of(Scripted([DROP, "done"]), drop.with_preview(pages.preview), store=store, clock=clock)
    waiting = await runtime.run("go", by=ADA)
    with pytest.raises(Crash):
        await decide(runtime, store)
    store.revive()
    clock.now += 60
    assert ((await runtime.resume(waiting.run)).status, pages.dropped) == ("done", [3, 4])
    assert (await runtime.replay(waiting.run)).is_identical


async def test_what_changed_after_a_first_check_may_be_the_calls_own_write(store: Store) -> None:
    pages = Pages(Effect.UNSAFE)

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def drop(_ctx: LeafContext, title: str) -> str:
        """Drop a page, and then something else."""
        await check_approved_state()
        pages.dropped.append(pages.sections)
        pages.edit()
        await check_approved_state()
        return title

    model = Scripted([DROP, "done"])
    runtime = runtime_of(model, drop.with_preview(pages.preview), store=store)
    waiting = await runtime.run("go", by=ADA)
    assert ((await decide(runtime, store)).status, pages.dropped) == ("done", [2])
    assert (last_reply(model)["errorCode"], await attempts(store, waiting.run)) == ("CONFLICT", [(1, "error", False)])


async def test_a_call_that_no_layer_can_ask_about_any_more_ends_in_a_conflict(store: Store) -> None:
    pages, model = Pages(Effect.KEYED), Scripted([DROP, "done"])
    pages.edits.append(pages.edit)
    waiting = await runtime_of(model, pages.drop, store=store).run("go", by=ADA)
    bare = runtime_of(model, pages.drop, store=store, layers=Stack[CallLayer](Validate()))
    await bare.decide(waiting.questions[0], approved=True, by=BOB)
    await loosen(bare, waiting.run)
    assert ((await bare.resume(waiting.run)).status, pages.dropped) == ("done", [])
    assert last_reply(model)["errorCode"] == "CONFLICT"


async def test_an_object_that_changes_between_the_check_and_the_write_is_asked_about_anew(store: Store) -> None:
    site = Site()
    edits = [lambda: site.revise("7", "4")]

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def drop(_ctx: LeafContext, page: PageRef) -> str:
        """Drop a page."""
        if edits:
            edits.pop()()
        await check_approved_state()
        assert isinstance(page, Referent)
        site.dropped.append((page, page.revision))
        return page

    site.drop = drop
    runtime = site.runtime(DROP_PAGE, "done", store=store)
    await runtime.run("go", by=ADA)
    assert ((await decide(runtime, store)).status, site.dropped) == ("waiting", [])
    assert (await open_question(store)).shown == "the page “Home”, revision 4"
    assert ((await decide(runtime, store)).status, site.dropped) == ("done", [("7", "4")])


async def test_a_call_that_nobody_had_to_approve_passes_and_so_does_one_about_no_state(store: Store) -> None:
    pages = Pages(Effect.KEYED)
    free: AnyTool = tool(name="drop", effect=Effect.KEYED)(pages.drop.function)
    assert (await runtime_of(Scripted([DROP, "done"]), free, store=store).run("go", by=ADA)).status == "done"
    plain: AnyTool = tool(name="drop", effect=Effect.KEYED, risk=Risk.HIGH)(pages.drop.function)
    runtime = runtime_of(Scripted([DROP, "done"]), plain, store=store)
    await runtime.run("go", by=ADA)
    assert (await decide(runtime, store)).status == "done"
    assert pages.dropped == [2, 2]
    await check_approved_state()


@pytest.mark.parametrize("body", ["that compares it", "that does not", "that is about none"])
async def test_operators_are_told_of_a_body_that_ran_without_comparing_the_state(
    store: Store, caplog: pytest.LogCaptureFixture, body: str
) -> None:
    pages = Pages(Effect.KEYED)

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def drop(_ctx: LeafContext, title: str) -> str:
        """Drop a page."""
        return title

    bodies = {"that compares it": pages.drop, "that does not": drop.with_preview(pages.preview)}
    runtime = runtime_of(Scripted([DROP, "done"]), bodies.get(body, drop), store=store)
    await runtime.run("go", by=ADA)
    assert (await decide(runtime, store)).status == "done"
    warned = [each.getMessage() for each in caplog.records if each.name == "remit.approvals.approved"]
    assert len(warned) == (body == "that does not")
    assert all(each.startswith("drop ran without comparing the state in which it was approved; ") for each in warned)


async def test_a_body_that_keeps_the_conflict_to_itself_has_written_nothing_and_ends_as_it_says(store: Store) -> None:
    pages = Pages(Effect.UNSAFE)

    @tool(effect=Effect.UNSAFE, risk=Risk.HIGH)
    async def drop(_ctx: LeafContext, title: str) -> str:
        """Drop a page, if it is as it was."""
        pages.edit()
        try:
            await check_approved_state()
        except ConflictError:
            return f"left {title} alone"
        return title

    model = Scripted([DROP, "done"])
    runtime = runtime_of(model, drop.with_preview(pages.preview), store=store)
    waiting = await runtime.run("go", by=ADA)
    assert (await decide(runtime, store)).status == "done"
    assert await attempts(store, waiting.run) == [(1, "ok", False)]


async def test_a_call_made_after_an_approved_one_is_not_compared_with_its_state(store: Store) -> None:
    pages = Pages(Effect.KEYED)

    @tool(effect=Effect.IDEMPOTENT)
    async def note() -> str:
        """Note something."""
        await check_approved_state()
        return "noted"

    model = Scripted([DROP, calls(("note", {})), "done"])
    runtime = runtime_of(model, pages.drop, note, store=store)
    await runtime.run("go", by=ADA)
    pages.edits.append(lambda: None)
    result = await decide(runtime, store)
    assert (result.status, (await tool_messages(runtime, result.run))[1:]) == ("done", ["noted"])
