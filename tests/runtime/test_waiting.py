"""A run that waits for a person holds nothing; what runs in the end is exactly what was approved, once, in time."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from remit import Effect, LeafContext, Principal, Risk, Stack, tool
from remit.errors import RequestError
from remit.journal.ports import Store
from remit.journal.sql.store import SqlStore
from remit.layers import CallLayer
from remit.record.items import AttemptStarted, DecisionItem, QuestionItem, RunResumed, RunSuspended
from remit.runtime import Runtime
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import Clock, World, items_of, last_reply, runtime_of, tool_messages

WEEK = 7 * 24 * 3600.0
ERASE = calls(("erase", {"text": "about"}))


def eraser(world: World, effect: Effect = Effect.KEYED) -> Any:
    return world.write("erase", effect, Risk.HIGH)


async def test_a_run_that_waits_has_run_nothing_and_holds_no_task(store: Store) -> None:
    world = World()
    runtime = runtime_of(Scripted([ERASE, "done"]), eraser(world), store=store)
    before = asyncio.all_tasks()
    result = await runtime.run("go", by=superuser())
    assert (result.status, result.reply, result.text) == ("waiting", None, "")
    assert asyncio.all_tasks() == before
    assert world.ran == []
    assert isinstance((await items_of(store, result.run))[-1], RunSuspended)
    row = await store.find_run(result.run)
    assert row is not None
    assert row.status == "waiting"


async def test_the_question_says_everything_that_it_is_bound_to(store: Store) -> None:
    runtime = runtime_of(Scripted([ERASE]), eraser(World()), store=store)
    result = await runtime.run("go", by=superuser(name="ada", tenant="bakery"), conversation="c")
    (row,) = await store.list_questions()
    question = row.question
    assert (question.id,) == result.questions
    assert (question.kind, question.tool, question.arguments) == ("approval", "erase", '{"text":"about"}')
    assert (question.tenant, question.asker, question.agent) == ("bakery", "ada", "agent")
    assert (question.run, question.conversation) == (result.run, "c")
    assert (question.rule, question.risk, question.who) == ("high risk", "high", "approvals:decide")
    assert question.expires - question.asked == WEEK
    assert "erase is high-risk" in question.reason


@pytest.mark.parametrize("effect", [Effect.PURE, Effect.IDEMPOTENT, Effect.KEYED, Effect.UNSAFE])
async def test_an_approved_call_runs_once_when_the_run_is_resumed(store: Store, effect: Effect) -> None:
    world, model = World(), Scripted([ERASE, "done"])
    runtime = runtime_of(model, eraser(world, effect), store=store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser(name="bob"))
    assert world.ran == [], "a decision drives nothing"
    result = await runtime.resume(waiting.run)
    assert (result.status, result.value()) == ("done", "done")
    assert await tool_messages(runtime, waiting.run) == ["wrote about"]
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert world.ran == ["about"]
    assert len(model.requests) == 2
    (row,) = await store.list_questions(only_open=False)
    (started,) = [item for item in await items_of(store, waiting.run) if isinstance(item, AttemptStarted)]
    assert (row.status, row.consumed_by) == ("taken", (waiting.run, started.call))
    assert (await runtime.replay(waiting.run)).is_identical


async def test_a_run_that_nobody_has_decided_about_goes_on_waiting(store: Store) -> None:
    world = World()
    runtime = runtime_of(Scripted([ERASE]), eraser(world), store=store)
    waiting = await runtime.run("go", by=superuser())
    again = await runtime.resume(waiting.run)
    assert (again.status, again.questions) == ("waiting", waiting.questions)
    assert len(await store.list_questions()) == 1, "it is the same question"
    assert world.ran == []


async def test_a_new_runtime_over_a_file_that_is_opened_again_goes_on(journal: Path) -> None:
    world = World()
    first = SqlStore.at(journal)
    waiting = await runtime_of(Scripted([ERASE, "done"]), eraser(world), store=first).run("go", by=superuser())
    await first.close()
    second = SqlStore.at(journal)
    runtime = runtime_of(Scripted([ERASE, "done"]), eraser(world), store=second)
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    await second.close()
    third = SqlStore.at(journal)
    runtime = runtime_of(Scripted([ERASE, "done"]), eraser(world), store=third)
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert world.ran == ["about"]
    assert (await runtime.replay(waiting.run)).is_identical
    await third.close()


async def test_what_runs_is_the_canonical_object_that_the_question_showed(store: Store) -> None:
    seen = list[tuple[set[int], str, int]]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def erase(ctx: LeafContext, pages: set[int], why: str = "old", times: int = 1) -> str:
        """Erase pages."""
        seen.append((pages, why, times))
        return "erased"

    raw = '{ "why" : "caf\\u00e9", "pages" : [3, 1, 2] }'
    runtime = runtime_of(Scripted([calls(("erase", raw)), "done"]), erase, store=store)
    waiting = await runtime.run("go", by=superuser())
    (row,) = await store.list_questions()
    assert row.question.arguments == '{"pages":[1,2,3],"times":1,"why":"café"}'
    await runtime.decide(row.question.id, approved=True, by=superuser())
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert seen == [({1, 2, 3}, "café", 1)]


async def test_a_model_that_sends_other_arguments_on_resume_is_not_asked(store: Store) -> None:
    world = World()
    waiting = await runtime_of(Scripted([ERASE]), eraser(world), store=store).run("go", by=superuser())
    turned = runtime_of(Scripted([calls(("erase", {"text": "home"})), "done"]), eraser(world), store=store)
    await turned.decide(waiting.questions[0], approved=True, by=superuser())
    assert (await turned.resume(waiting.run)).status == "done"
    assert world.ran == ["about"]


@pytest.mark.parametrize("reason", ["", "the page is linked from the home page"])
async def test_a_denial_reaches_the_model_with_its_reason(store: Store, reason: str) -> None:
    world, model = World(), Scripted([ERASE, "understood"])
    runtime = runtime_of(model, eraser(world), store=store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=False, by=superuser(name="bob"), reason=reason)
    assert (await runtime.resume(waiting.run)).value() == "understood"
    said = reason or "bob denied erase"
    assert last_reply(model) == {
        "success": False,
        "cancelled": True,
        "reason": said,
        "error": said,
        "errorCode": "APPROVAL_DENIED",
    }
    assert world.ran == []
    assert (await runtime.replay(waiting.run)).is_identical


TWO = calls(("erase", {"text": "a"}), ("erase", {"text": "b"}))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["in order", "in reverse"])
@pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])
@pytest.mark.parametrize("between", [False, True], ids=["at once", "one by one"])
async def test_two_questions_of_one_reply_are_decided_in_either_order(
    store: Store, order: tuple[int, int], parallel: int, between: bool
) -> None:
    world = World()
    runtime = runtime_of(Scripted([TWO, "done"]), eraser(world), store=store, parallel=parallel)
    waiting = await runtime.run("go", by=superuser())
    assert len(set(waiting.questions)) == 2
    for index in order:
        await runtime.decide(waiting.questions[index], approved=True, by=superuser())
        if between and index == order[0]:
            again = await runtime.resume(waiting.run)
            assert (again.status, again.questions) == ("waiting", (waiting.questions[order[1]],))
            assert world.ran == ["ab"[index]], "what is approved does not wait for its sibling"
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert sorted(world.ran) == ["a", "b"]
    assert await tool_messages(runtime, waiting.run) == ["wrote a", "wrote b"], "replies keep call order"


async def test_of_two_calls_one_may_be_approved_and_the_other_denied(store: Store) -> None:
    world = World()
    runtime = runtime_of(Scripted([TWO, "done"]), eraser(world), store=store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[1], approved=True, by=superuser())
    await runtime.decide(waiting.questions[0], approved=False, by=superuser(), reason="no")
    assert (await runtime.resume(waiting.run)).value() == "done"
    denied, wrote = await tool_messages(runtime, waiting.run)
    assert (json.loads(denied)["errorCode"], wrote, world.ran) == ("APPROVAL_DENIED", "wrote b", ["b"])


async def test_nobody_s_answer_in_time_means_no() -> None:
    clock, world, model = Clock(), World(), Scripted([ERASE, "understood"])
    runtime = runtime_of(model, eraser(world), store=InMemoryStore(clock), clock=clock)
    waiting = await runtime.run("go", by=superuser())
    clock.now += WEEK
    with pytest.raises(RequestError, match="has expired, which denies the call"):
        await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(waiting.run)).value() == "understood"
    assert "was not decided in time" in last_reply(model)["reason"]
    assert world.ran == []


async def test_an_approval_is_not_used_after_its_time() -> None:
    clock, world, model = Clock(), World(), Scripted([ERASE, "understood"])
    runtime = runtime_of(model, eraser(world), store=InMemoryStore(clock), clock=clock)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    clock.now += WEEK
    await runtime.resume(waiting.run)
    assert world.ran == []


async def test_permissions_are_resolved_anew_when_a_run_is_resumed(store: Store) -> None:
    permitted = {"cms:delete"}

    def directory(name: str, tenant: str) -> Principal | None:
        return Principal(name, tenant, permissions=frozenset(permitted))

    ran = list[str]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH, permissions=["cms:delete"])
    async def erase(_ctx: LeafContext, text: str) -> str:
        """Erase a page."""
        ran.append(text)
        return "erased"

    model = Scripted([ERASE, "understood"])
    runtime = runtime_of(model, erase, store=store, directory=directory)
    waiting = await runtime.run("go", by=superuser("cms:delete"))
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    permitted.clear()
    assert (await runtime.resume(waiting.run)).value() == "understood"
    assert last_reply(model)["errorCode"] == "PERMISSION_DENIED"
    assert ran == []


async def test_a_run_of_somebody_whom_nobody_knows_any_more_is_not_resumed(store: Store) -> None:
    waiting = await runtime_of(Scripted([ERASE]), eraser(World()), store=store).run("go", by=superuser(name="ada"))
    stranger = runtime_of(Scripted([ERASE]), eraser(World()), store=store, directory=lambda _name, _tenant: None)
    with pytest.raises(RequestError, match="belongs to 'ada', who is unknown now; add this principal and resume again"):
        await stranger.resume(waiting.run)


async def test_without_a_directory_a_runtime_knows_whom_it_was_given(store: Store) -> None:
    world = World()
    first = runtime_of(Scripted([ERASE, "done"]), eraser(world), store=store, directory=None)
    waiting = await first.run("go", by=superuser(name="ada"))
    assert (await first.resume(waiting.run)).status == "waiting"
    second = runtime_of(Scripted([ERASE, "done"]), eraser(world), store=store, directory=None)
    with pytest.raises(RequestError, match="who is unknown now"):
        await second.resume(waiting.run)
    second.add_principals(superuser(name="ada"))
    assert (await second.resume(waiting.run)).status == "waiting"


async def test_a_runtime_with_one_more_layer_knows_whom_the_first_was_given(store: Store) -> None:
    first = runtime_of(Scripted([ERASE]), eraser(World()), store=store, directory=None)
    waiting = await first.run("go", by=superuser(name="ada"))
    assert (await first.layer(Stack[CallLayer]()).resume(waiting.run)).status == "waiting"


async def test_the_journal_tells_who_decided_and_that_the_run_was_taken_up_again(store: Store) -> None:
    runtime = runtime_of(Scripted([ERASE, "done"]), eraser(World()), store=store)
    waiting = await runtime.run("go", by=superuser())
    await runtime.decide(waiting.questions[0], approved=True, by=superuser(name="bob"), reason="go on")
    await runtime.resume(waiting.run)
    items = await items_of(store, waiting.run)
    kinds = [
        type(item)
        for item in items
        if isinstance(item, (QuestionItem, DecisionItem, RunSuspended, RunResumed, AttemptStarted))
    ]
    assert kinds == [QuestionItem, RunSuspended, RunResumed, DecisionItem, AttemptStarted]
    (decided,) = [item for item in items if isinstance(item, DecisionItem)]
    assert json.loads(decided.body)["by"] == "bob"


async def test_a_call_from_python_waits_and_goes_on_like_a_model_s(store: Store) -> None:
    world = World()
    erase = eraser(world)
    runtime: Runtime = runtime_of(Scripted([]), erase, store=store)
    waiting = await runtime.call(erase, superuser(), "about")
    assert waiting.status == "waiting"
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(waiting.run)).value() == "wrote about"
    assert world.ran == ["about"]


async def test_a_directory_cannot_have_a_run_resumed_as_another_principal(store: Store) -> None:
    world, model = World(), Scripted([ERASE, "done"])
    waiting = await runtime_of(model, eraser(world), store=store).run("go", by=superuser())
    mallory = superuser(name="mallory")
    wrong = runtime_of(model, eraser(world), store=store, directory=lambda _name, _tenant: mallory)
    await wrong.decide(waiting.questions[0], approved=True, by=superuser())
    with pytest.raises(RequestError, match=r"the directory returned 'mallory' of .* return that principal, or None"):
        await wrong.resume(waiting.run)
    assert world.ran == []
