"""The access list on every way to a tool: an agent, a chat, a composed callee, a pipeline, a tool request, a worker.

On each of them the call goes through the one door, so each has to come out as a direct call does. What the journal of a
run holds a model has read or will read: there the text of a casefile must not be.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from pydantic import BaseModel

from figures.acl import (
    ALL,
    STANDINGS,
    TOOL_REQUEST,
    Standing,
    Trial,
    arguments_for,
    is_refused_by_gate,
    mark_of,
    needed_by,
)
from remit import Context, Effect, Principal, Runtime, tool
from remit.inventory import ToolDefinition
from remit.pipeline import Pipeline, Step
from remit.runtime import RunResult
from remit.testing import Scripted, calls
from remit.tools import Arguments, Callee
from remit_casefile.casefiles.access import Level

CHAT: Final = "process_chat_request"
WORKER: Final = "investigator"
_FOUND: Final = {"messages": list[str](), "answer": "nothing"}
SAMPLE: Final = ("owner", "viewer", "nobody", "foreign namesake of the owner")
"""The principals of a sample."""


@dataclass(frozen=True, slots=True)
class PlannedCall:
    """A call that is to be made: of which tool, with what, by whom, in which session and casefile."""

    tool: ToolDefinition
    arguments: dict[str, Any]
    by: Principal
    session: str
    casefile: str


class Nothing(BaseModel):
    """What the pipeline takes."""


Execution = tuple[Runtime, RunResult[Any]]


def _runtime(trial: Trial, *script: Any, more: Sequence[Callee[..., Any]] = ()) -> Runtime:
    app = trial.parts.app
    # A callee that the figure adds has no entry in the inventory; with one, such an application does not start.
    operations = None if more else app.operations
    return Runtime(
        replace(app, tools=(*app.tools, *more), operations=operations),
        store=trial.runtime.store,
        model=Scripted([*script, "done", "done"]),
    )


async def _by_agent(trial: Trial, planned: PlannedCall) -> Execution:
    runtime = _runtime(trial, calls((planned.tool.name, planned.arguments)))
    return runtime, await runtime.run("go", by=planned.by, conversation=planned.session)


async def _by_chat(trial: Trial, planned: PlannedCall) -> Execution:
    runtime = _runtime(trial, calls((planned.tool.name, planned.arguments)))
    made = await runtime.call_by_name("create_chat_session", Arguments("{}", {}), by=planned.by)
    session = str(json.loads(made.text)["session_id"])
    payload = {"message": "go"}
    arguments = Arguments(json.dumps(payload), payload)
    return runtime, await runtime.call_by_name(CHAT, arguments, by=planned.by, conversation=session)


async def _by_body(trial: Trial, planned: PlannedCall) -> Execution:
    @tool(effect=Effect.COMPOSED)
    async def through(ctx: Context) -> str:
        """Call the tool."""
        await ctx.call(planned.tool.name, planned.arguments)
        return "called"

    runtime = _runtime(trial, more=(through,))
    return runtime, await runtime.call_in_conversation(planned.session, through, planned.by)


async def _by_pipeline(trial: Trial, planned: PlannedCall) -> Execution:
    step = Step(name="only", callee=planned.tool.tool, takes=planned.arguments)
    pipeline = Pipeline("pipeline", Nothing, (step,), description="Call the tool.")
    runtime = _runtime(trial, more=(pipeline,))
    return runtime, await runtime.call_in_conversation(planned.session, pipeline, planned.by, Nothing())


async def _by_request(trial: Trial, planned: PlannedCall) -> Execution:
    payload = {"tool_name": planned.tool.name, "parameters": planned.arguments}
    arguments = Arguments(json.dumps(payload), payload)
    runtime = trial.runtime
    return runtime, await runtime.call_by_name(TOOL_REQUEST, arguments, by=planned.by, conversation=planned.session)


async def _by_worker(trial: Trial, planned: PlannedCall) -> Execution:
    runtime = _runtime(trial, calls((planned.tool.name, planned.arguments)), calls(("final_result", _FOUND)))
    payload = {"casefile_id": planned.casefile, "question": "What is in it?"}
    return runtime, await runtime.call_by_name(WORKER, Arguments(json.dumps(payload), payload), by=planned.by)


WAYS: Final[dict[str, Callable[[Trial, PlannedCall], Awaitable[Execution]]]] = {
    "agent": _by_agent,
    "chat": _by_chat,
    "body": _by_body,
    "pipeline": _by_pipeline,
    "request": _by_request,
    "worker": _by_worker,
}


def is_reachable(trial: Trial, way: str, tool: ToolDefinition) -> bool:
    """Whether there is such a way to a tool."""
    if way == "worker":
        return tool.name in {"get_casefile", "store_gmail_messages", "update_casefile"}
    if way in {"agent", "chat"}:
        return tool.name in {each.name for each in trial.parts.app.agents[0].tools}
    return tool.name not in {TOOL_REQUEST, CHAT}


async def find_violations(trial: Trial, way: str, tool: ToolDefinition, needed: Level, standing: Standing) -> list[str]:
    """What is wrong with a call of ``tool`` that is made on a way by somebody who stands so to its casefile.

    What a person is asked about is approved: that lets nobody past an access list.
    """
    casefile, session, by = await trial.create_case(standing)
    planned = PlannedCall(tool, arguments_for(tool, casefile, session), by, session, casefile)
    before = await trial.stored_rows(casefile)
    runtime, result = await WAYS[way](trial, planned)
    if result.status == "waiting":
        for question in result.questions:
            await runtime.decide(question, approved=True, by=Principal("bea", by.tenant, ALL))
        await runtime.resume(result.run)
    journal_text = "\n".join(repr(each.item) for each in await trial.runtime.store.read(result.run))
    wrong: list[str] = []
    if standing.level >= needed and is_refused_by_gate(journal_text):
        wrong.append(f"is kept out: {journal_text[-600:]}")
    if standing.level < needed:
        word = "No casefile " if standing.level is Level.NONE else f"needs the level {needed.label}"
        if word not in journal_text:
            wrong.append(f"is not kept out: {journal_text[-600:]}")
        if before != await trial.stored_rows(casefile):
            wrong.append("changes it")
    if standing.level is Level.NONE and mark_of(casefile) in journal_text:
        wrong.append("reads it")
    return [f"{standing.name} {each} (by {tool.name}, through {way})" for each in wrong]


async def find_leaks(*, names: Sequence[str] | None = None, ways: Sequence[str] = tuple(WAYS)) -> tuple[list[str], int]:
    """What is wrong, and out of how many rows."""
    wrong: list[str] = []
    looked_at = 0
    with TemporaryDirectory() as folder:
        async with aclosing(Trial(Path(folder))) as trial:
            for definition in trial.tools.values():
                needed = needed_by(definition)
                for way in ways if needed is not None else ():
                    for standing in STANDINGS if is_reachable(trial, way, definition) else ():
                        if names is None or standing.name in names:
                            wrong += await find_violations(trial, way, definition, needed or Level.NONE, standing)
                            looked_at += 1
    return wrong, looked_at
