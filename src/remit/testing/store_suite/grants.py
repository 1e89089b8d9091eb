"""Grants: a store keeps them, counts each of their calls, and revokes them permanently."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit.errors import ApprovalUsedError, LeaseError, RequestError
from remit.journal.ports import Store
from remit.record.grant import Grant, GrantRow
from remit.record.items import DecisionItem
from remit.record.ledger import Consumption
from remit.record.question import Decision
from remit.testing.store_suite.samples import Clock, begin, question, question_item, start_item


def grant(name: str = "g1", *, tenant: str = "default", tool: str = "pay", count: int = 3, given: float = 1.0) -> Grant:
    return Grant(
        id=name,
        tenant=tenant,
        tool=tool,
        arguments="{}",
        principal="ada",
        definition="d1",
        policy="p1",
        who="approvals:decide",
        by="bob",
        given=given,
        expires=1500.0,
        count=count,
    )


async def test_grants_are_found_by_tenant_and_tool_oldest_first(store: Store) -> None:
    second, first, other = grant("b", given=2.0), grant("a", given=1.0), grant("c", tool="send")
    for each in (first, second, other, grant("d", tenant="elsewhere")):
        await store.add_grant(each)
    assert await store.list_grants(tenant="default", tool="pay") == [GrantRow(first, 0, ""), GrantRow(second, 0, "")]
    assert {row.grant.id for row in await store.list_grants(tenant="default")} == {"a", "b", "c"}


async def test_grants_are_listed_page_by_page(store: Store) -> None:
    for name, given in (("c", 1.0), ("a", 2.0), ("b", 1.0), ("d", 3.0)):
        await store.add_grant(grant(name, given=given, tool="send" if name == "a" else "pay"))
    await store.add_grant(grant("e", given=1.5, tenant="elsewhere"))

    async def page(**position: Any) -> str:
        return "".join(row.grant.id for row in await store.list_grants(tenant="default", **position))

    assert [await page(limit=2), await page(after="c", limit=2), await page(after="d")] == ["bc", "ad", ""]
    assert await page(after="b", tool="pay") == "cd"
    assert await page(after="unknown") == ""


async def test_a_grant_is_found_by_its_id(store: Store) -> None:
    await store.add_grant(grant())
    assert await store.find_grant("g1") == GrantRow(grant(), 0, "")
    assert await store.find_grant("unknown") is None


async def test_a_grant_that_is_stored_again_stays_as_it_was(store: Store) -> None:
    await asyncio.gather(*(store.add_grant(grant(count=count)) for count in (3, 3)))
    await store.add_grant(grant(count=9))
    assert await store.find_grant("g1") == GrantRow(grant(count=3), 0, "")


async def test_a_grant_counts_no_more_calls_than_it_allows(store: Store) -> None:
    await store.add_grant(grant(count=3))
    await begin(store)
    used = await asyncio.gather(*(store.use_grant("g1", "run", 1) for _ in range(20)))
    assert used.count(True) == 3
    (row,) = await store.list_grants(tenant="default")
    assert row.used == 3


async def test_an_unknown_expired_or_revoked_grant_is_not_used(store: Store, clock: Clock) -> None:
    await store.add_grant(grant("g1"))
    await store.add_grant(grant("g2"))
    await store.revoke_grant("g2", "cleo")
    await begin(store)
    assert [await store.use_grant(each, "run", 1) for each in ("g2", "nothing")] == [False, False]
    clock.now = 1500.0
    assert await store.use_grant("g1", "run", 1) is False


@pytest.mark.parametrize(("run", "epoch"), [("run", 2), ("nothing", 1)])
async def test_an_executor_that_does_not_hold_the_run_uses_no_grant(store: Store, run: str, epoch: int) -> None:
    await store.add_grant(grant())
    await begin(store)
    with pytest.raises(LeaseError, match=f"run {run}: another executor has taken over"):
        await store.use_grant("g1", run, epoch)
    (row,) = await store.list_grants(tenant="default")
    assert row.used == 0


async def test_a_grant_is_revoked_once_and_by_name(store: Store) -> None:
    await store.add_grant(grant())
    await store.revoke_grant("g1", "cleo")
    with pytest.raises(RequestError, match="grant g1 was already revoked by cleo"):
        await store.revoke_grant("g1", "dora")
    with pytest.raises(RequestError, match="grant nothing does not exist"):
        await store.revoke_grant("nothing", "dora")
    assert [row.revoked_by for row in await store.list_grants(tenant="default")] == ["cleo"]


def by_grant() -> DecisionItem:
    decision = Decision(question="q1", approved=True, by="bob", grant="g1")
    return DecisionItem(call="call", question="q1", body=decision.to_json())


async def test_a_call_starts_by_a_usable_grant_even_if_its_calls_are_used_up(store: Store) -> None:
    run = await begin(store)
    await store.add_grant(grant(count=1))
    await store.use_grant("g1", "run", 1)
    await run.append(question_item(question()), by_grant())
    await run.append(start_item(question="q1"), take=Consumption(("q1",), "run", "call"))
    row = await store.find_question("q1")
    assert row is not None
    assert row.status == "taken"


@pytest.mark.parametrize("why", ["revoked", "over", "unknown"])
async def test_no_call_starts_by_a_revoked_or_expired_grant(store: Store, clock: Clock, why: str) -> None:
    run = await begin(store)
    if why != "unknown":
        await store.add_grant(grant())
    await run.append(question_item(question()), by_grant())
    if why == "revoked":
        await store.revoke_grant("g1", "cleo")
    clock.now = 1500.0 if why == "over" else clock.now
    with pytest.raises(ApprovalUsedError, match="the grant g1 for question q1 was revoked or has expired"):
        await run.append(start_item(question="q1"), take=Consumption(("q1",), "run", "call"))


async def test_a_started_call_continues_after_its_grant_is_revoked(store: Store) -> None:
    run = await begin(store)
    await store.add_grant(grant())
    await run.append(question_item(question()), by_grant())
    await run.append(start_item(question="q1"), take=Consumption(("q1",), "run", "call"))
    await store.revoke_grant("g1", "cleo")
    await run.append(start_item(question="q1", attempt=2), take=Consumption(("q1",), "run", "call"))
