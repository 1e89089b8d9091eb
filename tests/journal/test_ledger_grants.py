"""What a ledger says about the grants and the used approvals of its store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from remit.journal.ledger import RunLedger
from remit.journal.memory import InMemoryStore
from remit.record.grant import Grant
from remit.testing.store_suite.grants import grant
from remit.testing.store_suite.samples import Clock, Run, begin, question, question_item, yes

GRANT = grant(count=1)


@pytest.fixture
def store(clock: Clock) -> InMemoryStore:
    return InMemoryStore(clock)


@pytest.fixture
async def run(store: InMemoryStore) -> Run:
    return await begin(store)


@pytest.fixture
def ledger(store: InMemoryStore, clock: Clock, run: Run) -> RunLedger:
    return RunLedger(store, run.run, run.epoch, clock=clock, on_stored=lambda _stored: None)


@pytest.mark.parametrize(
    ("stored", "revoked_by", "valid"),
    [
        pytest.param(GRANT, "", True, id="valid"),
        pytest.param(replace(GRANT, id="another"), "", False, id="unknown"),
        pytest.param(replace(GRANT, tenant="bakery"), "", False, id="of another tenant"),
        pytest.param(replace(GRANT, expires=1000.0), "", False, id="expired"),
        pytest.param(GRANT, "bob", False, id="revoked"),
    ],
)
async def test_a_grant_is_valid_in_its_tenant_until_it_expires_or_is_revoked(
    store: InMemoryStore, ledger: RunLedger, stored: Grant, revoked_by: str, valid: bool
) -> None:
    await store.add_grant(stored)
    if revoked_by:
        await store.revoke_grant(stored.id, revoked_by)
    assert await ledger.decisions.is_grant_valid("default", "g1") is valid


async def test_no_grant_is_usable_that_was_used_up_or_revoked_or_has_expired(
    store: InMemoryStore, ledger: RunLedger
) -> None:
    for name in ("used up", "revoked", "usable"):
        await store.add_grant(replace(GRANT, id=name))
    await store.add_grant(replace(GRANT, id="expired", expires=1000.0))
    await ledger.decisions.use_grant("used up")
    await store.revoke_grant("revoked", "bob")
    assert [each.id for each in await ledger.decisions.usable_grants("default", GRANT.tool)] == ["usable"]


async def test_a_grant_is_used_as_often_as_it_allows(store: InMemoryStore, ledger: RunLedger) -> None:
    await store.add_grant(GRANT)
    assert [await ledger.decisions.use_grant("g1"), await ledger.decisions.use_grant("g1")] == [True, False]


async def test_an_approval_is_used_elsewhere_if_another_call_has_used_it(
    store: InMemoryStore, ledger: RunLedger, run: Run
) -> None:
    assert not await ledger.decisions.is_used_elsewhere("q1", "call")
    await run.append(question_item(question()))
    await store.decide(yes())
    assert not await ledger.decisions.is_used_elsewhere("q1", "call")
    await run.start("q1")
    assert [await ledger.decisions.is_used_elsewhere("q1", call) for call in ("call", "another")] == [False, True]
