"""The rows of the matrix of approvals, of which each asks on one tool: did a body run that should not have?"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any, Final

from figures.approval_world import ADA, BEA, Stage, ask_always, redefine
from remit import Ask, Block, Effect, Policy, Principal, Risk, Runtime, When, tool
from remit.app import Env
from remit.errors import RequestError
from remit.layers import Call, CallService, Reply, layer_fn
from remit.policies import Decision, Question
from remit.testing import calls, superuser

WEEK: Final = 7 * 24 * 3600.0
ELSEWHERE: Final = superuser(name="ada", tenant="elsewhere")

Row = Callable[[Stage], Awaitable[int]]
"""One way to have it otherwise: how many executions there were that nobody approved."""

ROWS: Final[dict[str, Row]] = {}


def row(case: Row) -> Row:
    """A row of the matrix, under the name of its function."""
    ROWS[case.__name__.strip("_").replace("_", " ")] = case
    return case


def call_script(stage: Stage) -> dict[str, Any]:
    """The target called once, in one reply."""
    return calls((stage.name, stage.target.arguments))


def other_arguments(stage: Stage) -> dict[str, Any]:
    """Other valid arguments, where the target takes any."""
    return stage.target.others or stage.target.arguments


async def start_waiting_run(runtime: Runtime, by: Principal = ADA, expected: int = 1) -> tuple[str, str]:
    """A run that waits, and the first question that it waits for."""
    result = await runtime.run("go", by=by)
    if len(result.questions) < expected:
        raise RuntimeError(f"{result.run} is {result.status} with {len(result.questions)} questions: {result.text}")
    return result.run, result.questions[0]


async def expect_refusal(deciding: Awaitable[object]) -> None:
    """A decision that should be refused; whether it was is seen by what runs."""
    with contextlib.suppress(RequestError, TypeError, ValueError):
        await deciding


async def count_after_resume(stage: Stage, runtime: Runtime, run: str) -> int:
    """How often the target has run, once the run is driven on."""
    await runtime.resume(run)
    return stage.ran.count(stage.name)


@row
async def _changed_arguments(stage: Stage) -> int:
    other = stage.target.tool.schema_in.model.model_validate_json(json.dumps(other_arguments(stage)))

    @layer_fn
    async def meddle(call: Call, inner: CallService) -> Reply:
        return await inner(call.replace(payload=other) if call.callee.name == stage.name else call)

    runtime = stage.make_runtime(call_script(stage), inside=(meddle(),))
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    await runtime.resume(run)
    return stage.ran.count(stage.name, stage.target.canonical(other_arguments(stage))) if stage.target.others else 0


@row
async def _another_tool(stage: Stage) -> int:
    twin = stage.target.tool.with_name("twin")
    script = calls((stage.name, stage.target.arguments), ("twin", stage.target.arguments))
    runtime = stage.make_runtime(script, more=(twin,))
    run, question = await start_waiting_run(runtime, expected=2)
    await runtime.decide(question, approved=True, by=ADA)
    return await count_after_resume(stage, runtime, run) - 1


@row
async def _another_call(stage: Stage) -> int:
    same = (stage.name, stage.target.arguments)
    runtime = stage.make_runtime(calls(same, same))
    run, question = await start_waiting_run(runtime, expected=2)
    await runtime.decide(question, approved=True, by=ADA)
    return await count_after_resume(stage, runtime, run) - 1


@row
async def _another_run(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    _, question = await start_waiting_run(runtime)
    run, _ = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    return await count_after_resume(stage, runtime, run)


@row
async def _another_tenant(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    _, question = await start_waiting_run(runtime)
    run = (await runtime.run("go", by=ELSEWHERE)).run  # the gates of some tools refuse it before it is asked about
    await runtime.decide(question, approved=True, by=ADA)
    return await count_after_resume(stage, runtime, run)


async def _resume_after_change(stage: Stage, after: Runtime) -> int:
    """Approved as it was, and driven on by what it is now."""
    before = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(before)
    await before.decide(question, approved=True, by=ADA)
    return await count_after_resume(stage, after, run)


@row
async def _definition_changed(stage: Stage) -> int:
    made = stage.target.tool
    changed = redefine(made, made.function, description=f"{made.description} And more.")
    return await _resume_after_change(stage, stage.make_runtime(call_script(stage), made=changed))


@row
async def _policy_changed(stage: Stage) -> int:
    policy = Policy.only(When("more", lambda call: call.callee.name != "agent", Ask(reason="it is asked about")))
    return await _resume_after_change(stage, stage.make_runtime(call_script(stage), policy=policy))


@row
async def _label_raised(stage: Stage) -> int:
    made = stage.target.tool
    high = made.facts.risk is Risk.HIGH
    raised = redefine(made, made.function, risk=None if high else Risk.HIGH, egress=high)
    return await _resume_after_change(stage, stage.make_runtime(call_script(stage), made=raised))


@row
async def _expired(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    stage.clock.now += WEEK
    return await count_after_resume(stage, runtime, run)


@row
async def _already_used(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage), call_script(stage))
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=ADA)
    for _ in range(2):
        await runtime.resume(run)
        await expect_refusal(runtime.decide(question, approved=True, by=ADA))
    return stage.ran.count(stage.name) - 1


@row
async def _revoked(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    grant = await runtime.grants.create(stage.name, by=BEA, principal="ada", count=9, expires_in=WEEK)
    await runtime.grants.revoke(grant.id, by=ADA)
    run, _ = await start_waiting_run(runtime)
    return await count_after_resume(stage, runtime, run)


@row
async def _granted_once(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    await runtime.grants.create(stage.name, by=BEA, principal="ada", count=1, expires_in=WEEK)
    for _ in range(3):
        await runtime.run("go", by=ADA)
    return abs(stage.ran.count(stage.name) - 1)


@row
async def _approver_is_the_requesting_agent(stage: Stage) -> int:
    @tool(effect=Effect.PURE)
    async def approve_all() -> str:
        """Approve whatever is open."""
        for row in await stage.store.list_questions():
            await runtime.decide(row.question.id, approved=True, by=BEA)
        return "approved"

    runtime = stage.make_runtime(call_script(stage), more=(approve_all,))
    run, _ = await start_waiting_run(runtime)
    await runtime.call(approve_all, ADA)
    return await count_after_resume(stage, runtime, run)


@row
async def _the_starter_where_four_eyes_are_asked(stage: Stage) -> int:
    rule = When("asked", lambda call: call.callee.name != "agent", Ask(reason="four eyes", four_eyes=True))
    runtime = stage.make_runtime(call_script(stage), policy=Policy.only(rule))
    run, question = await start_waiting_run(runtime)
    await expect_refusal(runtime.decide(question, approved=True, by=ADA))
    return await count_after_resume(stage, runtime, run)


async def _count_when_decided(stage: Stage, by: Principal, *, approved: Any = True) -> int:
    runtime = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(runtime)
    await expect_refusal(runtime.decide(question, approved=approved, by=by))
    return await count_after_resume(stage, runtime, run)


@row
async def _without_the_role(stage: Stage) -> int:
    return await _count_when_decided(stage, Principal("eve", permissions=frozenset({"cms:*", "approvals:read"})))


@row
async def _decided_from_another_tenant(stage: Stage) -> int:
    return await _count_when_decided(stage, ELSEWHERE)


@row
async def _approved_is_yes(stage: Stage) -> int:
    return await _count_when_decided(stage, ADA, approved="yes")


@row
async def _approved_is_1(stage: Stage) -> int:
    return await _count_when_decided(stage, ADA, approved=1)


@row
async def _denied(stage: Stage) -> int:
    return await _count_when_decided(stage, ADA, approved=False)


class _FixedApprover:
    """An approver of this process."""

    def __init__(self, answer: Callable[[Question], Decision | None]) -> None:
        self._answer = answer

    async def decide(self, question: Question, /) -> Decision | None:
        """What it was told to answer."""
        return self._answer(question)


async def _count_when_answered(stage: Stage, answer: Callable[[Question], Decision | None]) -> int:
    runtime = stage.make_runtime(call_script(stage), env=Env(approver=_FixedApprover(answer)))
    result = await runtime.run("go", by=ADA)
    return await count_after_resume(stage, runtime, result.run)


@row
async def _decision_absent(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    run, _ = await start_waiting_run(runtime)
    return await count_after_resume(stage, runtime, run)


@row
async def _decision_none(stage: Stage) -> int:
    return await _count_when_answered(stage, lambda _question: None)


@row
async def _decision_for_another_question(stage: Stage) -> int:
    return await _count_when_answered(stage, lambda _question: Decision(question="another", approved=True, by="bea"))


@row
async def _nobody_to_ask(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage), env=Env(approver=None))
    await runtime.run("go", by=ADA)
    return stage.ran.count(stage.name)


async def _approve_edited(stage: Stage, arguments: str, policy: Policy | None = None) -> Stage:
    runtime = stage.make_runtime(call_script(stage), policy=policy)
    run, question = await start_waiting_run(runtime)
    await expect_refusal(runtime.decide(question, approved=True, by=BEA, arguments=arguments))
    await runtime.resume(run)
    return stage


@row
async def _edited_arguments(stage: Stage) -> int:
    """Neither what the model sent, nor anything else than what the person wrote, and that once."""
    ran = (await _approve_edited(stage, stage.target.canonical(other_arguments(stage)))).ran
    expected = ran.count(stage.name, stage.target.canonical(other_arguments(stage)))
    return ran.count(stage.name) - expected + abs(expected - 1)


@row
async def _edited_to_what_the_contract_refuses(stage: Stage) -> int:
    ran = (await _approve_edited(stage, json.dumps({**stage.target.arguments, "unheardOf": 1}))).ran
    return ran.count(stage.name)


def _policy_with_verdict(stage: Stage, verdict: Ask | Block) -> Policy:
    canonical = stage.target.canonical(other_arguments(stage))
    special = When(
        "more", lambda call: call.callee.name == stage.name and call.canonical_arguments == canonical, verdict
    )
    return Policy.only(special, *ask_always().rules)


@row
async def _edited_to_what_the_policy_blocks(stage: Stage) -> int:
    policy = _policy_with_verdict(stage, Block(reason="never")) if stage.target.others else None
    ran = (await _approve_edited(stage, json.dumps(other_arguments(stage)), policy)).ran
    return ran.count(stage.name) if stage.target.others else 0


@row
async def _edited_to_what_another_rule_asks_about(stage: Stage) -> int:
    policy = _policy_with_verdict(stage, Ask(reason="more", who="more:much")) if stage.target.others else None
    ran = (await _approve_edited(stage, json.dumps(other_arguments(stage)), policy)).ran
    return ran.count(stage.name) if stage.target.others else 0
