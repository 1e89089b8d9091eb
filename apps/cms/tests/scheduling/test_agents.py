"""Actions that agents schedule: the scope of an agent holds the call that carries them out."""

from __future__ import annotations

from pathlib import Path

from remit import Agent, App, Principal, Runtime
from remit.testing import Scripted, calls
from remit_cms.app import build
from remit_cms.scheduling.scheduling import RUN_TOOL

ANN = Principal("ann", "local-site", frozenset({"cms:*", "approvals:decide"}))


async def test_what_the_editor_schedules_waits_for_its_time(tmp_path: Path) -> None:
    cms = build(tmp_path)
    schedule = ("cms_schedulePage", {"pageId": "about", "at": "2126-01-01T09:00"})
    script = Scripted([calls(("cms_createPage", {"title": "About"})), calls(schedule), "It is scheduled."])
    async with Runtime(cms.app, model=script) as runtime:
        run = await runtime.run("Publish a page About in a century.", by=ANN)
        (question,) = run.questions
        await runtime.decide(question, approved=True, by=ANN)
        assert (await runtime.resume(run.run)).value() == "It is scheduled."
        rows = {row.callee: row.status for row in await runtime.store.list_runs()}
        assert rows == {"editor": "done", RUN_TOOL: "running"}  # an executor lets it rest until its time


def test_who_may_schedule_has_the_call_in_its_scope_and_no_model_sees_it(tmp_path: Path) -> None:
    app = build(tmp_path).app
    (editor,) = app.agents
    publisher = next(each for each in editor.tools if each.name == "publisher")
    for agent in (editor, publisher):
        assert RUN_TOOL in (getattr(agent, "tool_scope", None) or ())
        assert RUN_TOOL not in {each.name for each in getattr(agent, "tools", ())}


async def test_nothing_is_scheduled_by_an_agent_whose_calls_cannot_carry_it_out(tmp_path: Path) -> None:
    cms = build(tmp_path)
    (whole,) = cms.app.agents
    tools = [each for each in whole.tools if each.name in ("cms_createPage", "cms_schedulePage")]
    narrow = Agent("editor", instructions="Edit the site.", tools=tools, tool_scope="listed")
    schedule = ("cms_schedulePage", {"pageId": "about", "at": "2126-01-01T09:00"})
    script = Scripted([calls(("cms_createPage", {"title": "About"})), calls(schedule), "It cannot be scheduled."])
    app = App(name="cms", agents=(narrow,), references=cms.app.references)
    async with Runtime(app, model=script) as runtime:
        run = await runtime.run("Publish a page About in a century.", by=ANN)
        assert (run.questions, run.value()) == ((), "It cannot be scheduled.")
        assert f"does not let its calls reach {RUN_TOOL}" in script.requests[-1].history[-1]
        assert {row.callee for row in await runtime.store.list_runs()} == {"editor"}
