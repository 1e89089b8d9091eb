"""A conversation is a sequence of runs over one history, in which a person's yes is used once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from remit import Context, Effect, LeafContext, Principal, Risk, Runtime, tool
from remit.errors import RequestError
from remit.journal.ports import Store
from remit.journal.sql.store import SqlStore
from remit.models.scripted import ScriptLine
from remit.record.items import AttemptStarted, DecisionItem, RunOpened
from remit.runtime import RunResult
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import HistoryErrorKind, history_errors
from tests.runtime.kit import Clock, World, items_of, runtime_of, tool_messages

FIRST = {"page": "about"}
YES = {"page": "about", "confirmed": True}


def eraser(ran: list[str], effect: Effect = Effect.KEYED) -> Any:
    """A tool that first says what it would do, and does it when it is told that this was confirmed."""

    @tool(effect=effect, risk=Risk.HIGH, confirm="confirmed")
    async def erase(ctx: LeafContext, page: str, confirmed: bool = False) -> str:
        """Erase a page."""
        if not confirmed:
            return f"would erase {page}"
        ran.append(f"{page} in {ctx.run}")
        return f"erased {page}"

    return erase


def talk(store: Store, *lines: ScriptLine, ran: list[str] | None = None, **known: Any) -> tuple[Runtime, Scripted]:
    model = Scripted(lines)
    return runtime_of(model, eraser([] if ran is None else ran), store=store, **known), model


def texts(model: Scripted) -> list[str]:
    return [json.loads(text)["content"] for text in model.requests[-1].history]


async def test_each_run_begins_with_what_was_said_before(store: Store) -> None:
    runtime, model = talk(store, "hello", "again", "bye")
    runs = [(await runtime.run(prompt, by=superuser(), conversation="c")).run for prompt in ("one", "two", "three")]
    assert texts(model) == ["Work.", "one", "hello", "two", "again", "three"]
    headers = [(await items_of(store, run))[0] for run in runs]
    assert [header.after for header in headers if isinstance(header, RunOpened)] == ["", *runs[:2]]
    assert [json.loads(text)["content"] for text in await runtime.history(runs[-1])] == [
        *texts(model)[1:],
        "bye",
    ]


async def test_two_conversations_know_nothing_of_one_another(store: Store) -> None:
    runtime, model = talk(store, "hello", "hello")
    await runtime.run("one", by=superuser(), conversation="a")
    await runtime.run("two", by=superuser(), conversation="b")
    assert texts(model) == ["Work.", "two"]


async def test_a_conversation_goes_on_after_a_run_that_failed(store: Store) -> None:
    runtime, model = talk(store, "hello")
    await runtime.run("one", by=superuser(), conversation="c")
    assert (await runtime.run("two", by=superuser(), conversation="c")).status == "failed"
    later, model = talk(store, "", "well again")
    assert (await later.run("three", by=superuser(), conversation="c")).value() == "well again"
    assert texts(model) == ["Work.", "one", "hello", "two", "three"]
    assert history_errors(model.requests[-1].history) == []


async def test_a_conversation_goes_on_after_a_run_that_was_cancelled(store: Store) -> None:
    begun = asyncio.Event()

    @tool(effect=Effect.PURE)
    async def wait() -> str:
        """Wait for ever."""
        begun.set()
        await asyncio.Event().wait()
        return "never"

    runtime = runtime_of(Scripted([calls(("wait", {})), "well again"]), wait, store=store)
    running = asyncio.create_task(runtime.run("one", by=superuser(), conversation="c"))
    await begun.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    result = await runtime.run("two", by=superuser(), conversation="c")
    assert result.value() == "well again"
    assert history_errors(await runtime.history(result.run)) == []
    assert json.loads((await tool_messages(runtime, result.run))[0])["errorCode"] == "CANCELLED"


async def test_a_conversation_whose_last_run_waits_is_busy_until_it_is_decided(store: Store) -> None:
    ran = list[str]()
    runtime, _ = talk(store, calls(("erase", YES)), "done", "hello", ran=ran)
    waiting = await runtime.run("one", by=superuser(), conversation="c")
    with pytest.raises(
        RequestError, match=f"conversation c is busy: run {waiting.run} is waiting; decide, resume or cancel"
    ):
        await runtime.run("two", by=superuser(), conversation="c")
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    with pytest.raises(RequestError, match="is busy"):
        await runtime.run("two", by=superuser(), conversation="c")
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert (await runtime.run("two", by=superuser(), conversation="c")).value() == "hello"
    assert len(ran) == 1


async def test_a_conversation_whose_last_run_is_under_way_is_busy(store: Store) -> None:
    asked, release = asyncio.Event(), asyncio.Event()

    async def model(request: Any, /) -> Any:
        asked.set()
        await release.wait()
        return await Scripted(["hello"])(request)

    runtime = runtime_of(model, store=store)
    running = asyncio.create_task(runtime.run("one", by=superuser(), conversation="c"))
    await asked.wait()
    with pytest.raises(RequestError, match=r"is running, or waits .*; resume it or wait for its end first, or queue"):
        await runtime.run("two", by=superuser(), conversation="c")
    release.set()
    assert (await running).value() == "hello"


async def test_a_call_that_only_announces_is_made_and_opens_the_question_for_what_it_announces(store: Store) -> None:
    ran = list[str]()
    runtime, model = talk(store, calls(("erase", FIRST)), "shall I?", ran=ran)
    result = await runtime.run("erase about", by=superuser(), conversation="c")
    assert result.value() == "shall I?"
    assert texts(model)[-1] == "would erase about"
    (row,) = await store.list_questions(conversation="c")
    assert (row.question.arguments, row.question.waits) == ('{"confirmed":true,"page":"about"}', False)
    assert ran == []


async def approve(runtime: Runtime, store: Store) -> RunResult[Any]:
    """Approve the announced call, and execute the run that this opens."""
    (row,) = await store.list_questions()
    run = await runtime.decide(row.question.id, approved=True, by=superuser())
    assert run is not None
    return await runtime.resume(run)


@pytest.mark.every_store
async def test_what_was_announced_and_approved_is_done_by_the_next_run_once(store: Store) -> None:
    ran = list[str]()
    script = [calls(("erase", FIRST)), "shall I?", "done", calls(("erase", YES)), "again"]
    runtime, _ = talk(store, *script, ran=ran)
    await runtime.run("erase about", by=superuser(), conversation="c")
    (row,) = await store.list_questions()
    second = await approve(runtime, store)
    assert (second.status, ran) == ("done", [f"about in {second.run}"])
    taken = await store.find_question(row.question.id)
    (started,) = [item for item in await items_of(store, second.run) if isinstance(item, AttemptStarted)]
    assert taken is not None
    assert (taken.status, taken.consumed_by) == ("taken", (second.run, started.call))
    third = await runtime.run("once more", by=superuser(), conversation="c")
    assert third.status == "waiting", "a yes is used once"
    assert len(ran) == 1


async def test_a_yes_that_is_only_said_decides_nothing(store: Store) -> None:
    ran = list[str]()
    runtime, _ = talk(store, calls(("erase", FIRST)), "shall I?", calls(("erase", YES)), "done", ran=ran)
    await runtime.run("erase about", by=superuser(), conversation="c")
    second = await runtime.run("yes, I approve", by=superuser(), conversation="c")
    assert (second.status, ran) == ("waiting", [])
    assert len(await store.list_questions()) == 1, "it waits for the question that was announced"


async def test_a_no_to_what_was_announced_is_what_the_later_call_gets(store: Store) -> None:
    ran = list[str]()
    runtime, model = talk(store, calls(("erase", FIRST)), "shall I?", calls(("erase", YES)), "as you like", ran=ran)
    await runtime.run("erase about", by=superuser(), conversation="c")
    (row,) = await store.list_questions()
    await runtime.decide(row.question.id, approved=False, by=superuser(), reason="we need it")
    assert (await runtime.run("well?", by=superuser(), conversation="c")).value() == "as you like"
    assert json.loads(texts(model)[-1])["reason"] == "we need it"
    assert ran == []


async def test_without_a_conversation_nothing_is_announced_and_the_call_itself_is_asked_about(store: Store) -> None:
    ran = list[str]()
    runtime, _ = talk(store, calls(("erase", FIRST)), calls(("erase", YES)), "done", ran=ran)
    waiting = await runtime.run("erase about", by=superuser())
    assert (waiting.status, len(await store.list_questions())) == ("waiting", 1)
    await runtime.decide(waiting.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(waiting.run)).value() == "done"
    assert len(ran) == 1


async def test_runs_of_a_conversation_replay_with_what_was_said_before(store: Store) -> None:
    ran = list[str]()
    runtime, _ = talk(store, calls(("erase", FIRST)), "shall I?", "done", ran=ran)
    first = await runtime.run("erase about", by=superuser(), conversation="c")
    second = await approve(runtime, store)
    assert any(isinstance(item, DecisionItem) for item in await items_of(store, second.run))
    for run in (first.run, second.run):
        assert (await runtime.replay(run)).difference == ""


class TurningInCirclesError(Exception):
    """The driver asks for the time without end."""


class Patience(Clock):
    """A clock that can be asked so many times."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._left = most

    def __call__(self) -> float:
        self._left -= 1
        if self._left < 0:
            raise TurningInCirclesError
        return self.now


async def test_a_run_that_waits_for_what_an_earlier_run_announced_goes_on_when_that_is_decided() -> None:
    ran, clock = list[str](), Patience(2_000)
    store = InMemoryStore(Clock())
    runtime, _ = talk(store, calls(("erase", FIRST)), "?", calls(("erase", YES)), "done", ran=ran, clock=clock)
    await runtime.run("erase about", by=superuser(), conversation="c")
    second = await runtime.run("yes", by=superuser(), conversation="c")
    assert second.status == "waiting"
    await runtime.decide(second.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(second.run)).value() == "done"
    assert len(ran) == 1


async def test_what_was_denied_can_be_announced_and_asked_about_again(store: Store) -> None:
    ran = list[str]()
    script = [calls(("erase", FIRST)), "?", calls(("erase", YES)), "no?", calls(("erase", FIRST)), "now?"]
    runtime, _ = talk(store, *script, ran=ran)
    await runtime.run("erase about", by=superuser(), conversation="c")
    (row,) = await store.list_questions()
    await runtime.decide(row.question.id, approved=False, by=superuser())
    await runtime.run("well?", by=superuser(), conversation="c")
    await runtime.run("I have changed my mind", by=superuser(), conversation="c")
    assert len(await store.list_questions()) == 1


@pytest.mark.parametrize("parallel", [1, 8], ids=["sequential", "parallel"])
async def test_equal_calls_in_one_reply_get_the_result_of_the_call_that_was_made(store: Store, parallel: int) -> None:
    ran = list[str]()
    script = [calls(("erase", FIRST)), "?", calls(("erase", YES), ("erase", YES)), "done"]
    runtime, _ = talk(store, *script, ran=ran, parallel=parallel)
    await runtime.run("erase about", by=superuser(), conversation="c")
    second = await approve(runtime, store)
    assert (second.status, len(ran)) == ("done", 1)
    assert (await tool_messages(runtime, second.run))[-3:] == ["erased about"] * 3


@pytest.mark.every_store
async def test_a_yes_to_a_composed_callee_is_used_once(store: Store) -> None:
    ran, world = list[str](), World()
    write = world.write()

    @tool(effect=Effect.COMPOSED, risk=Risk.HIGH, confirm="confirmed")
    async def erase(ctx: Context, page: str, confirmed: bool = False) -> str:
        """Erase a page."""
        if confirmed:
            ran.append(await ctx.call(write, page))
        return "erased"

    script = [calls(("erase", FIRST)), "?", calls(("erase", YES)), "done", calls(("erase", YES)), "again"]
    runtime = runtime_of(Scripted(script), erase, write, store=store)
    await runtime.run("erase", by=superuser(), conversation="c")
    second = await approve(runtime, store)
    assert (await tool_messages(runtime, second.run))[-2:] == ["erased", "erased"]
    assert len(ran) == 1
    await runtime.run("again", by=superuser(), conversation="c")
    assert len(ran) == 1
    assert (await runtime.replay(second.run)).is_identical


async def test_a_conversation_of_another_tenant_is_another_conversation(store: Store) -> None:
    runtime, model = talk(store, "the canary sings", "hello")
    await runtime.run("one", by=Principal("ada", "bakery"), conversation="c")
    await runtime.run("two", by=Principal("bob", "butcher"), conversation="c")
    assert "canary" not in str(texts(model))


async def test_a_conversation_of_another_application_is_another_conversation(store: Store) -> None:
    one, _ = talk(store, "hello", app="one")
    two, _ = talk(store, "hello", app="two")
    await one.run("one", by=superuser(), conversation="c")
    assert (await two.run("two", by=superuser(), conversation="c")).value() == "hello"


async def test_of_two_messages_at_once_one_is_refused(journal: Path) -> None:
    store = SqlStore.at(journal)
    runtime, _ = talk(store, "hello", "hello")
    outcomes = await asyncio.gather(
        *(runtime.run(prompt, by=superuser(), conversation="c") for prompt in ("one", "two")), return_exceptions=True
    )
    await store.close()
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["RequestConflictError", "RunResult"]


async def test_calls_of_two_runs_never_have_one_id(store: Store) -> None:
    runtime, model = talk(store, calls(("erase", FIRST)), "?", calls(("erase", FIRST)), "?")
    for prompt in ("one", "two"):
        await runtime.run(prompt, by=superuser(), conversation="c")
    assert HistoryErrorKind.DUPLICATE_ID not in {fault.kind for fault in history_errors(model.requests[-1].history)}


async def test_runs_that_begin_in_the_same_instant_follow_one_another() -> None:
    clock = Clock()
    runtime, model = talk(InMemoryStore(clock), "hello", "again", "bye", clock=clock)
    for prompt in ("one", "two", "three"):
        await runtime.run(prompt, by=superuser(), conversation="c")
    assert texts(model) == ["Work.", "one", "hello", "two", "again", "three"]


async def test_a_conversation_of_another_principal_is_continued_only_with_the_permission_to_join(store: Store) -> None:
    ada, eve, bob = Principal("ada"), Principal("eve"), Principal("bob", permissions=frozenset({"conversations:join"}))
    model = Scripted(["a secret", "noted", "more"])
    runtime = runtime_of(model, store=store)
    await runtime.run("tell", by=ada, conversation="talk")
    with pytest.raises(RequestError, match=r"^conversation 'talk' belongs to another user; use another name, or get"):
        await runtime.run("repeat", by=eve, conversation="talk")
    assert (await runtime.run("join", by=bob, conversation="talk")).value() == "noted"
    assert (await runtime.run("go on", by=ada, conversation="talk")).value() == "more"
    assert (await runtime.run("mine", by=eve, conversation="another")).value() == "a secret"
    assert (await runtime.run("theirs", by=Principal("eve", "elsewhere"), conversation="talk")).value() == "a secret"
