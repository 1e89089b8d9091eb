"""Rows of the matrix about calls whose process died, and about answers that are given in the conversation."""

from __future__ import annotations

import contextlib
import functools
import json
from typing import Any

from figures.approval_casefile import DIRECT_SESSION
from figures.approval_rows import call_script, count_after_resume, expect_refusal, row, start_waiting_run
from figures.approval_world import ADA, BEA, AnyTool, Stage, ask_always, redefine
from remit import Ask, Effect, Policy, Principal, Runtime, When
from remit.app import Env
from remit.policies import Decision, Question
from remit.record.arguments import Limits, parse_arguments

EVE = Principal("eve", permissions=frozenset({"approvals:decide", "approvals:read"}))
"""May decide what needs no special permission."""


class _Killed(BaseException):
    """The process died here."""


async def _die_in_approved_call(stage: Stage) -> tuple[Runtime, str, str]:
    """A call that needs a special permission and four eyes was approved, ran once, and its process died.

    A runtime, the run, and the question about the outcome.
    """
    rule = When("strict", lambda call: call.callee.name != "agent", _STRICT)
    made = _unsafe_and_mortal(stage)
    runtime = stage.make_runtime(call_script(stage), made=made, policy=Policy.only(rule))
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=BEA)
    with contextlib.suppress(_Killed):
        await runtime.resume(run)
    stage.clock.now += 60.0  # until the lease of the dead process has ended
    (outcome,) = (await runtime.resume(run)).questions
    return runtime, run, outcome


_STRICT = Ask(reason="it is asked about", who="money:approve", four_eyes=True)


def _unsafe_and_mortal(stage: Stage) -> AnyTool:
    made = stage.target.tool

    @functools.wraps(made.function)
    async def body(*given: Any) -> Any:
        payload = given[-1] if given and hasattr(given[-1], "model_dump") else made.schema_in.model()
        stage.ran.executions.append((made.name, made.schema_in.dump_canonical(payload)))
        raise _Killed

    return redefine(made, body, effect=Effect.UNSAFE)


async def _count_after_outcome(stage: Stage, by: Principal) -> int:
    """Executions beyond the first, and whether the question about the outcome was decided, where it should not be."""
    runtime, run, question = await _die_in_approved_call(stage)
    await expect_refusal(runtime.decide(question, approved=False, by=by))
    beyond = await count_after_resume(stage, runtime, run) - 1
    found = await stage.store.find_question(question)
    return beyond + (found is None or found.decision is not None)


def _touches_the_world(stage: Stage) -> bool:
    """Whether a question about its outcome can be opened: not about a call that only makes other calls."""
    return stage.target.tool.facts.effect is not Effect.COMPOSED


@row
async def _outcome_decided_without_the_permission_of_the_approval(stage: Stage) -> int:
    return await _count_after_outcome(stage, EVE) if _touches_the_world(stage) else 0


@row
async def _outcome_decided_by_a_person_who_left_before_the_answer_is_used(stage: Stage) -> int:
    if not _touches_the_world(stage):
        return 0
    runtime, run, question = await _die_in_approved_call(stage)
    await runtime.decide(question, approved=False, by=BEA)
    stage.today["bea"] = None
    (asked,) = (await runtime.resume(run)).questions
    found = await stage.store.find_question(asked)
    return stage.ran.count(stage.name) - 1 + (found is None or found.question.kind != "outcome")


@row
async def _outcome_decided_by_the_starter_where_four_eyes_are_asked(stage: Stage) -> int:
    return await _count_after_outcome(stage, ADA) if _touches_the_world(stage) else 0


@row
async def _outcome_did_not_happen_and_no_new_approval(stage: Stage) -> int:
    if not _touches_the_world(stage):
        return 0
    runtime, run, question = await _die_in_approved_call(stage)
    await runtime.decide(question, approved=False, by=BEA)
    with contextlib.suppress(_Killed):
        await runtime.resume(run)
    return stage.ran.count(stage.name) - 1


@row
async def _confirmed_where_an_approval_is_needed(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(runtime)
    await expect_refusal(runtime.decide(question, approved=True, by=ADA, kind="confirm"))
    return await count_after_resume(stage, runtime, run)


class _ConfirmingApprover:
    """An approver of this process that passes on what the user says in the conversation."""

    async def decide(self, question: Question, /) -> Decision | None:
        """The user's yes."""
        return Decision(question=question.id, approved=True, by=question.asker, kind="confirm")


@row
async def _confirmed_in_process_where_an_approval_is_needed(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage), env=Env(approver=_ConfirmingApprover()))
    result = await runtime.run("go", by=ADA)
    return await count_after_resume(stage, runtime, result.run)


@row
async def _announced_and_called_where_an_approval_is_needed(stage: Stage) -> int:
    runtime = stage.make_runtime(policy=ask_always())
    flag = stage.target.tool.facts.confirm
    announcing = {**stage.target.arguments, flag: False} if flag else stage.target.arguments
    for arguments in (announcing, stage.target.arguments):
        raw = parse_arguments(json.dumps(arguments), Limits())
        await runtime.call_by_name(stage.name, raw, by=ADA, conversation=DIRECT_SESSION[1])
    canonical = stage.target.canonical(stage.target.arguments)
    return stage.ran.count(stage.name, canonical)
