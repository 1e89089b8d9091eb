"""Health of approvals counts questions and answers by tool and rule, and gives advice that it has tried."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from remit import Allow, App, Block, Effect, Policy, Principal, Risk, When, tool
from remit.client.client import Client
from remit.journal.memory import InMemoryStore
from remit.journal.question_row import QuestionRow
from remit.record.question import Decision
from remit.runtime import Runtime
from remit.testing.store_suite.samples import Clock, question
from remit.trial.health import HealthFold


@tool(effect=Effect.IDEMPOTENT, risk=Risk.HIGH)
async def delete_note(name: str) -> str:
    """Delete a note."""
    return name


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(clock: Clock) -> Client:
    store = InMemoryStore(clock)
    ada = Principal("ada", permissions=frozenset({"approvals:decide"}))
    return Runtime(App(name="notes", tools=(delete_note,)), store=store, clock=clock).client(ada)


async def answer(client: Client, clock: Clock, *, seconds: float, approved: bool = True, count: int = 1) -> None:
    """Request calls and answer their questions after some seconds."""
    for number in range(count):
        await client.call("delete_note", {"name": f"{clock.now} {number}"})
        asked = (await client.questions()).items[0].question
        clock.now += seconds
        await client.decide(asked.id, approved=approved)


async def test_questions_are_counted_by_tool_and_rule_with_the_median_time_of_answers(
    client: Client, clock: Clock
) -> None:
    for seconds, approved in ((1, True), (5, True), (60, False)):
        await answer(client, clock, seconds=seconds, approved=approved)
    await client.call("delete_note", {"name": "open"})
    (health,) = await client.approval_health(since=0)
    assert (health.tool, health.rule) == ("delete_note", "high risk")
    assert (health.asked, health.approved, health.denied, health.open) == (4, 2, 1, 1)
    assert (health.median_seconds, health.unread, health.advice) == (5, 1, None)


async def test_what_is_always_approved_unread_is_advised_to_be_allowed_and_the_advice_is_tried(
    client: Client, clock: Clock
) -> None:
    await answer(client, clock, seconds=1, count=20)
    (health,) = await client.approval_health(since=0)
    assert (health.advice, health.unread) == ("allow", 20)
    assert [(each.kind, each.calls) for each in health.changes] == [("looser", 20)]


async def test_what_is_always_denied_is_advised_to_be_blocked(client: Client, clock: Clock) -> None:
    await answer(client, clock, seconds=30, approved=False, count=20)
    (health,) = await client.approval_health(since=0)
    assert (health.advice, [(each.kind, each.calls) for each in health.changes]) == ("block", [("blocked", 20)])


async def test_only_questions_of_the_period_count(client: Client, clock: Clock) -> None:
    await answer(client, clock, seconds=1)
    clock.now += 1000
    since = clock.now
    await answer(client, clock, seconds=1)
    assert [each.asked for each in await client.approval_health(since=since)] == [1]
    assert [each.asked for each in await client.approval_health(since=0, until=since)] == [1]


def row(*, status: str = "approved", approved: bool = True, grant: str = "", arguments: str = "") -> QuestionRow:
    decision = Decision(question="q1", approved=approved, by="ann", at=1001.0, grant=grant, arguments=arguments)
    is_open = status in ("open", "expired")
    return QuestionRow(question(asked=1000.0), status, None if is_open else decision, None)  # type: ignore[arg-type]


def test_edits_grants_and_expired_questions_are_counted_apart() -> None:
    fold = HealthFold(0, math.inf)
    for each in (row(), row(arguments='{"name":"b"}'), row(grant="g1"), row(status="expired"), row(status="open")):
        fold.add(each)
    (health,) = fold.result()
    assert (health.asked, health.approved, health.edited, health.granted) == (5, 3, 1, 1)
    assert (health.expired, health.open, health.unread) == (1, 1, 2)


def test_questions_that_mostly_expire_are_advised_to_be_asked_of_others() -> None:
    fold = HealthFold(0, math.inf)
    for _ in range(20):
        fold.add(row(status="expired"))
    assert fold.result()[0].advice == "ask others"
    assert fold.advised_policy(Policy()) is None


def test_questions_answered_with_their_caller_are_not_counted() -> None:
    fold = HealthFold(0, math.inf)
    covered = row()
    fold.add(covered._replace(question=replace(covered.question, within="q0")))
    assert fold.result() == []


def test_a_rule_that_advice_adds_stands_before_the_rule_that_asks_and_after_those_that_block() -> None:
    block = When("secret", verdict=Block(reason="secret"), tools={"delete_note"})
    added = When("added", verdict=Allow(), tools={"delete_note"})
    names = [each.name for each in Policy(block).with_rule(added, before="high risk").rules]
    assert names == ["secret", "added", "high risk", "egress", "undeclared"]
