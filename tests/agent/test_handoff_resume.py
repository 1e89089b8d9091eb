"""A handoff holds over waiting, crashes and the messages that follow."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest

from remit import Ask, Policy, When
from remit.errors import BudgetError, DivergedError
from remit.layers import Call, CallService, Reply, layer_fn
from remit.record.items import Handoff, Message, Mismatch, ToolOutput
from remit.runtime import LEASE_SECONDS
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from remit.testing.history_check import history_errors
from remit.tools import Limits
from remit.workers import PydanticAIDriver
from tests.agent.team import TO_EDITOR, TO_WRITER, editor, erase, handoffs, runtime_of, system, writer
from tests.runtime.kit import Clock, Crash, Mortal, World, items_of, tool_messages


async def test_waiting_in_the_agent_that_took_over_is_resumed_in_it() -> None:
    script = [calls(TO_WRITER), calls(("erase", {"page": "about"})), "erased it"]
    first = runtime_of(Scripted(script), editor(), writer(tools=[erase]))
    result = await first.run("go", by=superuser(), conversation="c")
    assert result.status == "waiting"
    model = Scripted(script)
    again = runtime_of(model, editor(), writer(tools=[erase]), store=first.store)
    await again.decide(result.questions[0], approved=True, by=superuser())
    assert (await again.resume(result.run)).value() == "erased it"
    assert (len(model.requests), system(model)) == (1, "You write.")
    assert (await again.replay(result.run)).difference == ""
    assert len(await handoffs(again, result.run)) == 1


async def test_a_handoff_may_need_a_person_s_approval() -> None:
    policy = Policy.only(
        When("handoffs", lambda call: call.callee.name.startswith("handoff_to_"), Ask(reason="may it?"))
    )
    script = [calls(TO_WRITER, ("look", {})), "written"]
    model = Scripted(script)
    runtime = runtime_of(model, policy=policy)
    result = await runtime.run("go", by=superuser())
    assert (result.status, await handoffs(runtime, result.run)) == ("waiting", [])
    await runtime.decide(result.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(result.run)).value() == "written"
    assert await tool_messages(runtime, result.run) == ["handed over to writer", "a page"]
    assert (system(model), len(model.requests)) == ("You write.", 2)
    assert (await runtime.replay(result.run)).difference == ""


async def test_on_resume_changed_instructions_of_the_agent_that_took_over_are_journaled() -> None:
    script = [calls(TO_WRITER), calls(("erase", {"page": "about"})), "done"]
    first = runtime_of(Scripted(script), editor(), writer(tools=[erase]))
    result = await first.run("go", by=superuser())
    model = Scripted(script)
    changed = writer(instructions="You write badly.", tools=[erase])
    again = runtime_of(model, editor(), changed, store=first.store)
    await again.decide(result.questions[0], approved=False, by=superuser())
    assert (await again.resume(result.run)).value() == "done"
    assert system(model) == "You write.", "the model is told what it was told"
    (mismatch,) = [item for item in await items_of(first.store, result.run) if isinstance(item, Mismatch)]
    assert json.loads(mismatch.today)["content"] == "You write badly."


async def test_a_run_that_was_handed_over_is_not_resumed_by_code_that_does_not_hand_over() -> None:
    script = [calls(TO_WRITER), calls(("erase", {"page": "about"})), "done"]
    first = runtime_of(Scripted(script), editor(), writer(tools=[erase]))
    result = await first.run("go", by=superuser())
    again = runtime_of(Scripted(script), editor(handoffs=[], tools=[erase]), store=first.store)
    await again.decide(result.questions[0], approved=True, by=superuser())
    with pytest.raises(
        DivergedError, match="a handoff to writer, which the current editor does not make; nothing was run"
    ):
        await again.resume(result.run)
    unknown = runtime_of(Scripted([calls(("handoff_to_nobody", {})), "I stay"]))
    assert (await unknown.run("go", by=superuser())).value() == "I stay"


async def test_a_crash_anywhere_is_resumed_with_each_handoff_once() -> None:
    script = [calls(("write", {"text": "a"})), calls(TO_WRITER, ("write", {"text": "b"})), calls(TO_EDITOR), "done"]
    appends = 0
    for after in (False, True):
        for append in range(1, 40):
            world, clock = World(), Clock()
            store = Mortal(clock)
            agents = (editor(tools=[world.write()]), writer())
            store.die_at(append, after=after)
            try:
                result = await runtime_of(Scripted(script), *agents, store=store, clock=clock).run("go", by=superuser())
                assert result.value() == "done"
                break
            except Crash:
                appends += 1
            store.revive()
            clock.now += LEASE_SECONDS
            rows = await store.list_runs()
            if not rows:
                continue
            again = runtime_of(Scripted(script), *agents, store=store, clock=clock)
            assert (await again.resume(rows[0].run)).value() == "done"
            made = await handoffs(again, rows[0].run)
            assert [(each.source, each.target) for each in made] == [("editor", "writer"), ("writer", "editor")]
            items = await items_of(store, rows[0].run)
            systems = [i.text for i in items if isinstance(i, Message) and '"role":"system"' in i.text]
            assert [json.loads(text)["content"] for text in systems] == ["You lay out.", "You write.", "You lay out."]
            assert world.texts == ["a", "b"]
            assert (await again.replay(rows[0].run)).difference == ""
    assert appends > 6


async def test_a_handoff_that_the_journal_does_not_tell_of_yet_is_told_on_resume() -> None:
    """The process died between the end of the call and the handoff."""
    script = [calls(TO_WRITER), calls(("erase", {"page": "about"})), "done"]
    first = runtime_of(Scripted(script), editor(), writer(tools=[erase]))
    result = await first.run("go", by=superuser())
    known = list(await first.store.read(result.run))
    cut = next(index for index, position in enumerate(known) if isinstance(position.item, Handoff))
    store = InMemoryStore()
    epoch = (await store.acquire(result.run, "dead", 1e9)).epoch
    await store.append(result.run, epoch, known[:cut])
    await store.release(result.run, epoch)
    again = runtime_of(Scripted(script), editor(), writer(tools=[erase]), store=store)
    assert (await again.resume(result.run)).status == "waiting"
    assert [each.target for each in await handoffs(again, result.run)] == ["writer"]


async def test_a_cancelled_run_ends_the_handoff_that_was_still_to_be_made() -> None:
    runtime = runtime_of(Scripted([calls(TO_WRITER, ("erase", {"page": "a"}))]), editor(tools=[erase]), writer())
    result = await runtime.run("go", by=superuser())
    assert result.status == "waiting"
    await runtime.cancel(result.run, by=superuser())
    ends = [item for item in await items_of(runtime.store, result.run) if isinstance(item, ToolOutput)]
    codes = {item.callee: json.loads(json.loads(item.text)["content"])["errorCode"] for item in ends if item.wire}
    assert codes == {"handoff_to_writer": "CANCELLED", "erase": "CANCELLED"}
    assert await handoffs(runtime, result.run) == []
    assert history_errors(await runtime.history(result.run)) == []


async def test_no_handoff_is_made_while_another_call_of_the_answer_waits() -> None:
    model = Scripted([calls(TO_WRITER, ("erase", {"page": "a"})), "written"])
    runtime = runtime_of(model, editor(tools=[erase]), writer())
    result = await runtime.run("go", by=superuser())
    assert await handoffs(runtime, result.run) == []
    await runtime.decide(result.questions[0], approved=True, by=superuser())
    assert (await runtime.resume(result.run)).value() == "written"
    assert await tool_messages(runtime, result.run) == ["handed over to writer", "erased a"]
    assert (await runtime.replay(result.run)).difference == ""


async def test_the_next_message_of_a_conversation_goes_to_the_agent_that_has_it() -> None:
    model = Scripted([calls(TO_WRITER), "written", "and more", calls(TO_EDITOR), "laid out", "still me"])
    runtime = runtime_of(model)
    said = ["write", "more", "lay it out", "who?"]
    results = [await runtime.run(each, by=superuser(), conversation="c") for each in said]
    assert [result.value() for result in results] == ["written", "and more", "laid out", "still me"]
    assert [system(model, request) for request in (1, 2, 4, 5)] == [
        "You write.",
        "You write.",
        "You lay out.",
        "You lay out.",
    ]
    for result in results:
        assert (await runtime.replay(result.run)).difference == ""
    assert all(history_errors(request.history) == [] for request in model.requests)
    assert history_errors(await runtime.history(results[-1].run)) == []


async def test_a_message_that_names_an_agent_goes_to_it_and_it_has_the_conversation_then() -> None:
    model = Scripted([calls(TO_WRITER), "written", "laid out", "again"])
    runtime = runtime_of(model)
    await runtime.run("write", by=superuser(), conversation="c")
    await runtime.run("lay out", by=superuser(), conversation="c", agent="editor")
    await runtime.run("go on", by=superuser(), conversation="c")
    assert [system(model, request) for request in (2, 3)] == ["You lay out.", "You lay out."]


async def test_a_request_that_is_sent_again_goes_where_it_went() -> None:
    runtime = runtime_of(Scripted([calls(TO_WRITER), "written"]))
    for _ in range(2):
        result = await runtime.run("write", by=superuser(), conversation="c", idempotency_key="one")
        assert result.value() == "written"
    assert len(await runtime.store.list_runs()) == 1


async def test_the_conversation_of_an_agent_that_is_gone_goes_to_the_default() -> None:
    model = Scripted([calls(TO_WRITER), "written", "mine again"])
    runtime = runtime_of(model)
    await runtime.run("write", by=superuser(), conversation="c")
    later = runtime_of(model, editor(handoffs=[]), store=runtime.store)
    assert (await later.run("go on", by=superuser(), conversation="c")).value() == "mine again"


async def test_an_opened_run_goes_to_the_agent_that_has_the_conversation_too() -> None:
    model = Scripted([calls(TO_WRITER), "written", "more"])
    runtime = runtime_of(model)
    await runtime.run("write", by=superuser(), conversation="c")
    run = await runtime.submit("go on", by=superuser(), conversation="c")
    assert (await runtime.resume(run)).value() == "more"
    assert system(model) == "You write."


@layer_fn
async def say_yes(call: Call, inner: CallService, calls_body: bool) -> Reply:
    """Replies to a handoff as if it had been accepted."""
    if not call.callee.name.startswith("handoff_to_"):
        return await inner(call)
    with contextlib.suppress(BudgetError):
        return await inner(call) if calls_body else Reply.from_value("handed over")
    return Reply.from_value("handed over")


@pytest.mark.parametrize("driver", [None, PydanticAIDriver()], ids=["native", "pydantic-ai"])
@pytest.mark.parametrize(("calls_body", "followed"), [(False, 0), (True, 2)])
async def test_a_handoff_that_a_layer_accepts_in_place_of_its_body_is_not_followed(
    driver: Any, calls_body: bool, followed: int
) -> None:
    model = Scripted([*(calls(each) for each in (TO_WRITER, TO_EDITOR, TO_WRITER)), "mine"])
    agents = [each(driver=driver).layer(say_yes(calls_body)) for each in (editor, writer)]
    runtime = runtime_of(model, *agents, limits=Limits(handoffs=2))
    result = await runtime.run("go", by=superuser())
    assert (result.value(), len(await handoffs(runtime, result.run))) == ("mine", followed)
    assert system(model) == "You lay out.", "the third handoff exceeds the limit of the run, whatever the layer replies"
    assert (await runtime.replay(result.run)).difference == ""
