"""Rows of the matrix about what changes while a question is open: state, arguments, risk, and a second policy."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from figures.approval_rows import (
    call_script,
    count_after_resume,
    expect_refusal,
    other_arguments,
    row,
    start_waiting_run,
)
from figures.approval_world import ADA, BEA, AnyTool, Stage, redefine
from remit import Ask, LeafContext, Policy, Risk, Runtime, When
from remit.app import Env
from remit.layers import Approve, Call
from remit.policies import HighRisk
from remit.tools import Preview


class _Revisions:
    """The state behind a tool's arguments, which its preview names."""

    def __init__(self) -> None:
        self.number = 1

    def advance(self) -> None:
        """Change the state."""
        self.number += 1

    def describe(self, target: AnyTool) -> AnyTool:
        """The tool with a preview that names the state."""

        async def preview(_ctx: LeafContext, _payload: Any) -> Preview:
            return Preview(f"revision {self.number}", state=str(self.number))

        return target.with_preview(preview)


async def _approve_open(stage: Stage, runtime: Runtime, run: str) -> str:
    """Approve every open question of a run, one execution after the other, until it rests; its status."""
    for _ in range(12):
        result = await runtime.resume(run)
        if result.status != "waiting":
            return result.status
        for question in result.questions:
            await runtime.decide(question, approved=True, by=BEA)
    raise RuntimeError(f"{stage.name} is asked about again and again")


async def count_stale_executions(stage: Stage, runtime: Runtime, change: Callable[[], None]) -> int:
    """Approve a call, change the state that its preview names, and approve again: what ran but for one execution."""
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    change()
    stale = await count_after_resume(stage, runtime, run)
    await _approve_open(stage, runtime, run)
    return stale + abs(stage.ran.count(stage.name) - stale - 1)


@row
async def _state_changed(stage: Stage) -> int:
    """A stale approval never runs; the approval of the present state does, once."""
    revisions = _Revisions()
    runtime = stage.make_runtime(call_script(stage), made=revisions.describe(stage.target.tool))
    return await count_stale_executions(stage, runtime, revisions.advance)


@row
async def _preview_fails(stage: Stage) -> int:
    async def fail(_ctx: LeafContext, _payload: Any) -> str:
        raise OSError("it cannot be shown")

    runtime = stage.make_runtime(call_script(stage), made=stage.target.tool.with_preview(fail))
    result = await runtime.run("go", by=ADA)
    for question in result.questions:
        await runtime.decide(question, approved=True, by=BEA)
    return await count_after_resume(stage, runtime, result.run) + len(result.questions)


@row
async def _edit_under_four_eyes(stage: Stage) -> int:
    """An edit alone runs nothing, and neither the starter nor the editor can approve it."""
    if stage.target.others is None:
        return 0
    runtime = stage.make_runtime(call_script(stage), policy=_asks("four eyes", four_eyes=True))
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=BEA, arguments=json.dumps(other_arguments(stage)))
    return await count_after_resume(stage, runtime, run)


async def _lower_risk(stage: Stage, *, denied: bool) -> int:
    policy, tool = Policy.only(HighRisk()), stage.target.tool
    high = redefine(tool, tool.function, risk=Risk.HIGH)
    runtime = stage.make_runtime(call_script(stage), made=high, policy=policy)
    run, question = await start_waiting_run(runtime)
    if denied:
        await runtime.decide(question, approved=False, by=ADA)
    lowered = redefine(tool, tool.function, risk=Risk.SAFE)
    return await count_after_resume(stage, stage.make_runtime(call_script(stage), made=lowered, policy=policy), run)


@row
async def _risk_lowered_while_open(stage: Stage) -> int:
    return await _lower_risk(stage, denied=False)


@row
async def _risk_lowered_after_a_denial(stage: Stage) -> int:
    return await _lower_risk(stage, denied=True)


def _asks(name: str, **more: Any) -> Policy:
    def is_a_tool(call: Call) -> bool:
        return call.callee.name != "agent"

    return Policy.only(When(name, is_a_tool, Ask(reason=name, **more)))


def _with_two_policies(stage: Stage) -> Runtime:
    inner = Approve(Env(), policy=_asks("second"))
    return stage.make_runtime(call_script(stage), policy=_asks("first"), inside=(inner,))


@row
async def _two_policies(stage: Stage) -> int:
    """One yes of two runs nothing; both run the call once."""
    runtime = _with_two_policies(stage)
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    early = await count_after_resume(stage, runtime, run)
    await _approve_open(stage, runtime, run)
    return early + abs(stage.ran.count(stage.name) - early - 1)


@row
async def _two_policies_and_the_inner_one_is_answered_with_an_edit(stage: Stage) -> int:
    """What the second approver wrote runs only after a yes to it under the first policy."""
    if stage.target.others is None:
        return 0
    runtime = _with_two_policies(stage)
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    for second in (await runtime.resume(run)).questions:
        edit = json.dumps(other_arguments(stage))
        await expect_refusal(runtime.decide(second, approved=True, by=BEA, arguments=edit))
    return await count_after_resume(stage, runtime, run)
