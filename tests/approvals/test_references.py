"""A reference is resolved before policies see the call; the approval holds the id and revision that the person saw."""

from __future__ import annotations

import json
import pickle
from copy import copy, deepcopy

import pytest
from pydantic import BaseModel

from remit import Context, Effect, LeafContext, Policy, Risk, Stack, When, preset, tool
from remit.app import Env
from remit.journal.ports import Store
from remit.layers import Approve, Authorize, Budget, CallLayer
from remit.pipeline import Given, Pipeline, Step
from remit.policies import Ask, Decision, Question
from remit.record.items import Note
from remit.stores import InMemoryStore
from remit.testing import calls
from remit.tools import Candidate, Changed, Referent
from tests.approvals.site import ADA, BOB, DROP, HOME, PageRef, Site, decide, open_question
from tests.runtime.kit import AnyTool, Clock, Crash, Mortal, items_of, tool_messages


async def test_the_person_sees_what_a_reference_means_and_exactly_that_runs(store: Store) -> None:
    site = Site()
    waiting = await site.runtime(DROP, store=store).run("go", by=ADA)
    question = await open_question(store)
    assert question.shown == "“home” is the page “Home”, revision 3"
    assert json.loads(question.arguments) == {"page": HOME}
    assert site.asked == ["home for ada of default"]
    # Another process goes on with the approval.
    second = site.process("done", store=store)
    assert (await decide(second, store)).status == "done"
    assert site.dropped == [("7", "3")]
    assert site.asked[1:] == ["7 for ada of default"], "the base looks whether the page is still as it was shown"
    assert (await second.replay(waiting.run)).is_identical
    assert len(site.asked) == 2, "a replay asks no resolver"


@pytest.mark.parametrize("said", ["7", "Home", "home", " HOME "])
async def test_a_reference_is_an_id_or_one_of_the_names_in_any_case(said: str, store: Store) -> None:
    site = Site(risk=Risk.SAFE)
    await site.runtime(calls(("drop", {"page": said})), "done", store=store).run("go", by=ADA)
    assert site.dropped == [("7", "3")]


async def test_no_match_is_answered_with_the_nearest_names_and_two_with_the_candidates(store: Store) -> None:
    site = Site()
    script = [calls(("drop", {"page": page})) for page in ("hone", "start", "zzz")]
    runtime = site.runtime(*script, "done", store=store)
    result = await runtime.run("go", by=ADA)
    errors = [json.loads(each) for each in await tool_messages(runtime, result.run)]
    assert [each["errorCode"] for each in errors] == ["NOT_FOUND", "VALIDATION_ERROR", "NOT_FOUND"]
    assert errors[0]["error"] == "there is no page 'hone'; similar: 7 \"Home\", revision 3"
    assert errors[1]["error"] == (
        '\'start\' may mean 2 objects of the kind page: 7 "Home", revision 3, 9 "Team", revision 5; '
        "each has an id of its own"
    )
    assert errors[2]["error"] == "there is no page 'zzz'"
    assert await store.list_questions() == []


async def test_what_an_id_names_is_meant_even_where_another_object_has_that_name(store: Store) -> None:
    site = Site(risk=Risk.SAFE)
    site.pages["8"] = Candidate("8", "7", "1")
    await site.runtime(calls(("drop", {"page": "7"})), "done", store=store).run("go", by=ADA)
    assert site.dropped == [("7", "3")]


async def test_a_revision_that_changed_after_the_approval_is_asked_about_anew(store: Store) -> None:
    site = Site()
    waiting = await site.runtime(DROP, store=store).run("go", by=ADA)
    first = await open_question(store)
    site.revise("7", "4")
    second = site.process("done", store=store)
    assert (await decide(second, store)).status == "waiting"
    question = await open_question(store)
    assert (question.shown, question.replaces) == ("the page “Home”, revision 4", first.id)
    assert question.why.endswith(f"the state has changed since it was shown: it was {first.shown}")
    assert json.loads(question.arguments) == {"page": {**HOME, "revision": "4"}}
    assert site.dropped == []
    assert (await decide(second, store)).status == "done"
    assert site.dropped == [("7", "4")]
    assert (await second.replay(waiting.run)).is_identical


async def test_a_revision_that_changes_while_an_approver_of_this_process_thinks_is_asked_about_at_once() -> None:
    site, seen = Site(), list[str]()

    class Slow:
        async def decide(self, question: Question, /) -> Decision | None:
            seen.append(question.shown)
            site.revise("7", "4")
            return Decision(question=question.id, approved=True, by="bob")

    runtime = site.runtime(DROP, "done", store=InMemoryStore(), layers=preset(Env(approver=Slow())))
    assert (await runtime.run("go", by=ADA)).status == "done"
    assert seen == ["“home” is the page “Home”, revision 3", "the page “Home”, revision 4"]
    assert site.dropped == [("7", "4")]


async def test_an_object_that_is_gone_after_the_approval_ends_the_call(store: Store) -> None:
    site = Site()
    result = await site.runtime(DROP, store=store).run("go", by=ADA)
    del site.pages["7"]
    site.pages["10"] = Candidate("10", "Seven", "1", ("7",))
    assert (await decide(site.process("done", store=store), store)).status == "done"
    assert "NOT_FOUND" in (await tool_messages(site.process("done", store=store), result.run))[0]
    assert site.dropped == []


async def test_an_edit_that_names_another_object_is_asked_about_with_what_it_means(store: Store) -> None:
    site = Site()
    waiting = await site.runtime(DROP, store=store).run("go", by=ADA)
    process = site.process("done", store=store)
    assert (await decide(process, store, arguments='{"page": "about"}')).status == "waiting"
    question = await open_question(store)
    assert question.shown == "“about” is the page “About us”, revision 1"
    assert (question.editor, "bob edited it" in question.reason) == ("bob", True)
    assert (await decide(process, store)).status == "done"
    assert site.dropped == [("8", "1")]
    assert '"edited":true' in (await tool_messages(process, waiting.run))[0]
    asked = len(site.asked)
    assert (await process.replay(waiting.run)).is_identical
    assert len(site.asked) == asked


async def test_an_edit_of_another_argument_keeps_the_object(store: Store) -> None:
    site = Site(confirm=True)
    renamed: list[tuple[str, str]] = []

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def rename(_ctx: LeafContext, page: PageRef, title: str) -> str:
        """Rename a page."""
        renamed.append((page, title))
        return "renamed"

    script = calls(("rename", {"page": "home", "title": "Start"}))
    await site.runtime(script, store=store, tools=(rename,)).run("go", by=ADA)
    edited = json.dumps({"page": HOME, "title": "Welcome"})
    process = site.process("done", store=store, tools=(rename,))
    assert (await decide(process, store, arguments=edited)).status == "done"
    assert renamed == [("7", "Welcome")]


async def test_an_edited_object_that_changed_since_is_asked_about_anew(store: Store) -> None:
    site = Site()
    await site.runtime(DROP, store=store).run("go", by=ADA)
    forged = json.dumps({"page": {"id": "8", "name": "Harmless", "revision": "0"}})
    process = site.process("done", store=store)
    assert (await decide(process, store, arguments=forged)).status == "waiting"
    assert (await open_question(store)).shown == "the page “About us”, revision 1"
    assert (await decide(process, store)).status == "done"
    assert site.dropped == [("8", "1")]


async def test_two_layers_with_one_policy_and_two_edits_do_not_ask_what_is_decided(store: Store) -> None:
    site, renamed = Site(), list[tuple[str, str]]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def rename(_ctx: LeafContext, page: PageRef, title: str) -> str:
        """Rename a page."""
        renamed.append((page, title))
        return "renamed"

    twice: AnyTool = rename.layer(Approve(Env()))
    script = calls(("rename", {"page": "home", "title": "Start"}))
    waiting = await site.runtime(script, store=store, tools=(twice,)).run("go", by=ADA)
    process = site.process("done", store=store, tools=(twice,))
    edits = [{"page": HOME, "title": "Better"}, {"page": "about", "title": "Better"}]
    for edit in edits:
        assert (await decide(process, store, arguments=json.dumps(edit))).status == "waiting"
    while (await decide(process, store)).status == "waiting":
        assert renamed == []
    assert renamed == [("8", "Better")]
    assert (await process.replay(waiting.run)).is_identical


async def test_no_approver_is_shown_what_an_editor_made_up_about_an_object(store: Store) -> None:
    site = Site()
    drop: AnyTool = site.drop.layer(
        Approve(Env(), policy=Policy.only(When("tool", lambda _call: True, Ask(reason="tool"))))
    )
    await site.runtime(DROP, store=store, tools=(drop,)).run("go", by=ADA)
    process = site.process("done", store=store, tools=(drop,))
    forged = json.dumps({"page": {"id": "8", "name": "Harmless", "revision": "0"}})
    assert (await decide(process, store, arguments=forged)).status == "waiting"
    while (question := await open_question(store)).shown:
        assert (question.shown, "Harmless" in question.arguments) == ("the page “About us”, revision 1", False)
        if (await decide(process, store)).status == "done":
            break
    assert site.dropped == [("8", "1")]


async def test_a_referent_can_be_copied_and_reported(store: Store) -> None:
    site = Site(risk=Risk.SAFE)

    @tool(effect=Effect.KEYED)
    async def touch(ctx: LeafContext, page: PageRef) -> str:
        """Touch a page."""
        assert isinstance(page, Referent)
        for copied in (copy(page), deepcopy(page), pickle.loads(pickle.dumps(page))):  # noqa: S301
            assert (copied, copied.describe()) == ("7", page.describe())
        ctx.emit("touched", page)
        ctx.emit(Changed("page", page, page.revision))
        ctx.log("touched", page=page)
        return page

    runtime = site.runtime(calls(("touch", {"page": "home"})), "done", store=store, tools=(touch,))
    result = await runtime.run("go", by=ADA)
    assert await tool_messages(runtime, result.run) == ["7"]
    notes = [item for item in await items_of(store, result.run) if isinstance(item, Note)]
    assert ("touched", "7") in [(each.name, each.data) for each in notes]
    assert [Changed.from_item(each) for each in notes if each.name == "changed"] == [Changed("page", "7", "3")]


async def test_a_model_cannot_say_which_revision_or_name_an_object_has(store: Store) -> None:
    site = Site()
    forged = {"id": "8", "name": "Harmless", "revision": "0"}
    await site.runtime(calls(("drop", {"page": forged})), store=store).run("go", by=ADA)
    arguments = json.loads((await open_question(store)).arguments)
    assert arguments == {"page": {"id": "8", "name": "About us", "revision": "1"}}


async def test_an_announced_call_by_name_is_made_with_the_object_shown_and_its_repeat_by_id_answered(
    store: Store,
) -> None:
    site = Site(confirm=True)
    confirmed = calls(("drop", {"page": "7", "confirmed": True}))
    runtime = site.runtime(DROP, "sure?", confirmed, "done", store=store)
    await runtime.run("go", by=ADA, conversation="c")
    question = await open_question(store)
    assert question.shown == "“home” is the page “Home”, revision 3"
    run = await runtime.decide(question.id, approved=True, by=BOB)
    assert run is not None
    result = await runtime.resume(run)
    assert (result.status, site.dropped) == ("done", [("7", "3")])
    assert (await runtime.replay(run)).is_identical


async def test_an_announced_call_that_was_made_is_not_announced_again_by_the_name_of_its_object(store: Store) -> None:
    site = Site(confirm=True)
    other = calls(("drop", {"page": "about"}))
    runtime = site.runtime(DROP, "sure?", DROP, other, "done", store=store)
    await runtime.run("go", by=ADA, conversation="c")
    run = await runtime.decide((await open_question(store)).id, approved=True, by=BOB)
    assert run is not None
    await runtime.resume(run)
    _, _, repeated, announced = await tool_messages(runtime, run)
    assert ("REPEATED_CALL" in repeated, "REPEATED_CALL" in announced, site.dropped) == (True, False, [("7", "3")])
    assert (await open_question(store)).shown == "“about” is the page “About us”, revision 1"
    assert (await runtime.replay(run)).is_identical


async def test_the_steps_of_a_pipeline_are_shown_with_their_objects_and_approved_together(store: Store) -> None:
    site = Site()

    class Two(BaseModel):
        first: str
        second: str

    steps = [
        Step(name="one", callee=site.drop, takes={"page": Given("first")}),
        Step(name="other", callee=site.drop, takes={"page": Given("second")}),
    ]
    two = Pipeline("two", Two, steps, description="Drop two pages.")
    script = calls(("two", {"first": "home", "second": "about"}))
    tools = (two, site.drop)
    waiting = await site.runtime(script, store=store, tools=tools).run("go", by=ADA)
    question = await open_question(store)
    assert [each.preview.summary for each in question.plan] == [
        "“home” is the page “Home”, revision 3",
        "“about” is the page “About us”, revision 1",
    ]
    site.revise("8", "2")
    process = site.process("done", store=store, tools=tools)
    assert (await decide(process, store)).status == "waiting", "the second page has changed since"
    assert site.dropped == [("7", "3")]
    assert (await open_question(store)).shown == "“about” is the page “About us”, revision 2"
    assert (await decide(process, store)).status == "done"
    assert site.dropped == [("7", "3"), ("8", "2")]
    assert (await process.replay(waiting.run)).is_identical


async def test_policies_see_the_object(store: Store) -> None:
    site = Site(risk=Risk.SAFE)
    rule = When("home page", lambda call: HOME in json.loads(call.canonical_arguments).values(), Ask(reason="home"))
    script = [calls(("drop", {"page": "about"}), ("drop", {"page": "Home"})), "done"]
    assert (await site.runtime(*script, store=store, policy=Policy(rule)).run("go", by=ADA)).status == "waiting"
    assert site.dropped == [("8", "1")]


async def test_without_a_validate_layer_the_base_resolves(store: Store) -> None:
    site = Site()
    runtime = site.runtime(DROP, "done", store=store, layers=Stack[CallLayer](Authorize(), Budget()))
    assert (await runtime.run("go", by=ADA)).status == "done"
    assert site.dropped == [("7", "3")]


async def test_a_call_that_has_begun_keeps_its_object_when_it_is_made_again() -> None:
    clock = Clock()
    site, store = Site(risk=Risk.SAFE), Mortal(clock)
    store.die_at(4, after=False)  # the end of the call
    with pytest.raises(Crash):
        await site.runtime(DROP, "done", store=store, clock=clock).run("go", by=ADA)
    store.revive()
    clock.now += 60
    site.revise("7", "4")
    (row,) = await store.list_runs()
    asked = len(site.asked)
    assert (await site.runtime(DROP, "done", store=store, clock=clock).resume(row.run)).status == "done"
    assert site.dropped == [("7", "3"), ("7", "3")]
    assert len(site.asked) == asked


async def test_a_composed_body_makes_the_same_calls_though_its_object_has_changed(store: Store) -> None:
    site = Site()
    renamed: list[str] = []

    @tool(effect=Effect.IDEMPOTENT)
    async def rename(page: PageRef) -> str:
        """Rename a page."""
        assert isinstance(page, Referent)
        renamed.append(page.revision)
        site.revise(page, "4")
        return "renamed"

    @tool(effect=Effect.COMPOSED)
    async def replace(ctx: Context, page: PageRef) -> str:
        """Rename a page, then drop it."""
        await ctx.call(rename, page)
        return await ctx.call(site.drop, page)

    tools = (replace, rename, site.drop)
    waiting = await site.runtime(calls(("replace", {"page": "home"})), store=store, tools=tools).run("go", by=ADA)
    assert (waiting.status, renamed) == ("waiting", ["3"])
    process = site.process("done", store=store, tools=tools)
    assert (await decide(process, store)).status == "done"
    assert (renamed, site.dropped) == (["3"], [("7", "4")])
    assert (await process.replay(waiting.run)).is_identical


async def test_an_answered_call_asks_no_resolver_when_its_run_is_resumed(store: Store) -> None:
    site = Site(risk=Risk.SAFE)

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def pay(_ctx: LeafContext) -> str:
        """Pay."""
        return "paid"

    tools = (site.drop, pay)
    await site.runtime(DROP, calls(("pay", {})), store=store, tools=tools).run("go", by=ADA)
    asked = len(site.asked)
    process = site.process("done", store=store, tools=tools)
    assert (await decide(process, store)).status == "done"
    assert (len(site.asked), site.dropped) == (asked, [("7", "3")])
