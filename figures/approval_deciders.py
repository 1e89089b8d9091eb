"""Rows of the matrix about who decides: two deciders at once, and those who lose the right before their yes is used."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

from figures.approval_rows import (
    call_script,
    count_after_resume,
    expect_refusal,
    other_arguments,
    row,
    start_waiting_run,
)
from figures.approval_world import ADA, BEA, Stage
from remit import Principal
from remit.app import Env
from remit.errors import RemitError
from remit.policies import Decision, Question
from remit.record.items import DecisionItem


class _RacingApprover:
    """Approves in this process, while the inbox is decided: before, or at the same time."""

    def __init__(self, stage: Stage, verdicts: Sequence[bool], *, edit: str = "", is_first: bool = False) -> None:
        self._stage = stage
        self._verdicts = verdicts
        self._edit = edit
        self._is_first = is_first
        self.deciding: list[asyncio.Task[None]] = []
        self.runs: set[str] = set()

    async def decide(self, question: Question, /) -> Decision | None:
        """The decision of this process on the question."""
        self.runs.add(question.run)
        own, inbox = self._verdicts
        edit = self._edit if inbox and question.tool == self._stage.name else ""
        decision = Decision(question=question.id, approved=inbox, by="bea", arguments=edit)
        self.deciding.append(asyncio.create_task(expect_refusal(self._stage.store.decide(decision))))
        if self._is_first:
            await asyncio.gather(*self.deciding)
        return Decision(question=question.id, approved=own, by="cleo")


async def _count_disagreements(stage: Stage, approver: _RacingApprover) -> int:
    """Executions that the stored decision does not allow, and journaled decisions that are not the stored one."""
    runtime = stage.make_runtime(call_script(stage), env=Env(approver=approver))
    with contextlib.suppress(RemitError):
        await runtime.run("go", by=ADA)
    await asyncio.gather(*approver.deciding)
    run = approver.runs.pop()
    with contextlib.suppress(RemitError):
        await runtime.resume(run)
    rows = [each for each in await stage.store.list_questions(only_open=False) if each.question.run == run]
    allowed = {
        (each.decision.arguments or each.question.arguments): each.decision.approved
        for each in rows
        if each.decision is not None and each.question.tool == stage.name
    }
    wrong = abs(stage.ran.count(stage.name) - sum(allowed.values()))
    wrong += sum(stage.ran.count(stage.name, arguments) != approved for arguments, approved in allowed.items())
    items = [position.item for position in await stage.store.read(run)]
    journaled = [Decision.from_json(item.body) for item in items if isinstance(item, DecisionItem)]
    return wrong + sum(each not in [found.decision for found in rows] for each in journaled)


@row
async def _two_deciders_and_the_inbox_edits_first(stage: Stage) -> int:
    edit = stage.target.canonical(other_arguments(stage))
    return await _count_disagreements(stage, _RacingApprover(stage, (True, True), edit=edit, is_first=True))


@row
async def _two_deciders_and_the_inbox_denies_first(stage: Stage) -> int:
    return await _count_disagreements(stage, _RacingApprover(stage, (True, False), is_first=True))


@row
async def _two_deciders_at_once(stage: Stage) -> int:
    edit = stage.target.canonical(other_arguments(stage))
    return await _count_disagreements(stage, _RacingApprover(stage, (False, True), edit=edit))


_WITHOUT_RIGHT: Final = Principal("bea", permissions=frozenset({"approvals:read"}))


async def _count_after_loss(stage: Stage, today: Principal | None) -> int:
    """Executions by an approval whose author is another one in the directory when the run goes on."""
    runtime = stage.make_runtime(call_script(stage))
    run, question = await start_waiting_run(runtime)
    await runtime.decide(question, approved=True, by=BEA)
    stage.today["bea"] = today
    return await count_after_resume(stage, runtime, run)


@row
async def _decider_left_before_the_approval_is_used(stage: Stage) -> int:
    return await _count_after_loss(stage, None)


@row
async def _decider_lost_the_right_before_the_approval_is_used(stage: Stage) -> int:
    return await _count_after_loss(stage, _WITHOUT_RIGHT)


async def _count_after_loss_of_grantor(stage: Stage, today: Principal | None) -> int:
    """Executions by a grant whose author is another one in the directory when the call is made."""
    runtime = stage.make_runtime(call_script(stage))
    grant = await runtime.grants.create(stage.name, by=BEA, principal="ada", count=1, expires_in=3600.0)
    stage.today["bea"] = today
    await runtime.run("go", by=ADA)
    await runtime.grants.revoke(grant.id, by=BEA)  # the store is that of later rows too
    return stage.ran.count(stage.name)


@row
async def _grantor_left_before_the_grant_is_used(stage: Stage) -> int:
    return await _count_after_loss_of_grantor(stage, None)


@row
async def _grantor_lost_the_right_before_the_grant_is_used(stage: Stage) -> int:
    return await _count_after_loss_of_grantor(stage, _WITHOUT_RIGHT)


class _Impostor:
    """Approves everything in this process, in the name of a person without the right."""

    async def decide(self, question: Question, /) -> Decision | None:
        """A yes of that person."""
        return Decision(question=question.id, approved=True, by="bea")


@row
async def _approver_in_this_process_without_the_right(stage: Stage) -> int:
    stage.today["bea"] = _WITHOUT_RIGHT
    await stage.make_runtime(call_script(stage), env=Env(approver=_Impostor())).run("go", by=ADA)
    return stage.ran.count(stage.name)
