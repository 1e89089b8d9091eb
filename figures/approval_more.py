"""More rows of the matrix: what happens between a question and the end of its run, beside it and around it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from figures.approval_casefile import DIRECT_SESSION
from figures.approval_rows import (
    call_script,
    count_after_resume,
    expect_refusal,
    other_arguments,
    row,
    start_waiting_run,
)
from figures.approval_world import ADA, BEA, Stage
from remit import Context, Effect, Policy, When, tool
from remit.approvals.policy import Ask
from remit.errors import ApprovalUsedError, LeaseError
from remit.record.arguments import Limits, parse_arguments
from remit.runtime import RunResult
from remit.testing import calls


@row
async def _model_sends_other_arguments_on_resume(stage: Stage) -> int:
    run, question = await start_waiting_run(stage.make_runtime(call_script(stage)))
    turned = stage.make_runtime(calls((stage.name, other_arguments(stage))))
    await turned.decide(question, approved=True, by=ADA)
    await turned.resume(run)
    return stage.ran.count(stage.name) - stage.ran.count(stage.name, stage.target.canonical(stage.target.arguments))


@row
async def _two_decisions_at_once(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(runtime)
    both = (runtime.decide(question, approved=approved, by=ADA) for approved in (False, True))
    await asyncio.gather(*both, return_exceptions=True)
    found = await stage.store.find_question(question)
    allowed = found is not None and found.status == "approved"
    return max(0, await count_after_resume(stage, runtime, run) - allowed)


@row
async def _approved_and_then_cancelled(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    await runtime.cancel(run, by=ADA)
    return await count_after_resume(stage, runtime, run)


@row
async def _cancelled_and_then_approved(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(runtime)
    await runtime.cancel(run, by=ADA)
    await expect_refusal(runtime.decide(question, approved=True, by=ADA))
    return await count_after_resume(stage, runtime, run)


@row
async def _decided_for_a_dead_process(stage: Stage) -> int:
    """Nothing runs by a decision alone; of two processes that then drive the run on, one runs the call, once."""
    run, question = await start_waiting_run(stage.make_runtime(call_script(stage)))
    await stage.make_runtime().decide(question, approved=True, by=ADA)
    early = stage.ran.count(stage.name)

    async def process() -> None:
        with contextlib.suppress(LeaseError):
            await stage.make_runtime(call_script(stage)).resume(run)

    await asyncio.gather(process(), process())
    return early + abs(stage.ran.count(stage.name) - 1)


@row
async def _two_parallel_calls_answered_in_reverse(stage: Stage) -> int:
    runtime = stage.make_runtime(calls((stage.name, stage.target.arguments), (stage.name, other_arguments(stage))))
    result = await runtime.run("go", by=ADA)
    for question, approved in zip(reversed(result.questions), (True, False), strict=True):
        await runtime.decide(question, approved=approved, by=ADA)
    await runtime.resume(result.run)
    wanted = stage.ran.count(stage.name, stage.target.canonical(other_arguments(stage)))
    return stage.ran.count(stage.name) - wanted + abs(wanted - 1)


@row
async def _nested_and_undecided(stage: Stage) -> int:
    return await _nested(stage, approved=None)


@row
async def _nested_and_denied(stage: Stage) -> int:
    return await _nested(stage, approved=False)


async def _nested(stage: Stage, *, approved: bool | None) -> int:
    """The call is made within another, two deep; its question comes up at the root."""

    @tool(effect=Effect.COMPOSED)
    async def inner(ctx: Context) -> str:
        """Call the tool."""
        await getattr(ctx.tools, stage.name)(**stage.target.arguments)
        return "called"

    @tool(effect=Effect.COMPOSED)
    async def outer(ctx: Context) -> str:
        """Call what calls the tool."""
        return await ctx.call(inner)

    rule = When("asked", lambda call: call.callee.name == stage.name, Ask(reason="it is asked about"))
    runtime = stage.make_runtime(calls(("outer", {})), more=(inner, outer), policy=Policy.only(rule))
    run, question = await start_waiting_run(runtime)
    if approved is not None:
        await runtime.decide(question, approved=approved, by=BEA)
    return await count_after_resume(stage, runtime, run)


@row
async def _one_approval_and_three_calls_of_a_conversation(stage: Stage) -> int:
    """Two calls wait for one open question where a tool confirms, and one begins once it is approved: one is made."""
    runtime = stage.make_runtime()

    async def call() -> RunResult[Any] | None:
        arguments = parse_arguments(json.dumps(stage.target.arguments), Limits())
        with contextlib.suppress(ApprovalUsedError):
            return await runtime.call_by_name(stage.name, arguments, by=ADA, conversation=DIRECT_SESSION[0])
        return None

    async def resume(run: str) -> None:
        with contextlib.suppress(ApprovalUsedError):
            await runtime.resume(run)

    first, second = await call(), await call()
    if first is None or second is None or not (first.questions and second.questions):
        raise RuntimeError(f"{stage.name} was not asked about: {first}, {second}")
    if stage.target.tool.facts.confirm and first.questions != second.questions:
        raise RuntimeError(f"{stage.name} was asked about twice: {first}, {second}")
    await runtime.decide(first.questions[0], approved=True, by=ADA)
    await asyncio.gather(call(), resume(first.run), resume(second.run))
    return stage.ran.count(stage.name) - 1
