"""Rows of the matrix about targets: a grant or a decision for one of them is none for another."""

from __future__ import annotations

from figures.approval_rows import WEEK, call_script, count_after_resume, expect_refusal, row
from figures.approval_world import ADA, BEA, Stage
from remit import Principal

BAKERY, SHOP = "bakery/main", "shop/main"


async def _count_executions(stage: Stage, granted: str, target: str) -> int:
    """How often the tool runs for ``target`` where ``granted`` has a grant."""
    runtime = stage.make_runtime(call_script(stage))
    grant = await runtime.grants.create(stage.name, by=BEA, principal="ada", count=1, expires_in=WEEK, target=granted)
    before = stage.ran.count(stage.name)
    await runtime.run("go", by=ADA, target=target)
    await runtime.grants.revoke(grant.id, by=BEA)
    return stage.ran.count(stage.name) - before


@row
async def _granted_for_another_target(stage: Stage) -> int:
    wrong = 0
    for granted, target in ((BAKERY, SHOP), (BAKERY, ""), ("", SHOP)):
        wrong += await _count_executions(stage, granted, target)
    return wrong + abs(await _count_executions(stage, SHOP, SHOP) - 1)


@row
async def _approved_for_another_target(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    first, second = [await runtime.run("go", by=ADA, target=target) for target in (BAKERY, SHOP)]
    await runtime.decide(first.questions[0], approved=True, by=BEA)
    return await count_after_resume(stage, runtime, second.run)


@row
async def _decided_with_the_permission_for_another_target(stage: Stage) -> int:
    runtime = stage.make_runtime(call_script(stage))
    waiting = await runtime.run("go", by=ADA, target=BAKERY)
    eve = Principal("eve", permissions=frozenset({f"approvals:decide@{SHOP}"}))
    await expect_refusal(runtime.decide(waiting.questions[0], approved=True, by=eve))
    return await count_after_resume(stage, runtime, waiting.run)
