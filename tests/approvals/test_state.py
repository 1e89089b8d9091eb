"""An approval is bound to the state that the approver saw: what changed since is asked about anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from remit import Agent, App, Context, Effect, LeafContext, Policy, Risk, Runtime, Stack, preset, tool
from remit.app import Env
from remit.errors import RateLimitedError
from remit.journal.ports import Store
from remit.layers import Approve, CallLayer, Retry, Validate
from remit.policies import Decision, HighRisk, Question
from remit.record.items import QuestionItem
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.tools import Preview
from tests.runtime.kit import AnyTool, Clock, find_superuser, items_of, last_reply, loosen, runtime_of

ADA, BOB = superuser(name="ada"), superuser(name="bob")
DROP = calls(("drop", {"title": "About"}))
WEEK = 7 * 24 * 3600.0


class Pages:
    """The number of sections of a page, and the deletions that ran with it."""

    def __init__(self, effect: Effect = Effect.KEYED, *, confirm: bool = False, fail: int = 0) -> None:
        self.sections = 2
        self.dropped: list[int] = []
        self.previews = 0

        async def drop(ctx: LeafContext, title: str) -> str:
            """Drop a page."""
            self.dropped.append(self.sections)
            self.sections += 100
            if len(self.dropped) <= fail:
                raise RateLimitedError("busy")
            return "dropped"

        async def confirmed_drop(_ctx: LeafContext, title: str, confirmed: bool = False) -> str:
            """Drop a page, or say what would be dropped."""
            return await drop(None, title) if confirmed else "would be dropped"  # pyright: ignore[reportArgumentType]

        decorate = tool(name="drop", effect=effect, risk=Risk.HIGH, confirm="confirmed" if confirm else None)
        self.drop: AnyTool = decorate(confirmed_drop if confirm else drop).with_preview(self.preview)

    async def preview(self, _ctx: LeafContext, payload: Any) -> Preview:
        self.previews += 1
        return Preview(f"{payload.title} with {self.sections} sections", state=f"r{self.sections}")


async def question_of(store: Store, question: str) -> Question:
    row = await store.find_question(question)
    assert row is not None
    return row.question


async def test_a_call_whose_state_is_the_same_runs_on_its_approval(store: Store) -> None:
    pages = Pages()
    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop, store=store)
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    assert (await runtime.resume(waiting.run)).status == "done"
    assert (pages.dropped, pages.previews) == ([2], 2)
    assert (await runtime.replay(waiting.run)).is_identical


async def test_a_state_that_changed_while_the_run_waited_is_asked_about_anew_with_the_difference(store: Store) -> None:
    pages = Pages()
    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop, store=store)
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    pages.sections = 3
    again = await runtime.resume(waiting.run)
    assert (again.status, pages.dropped) == ("waiting", [])
    question = await question_of(store, again.questions[0])
    assert question.shown == "About with 3 sections"
    assert question.why.endswith(
        "; asked again, because the state has changed since it was approved: it was About with 2 sections"
    )
    assert question.replaces == waiting.questions[0]
    row = await store.find_question(waiting.questions[0])
    assert row is not None
    assert row.status == "taken"
    await runtime.decide(again.questions[0], approved=True, by=BOB)
    assert (await runtime.resume(waiting.run)).status == "done"
    assert pages.dropped == [3]
    assert (await runtime.replay(waiting.run)).is_identical


async def test_a_state_that_changes_again_and_back_is_asked_about_each_time(store: Store) -> None:
    pages = Pages()
    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop, store=store)
    result = await runtime.run("go", by=ADA)
    for sections in (3, 2, 3, 2):
        await runtime.decide(result.questions[0], approved=True, by=BOB)
        pages.sections = sections
        result = await runtime.resume(result.run)
        assert (result.status, pages.dropped) == ("waiting", [])
    assert "since it was approved: it was About with 3 sections" in (await question_of(store, result.questions[0])).why
    await runtime.decide(result.questions[0], approved=False, by=BOB)
    assert ((await runtime.resume(result.run)).status, pages.dropped) == ("done", [])


async def test_an_approver_of_this_process_is_asked_again_at_once(store: Store) -> None:
    pages, seen = Pages(), list[str]()

    class Slow:
        async def decide(self, question: Question, /) -> Decision | None:
            seen.append(question.shown)
            pages.sections = 3
            return Decision(question=question.id, approved=True, by="bob")

    layers = preset(Env(approver=Slow()))
    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop, store=store, layers=layers)
    assert (await runtime.run("go", by=ADA)).status == "done"
    assert (seen, pages.dropped) == (["About with 2 sections", "About with 3 sections"], [3])


async def test_an_announced_call_is_bound_to_the_state_of_its_announcement(store: Store) -> None:
    pages = Pages(confirm=True)
    runtime = runtime_of(Scripted([DROP, "sure?", "done"]), pages.drop, store=store)
    await runtime.run("drop it", by=ADA, conversation="c")
    (row,) = await store.list_questions()
    run = await runtime.decide(row.question.id, approved=True, by=BOB)
    pages.sections = 3
    assert run is not None
    waiting = await runtime.resume(run)
    assert (waiting.status, pages.dropped) == ("waiting", [])
    assert (await question_of(store, waiting.questions[0])).shown == "About with 3 sections"
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    assert ((await runtime.resume(waiting.run)).status, pages.dropped) == ("done", [3])


async def test_an_edit_is_bound_to_the_state_of_the_question(store: Store) -> None:
    pages = Pages()
    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop, store=store)
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB, arguments='{"title":"Home"}')
    pages.sections = 3
    again = await runtime.resume(waiting.run)
    question = await question_of(store, again.questions[0])
    assert (again.status, question.arguments, question.shown) == (
        "waiting",
        '{"title":"Home"}',
        "Home with 3 sections",
    )
    assert (question.edits, question.editor) == (waiting.questions[0], "bob")


async def test_each_of_two_policies_is_asked_about_the_present_state(store: Store) -> None:
    pages = Pages()
    inner = Approve(Env(), policy=Policy.only(HighRisk("second look")))
    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop.layer(inner), store=store)
    result = await runtime.run("go", by=ADA)
    asked = list[tuple[str, str]]()
    for sections in (2, 3, 3, 3, 3):
        question = await question_of(store, result.questions[0])
        asked.append((question.rule, question.shown))
        await runtime.decide(question.id, approved=True, by=BOB)
        pages.sections = sections
        result = await runtime.resume(result.run)
        if result.status == "done":
            break
    assert asked == [
        ("high risk", "About with 2 sections"),
        ("second look", "About with 2 sections"),
        ("high risk", "About with 3 sections"),
        ("second look", "About with 3 sections"),
    ]
    assert pages.dropped == [3]


async def test_a_retry_of_a_call_that_has_begun_is_the_same_use(store: Store) -> None:
    pages = Pages(fail=1)
    runtime = runtime_of(Scripted([DROP, "done"]), pages.drop.layer(Retry(base_delay=0.001)), store=store)
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    assert (await runtime.resume(waiting.run)).status == "done"
    assert (pages.dropped, pages.previews) == ([2, 102], 2)


async def test_a_composed_call_is_compared_before_it_begins_and_not_again(store: Store) -> None:
    pages = Pages(Effect.KEYED)
    drop = pages.drop

    @tool(effect=Effect.COMPOSED, risk=Risk.HIGH)
    async def tidy(ctx: Context, title: str) -> str:
        """Tidy up."""
        return await ctx.call(drop, title)

    outer = tidy.with_preview(pages.preview)
    agent = Agent("agent", instructions="Work.", tools=[outer])
    model = Scripted([calls(("tidy", {"title": "About"})), "done"])
    runtime = Runtime(App(name="a", agents=(agent,), tools=(drop,)), model=model, store=store, directory=find_superuser)
    result = await runtime.run("go", by=ADA)
    await runtime.decide(result.questions[0], approved=True, by=BOB)
    pages.sections = 3
    result = await runtime.resume(result.run)
    assert (await question_of(store, result.questions[0])).tool == "tidy"
    await runtime.decide(result.questions[0], approved=True, by=BOB)
    result = await runtime.resume(result.run)
    assert (await question_of(store, result.questions[0])).tool == "drop"
    await runtime.decide(result.questions[0], approved=True, by=BOB)
    assert ((await runtime.resume(result.run)).status, pages.dropped) == ("done", [3])
    assert (await runtime.replay(result.run)).is_identical


async def test_a_preview_that_fails_before_the_call_runs_ends_the_call(store: Store) -> None:
    pages = Pages()
    model = Scripted([DROP, "done"])
    runtime = runtime_of(model, pages.drop, store=store)
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    pages.sections = None  # pyright: ignore[reportAttributeAccessIssue] - what the preview cannot show
    pages.preview = None  # pyright: ignore[reportAttributeAccessIssue]
    gone = pages.drop.with_preview(_fail)
    after = runtime_of(model, gone, store=store)
    assert (await after.resume(waiting.run)).status == "done"
    assert (last_reply(model)["error"], pages.dropped) == ("the preview of drop failed: OSError: gone", [])


async def _fail(_ctx: LeafContext, _payload: Any) -> str:
    raise OSError("gone")


async def test_an_approval_under_a_runtime_without_a_policy_does_not_outlive_the_state(store: Store) -> None:
    pages, model = Pages(), Scripted([DROP, "done"])
    runtime = runtime_of(model, pages.drop, store=store)
    waiting = await runtime.run("go", by=ADA)
    await runtime.decide(waiting.questions[0], approved=True, by=BOB)
    pages.sections = 3
    bare = runtime_of(model, pages.drop, store=store, layers=Stack[CallLayer](Validate()))
    await loosen(bare, waiting.run)
    await bare.resume(waiting.run)
    reply = last_reply(model)
    assert (reply["errorCode"], reply["error"]) == (
        "SEAL_BROKEN",
        "the state that drop was approved for has changed",
    )
    assert pages.dropped == []


def redefined(pages: Pages, **facts: Any) -> AnyTool:
    return tool(name="drop", effect=Effect.KEYED, **facts)(pages.drop.function)


CHANGES: dict[str, tuple[Callable[[Pages], AnyTool], str]] = {
    "risk lowered": (
        lambda pages: redefined(pages, risk=Risk.SAFE),
        (
            "the policy no longer asks, but a call that was asked about needs an answer; asked again, because the risk "
            "of drop was high and is safe now"
        ),
    ),
    "permissions changed": (
        lambda pages: redefined(pages, risk=Risk.HIGH, permissions="pages:drop"),
        "drop is high-risk; asked again, because the definition of drop has changed",
    ),
    "definition changed": (
        lambda pages: tool(name="drop", effect=Effect.KEYED, risk=Risk.HIGH, description="Drop it.")(
            pages.drop.function
        ),
        "drop is high-risk; asked again, because the definition of drop has changed",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("decided", [True, False, None], ids=["approved before", "denied before", "open"])
async def test_a_tool_that_changed_while_its_question_was_open_is_asked_about_with_words_that_say_so(
    store: Store, change: str, decided: bool | None
) -> None:
    pages, model = Pages(), Scripted([DROP, "done"])
    before = runtime_of(model, pages.drop, store=store)
    waiting = await before.run("go", by=ADA)
    if decided is not None:
        await before.decide(waiting.questions[0], approved=decided, by=BOB)
    change_tool, reason = CHANGES[change]
    after = runtime_of(model, change_tool(pages), store=store)
    again = await after.resume(waiting.run)
    if decided is False:
        assert (again.status, pages.dropped, last_reply(model)["errorCode"]) == ("done", [], "APPROVAL_DENIED")
        return
    assert (again.status, pages.dropped) == ("waiting", [])
    assert (await question_of(store, again.questions[0])).why == reason
    await after.decide(again.questions[0], approved=True, by=BOB)
    assert ((await after.resume(waiting.run)).status, pages.dropped) == ("done", [2])
    assert len([i for i in await items_of(store, waiting.run) if isinstance(i, QuestionItem)]) == 2


async def test_a_question_that_expired_denies_the_call_whatever_has_changed_since() -> None:
    clock = Clock()
    pages, model, store = Pages(), Scripted([DROP, "done"]), InMemoryStore(clock)
    waiting = await runtime_of(model, pages.drop, store=store, clock=clock).run("go", by=ADA)
    clock.now += WEEK
    after = runtime_of(model, redefined(pages, risk=Risk.SAFE), store=store, clock=clock)
    assert (await after.resume(waiting.run)).status == "done"
    assert (last_reply(model)["errorCode"], pages.dropped) == ("APPROVAL_DENIED", [])


async def test_an_edit_does_not_outlive_the_definition_that_was_edited(store: Store) -> None:
    pages, model = Pages(), Scripted([DROP, "done"])
    before = runtime_of(model, pages.drop, store=store)
    waiting = await before.run("go", by=ADA)
    await before.decide(waiting.questions[0], approved=True, by=BOB, arguments='{"title":"Home"}')
    after = runtime_of(model, redefined(pages, risk=Risk.SAFE), store=store)
    (again,) = (await after.resume(waiting.run)).questions
    question = await question_of(store, again)
    assert question.arguments == '{"title":"Home"}'
    assert "bob edited it; asked again, because the risk of drop was high and is safe now" in question.why


@pytest.mark.parametrize("changes", [None, 7])
async def test_a_preview_that_is_malformed_ends_the_call(store: Store, changes: Any) -> None:
    async def malformed(_ctx: LeafContext, _payload: Any) -> Preview:
        return Preview("drop", changes)

    model = Scripted([DROP, "done"])
    runtime = runtime_of(model, Pages().drop.with_preview(malformed), store=store)
    assert (await runtime.run("go", by=ADA)).status == "done"
    assert last_reply(model)["error"].startswith("the preview of drop failed: SetupError")
