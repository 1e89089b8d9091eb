"""Rules read the calls before: after a call, not after a call, for whom, and within a time."""

from __future__ import annotations

import pytest

from remit import Allow, Ask, Block, When
from remit.call.subject import Per
from remit.errors import BlockedError, SetupError
from remit.layers import Approve
from remit.policies import After, AllOf, Decision, NotAfter, Policy, Question
from remit.record.items import AttemptStarted, RuleRead
from remit.stores import Store
from remit.testing import call_through, make_call, memory_ledger
from remit.testing.store_suite.samples import start_item
from tests.approvals.shop import ADA, BOB, CYD, Shop, outcome
from tests.layers.asking import Env, Person
from tests.runtime.kit import items_of

STOP = Block(reason="no")
NO_MAIL = When("no mail after secrets", After("read_secret"), STOP, tools="send_mail")
INVOICE_FIRST = When("the invoice first", NotAfter("read_invoice"), STOP, tools="pay")


async def test_after_a_call_the_rule_applies_and_before_it_does_not() -> None:
    shop = Shop([NO_MAIL])
    async with shop.open() as run:
        names = ("send_mail", "read_invoice", "read_secret", "send_mail", "read_invoice")
        came = [outcome(await run.call(name, {})) for name in names]
    assert came == ["send_mail x", "read_invoice 1", "read_secret", "BLOCKED", "read_invoice 1"]


async def test_a_rule_that_misses_a_call_applies_until_it_has_succeeded() -> None:
    shop = Shop([INVOICE_FIRST])
    async with shop.open() as run:
        assert outcome(await run.call("pay", {"euros": 1})) == "BLOCKED"
        shop.fails = True
        assert outcome(await run.call("read_invoice", {})) == "INTERNAL_ERROR"
        assert outcome(await run.call("pay", {"euros": 2})) == "BLOCKED"
        shop.fails = False
        await run.call("read_invoice", {"number": 2})
        assert outcome(await run.call("pay", {"euros": 3})) == "pay 3"


async def test_a_call_in_flight_counts_as_begun_and_not_as_succeeded() -> None:
    ledger = await memory_ledger()
    secret, invoice, mail, pay, _ = Shop().tools()
    before = await make_call(mail, ledger=ledger, call_id="mail")
    assert not After("read_secret")(before)
    ledger.add(AttemptStarted(call="s", parent="p", callee=secret.name, attempt=1))
    ledger.add(AttemptStarted(call="i", parent="p", callee=invoice.name, attempt=1))
    assert After("read_secret")(before)
    assert NotAfter("read_invoice")(await make_call(pay, '{"euros":1}', ledger=ledger, call_id="pay"))


async def test_a_call_that_failed_after_it_began_counts() -> None:
    shop = Shop([NO_MAIL], fails=True)
    async with shop.open() as run:
        await run.call("read_secret", {})
        shop.fails = False
        assert outcome(await run.call("send_mail", {})) == "BLOCKED"


async def test_a_call_that_was_blocked_or_waits_has_not_begun() -> None:
    shop = Shop([When("ask", verdict=Ask(reason="look"), tools="read_secret"), NO_MAIL])
    async with shop.open() as run:
        assert outcome(await run.call("read_secret", {})) == "waits"
        assert outcome(await run.call("send_mail", {})) == "send_mail x"


@pytest.mark.every_store
async def test_the_calls_of_other_runs_count_for_the_conversation_principal_or_tenant(store: Store) -> None:
    counted: list[tuple[Per, tuple[bool, ...]]] = [("principal", (True, False, False)), ("tenant", (True, True, False))]
    for per, same in counted:
        shop = Shop([When("no", After("read_secret", per=per), STOP, tools="send_mail")], store=store)
        assert await shop.call("read_secret") == "read_secret"
        assert tuple([await shop.call("send_mail", by) == "BLOCKED" for by in (ADA, BOB, CYD)]) == same


async def test_calls_of_a_conversation_count_in_its_later_runs_only() -> None:
    shop = Shop([When("no", After("read_secret", per="conversation"), STOP, tools="send_mail")])
    client = shop.process().client(ADA)
    await client.call("read_secret", {}, conversation="one")
    results = [await shop.process().client(ADA).call("send_mail", {}, conversation=each) for each in ("one", "two")]
    assert [outcome(each) for each in results] == ["BLOCKED", "send_mail x"]


async def test_in_other_runs_too_a_requirement_needs_a_success_and_a_taint_only_a_start() -> None:
    rules = [
        When("first", NotAfter("read_invoice", per="principal"), STOP, tools="pay"),
        When("never", After("read_secret", per="principal"), STOP, tools="send_mail"),
    ]
    shop = Shop(rules, fails=True)
    for name in ("read_invoice", "read_secret"):
        await shop.call(name)
    shop.fails = False
    assert [await shop.call("pay", euros=1), await shop.call("send_mail")] == ["BLOCKED", "BLOCKED"]
    await shop.call("read_invoice")
    assert await shop.call("pay", euros=1) == "pay 1"


@pytest.mark.parametrize("per", ["run", "principal"])
async def test_within_a_time_only_calls_in_it_count(per: Per) -> None:
    shop = Shop([When("no", After("read_secret", per=per, within=60), STOP, tools="send_mail")])
    async with shop.open() as run:
        await run.call("read_secret", {})
        shop.clock.pass_by(60.0)
        assert outcome(await run.call("send_mail", {"to": "early"})) == "BLOCKED"
        shop.clock.pass_by(0.1)
        assert outcome(await run.call("send_mail", {"to": "late"})) == "send_mail late"


@pytest.mark.parametrize("per", ["run", "principal"])
async def test_a_call_is_not_its_own_predecessor_and_the_next_one_has_one(per: Per) -> None:
    shop = Shop([When("once", After("pay", per=per), STOP, tools="pay")])
    async with shop.open() as run:
        assert [outcome(await run.call("pay", {"euros": each})) for each in (1, 2)] == ["pay 1", "BLOCKED"]


async def test_all_tests_of_a_rule_must_hold() -> None:
    large = AllOf(After("read_secret"), lambda call: '"euros":9' in call.canonical_arguments)
    shop = Shop([When("no large payments after secrets", large, STOP, tools="pay")])
    async with shop.open() as run:
        assert outcome(await run.call("pay", {"euros": 9.5})) == "pay 9.5"
        await run.call("read_secret", {})
        assert [outcome(await run.call("pay", {"euros": each})) for each in (9.0, 1.0)] == ["BLOCKED", "pay 1"]


async def test_a_waiting_call_is_judged_again_by_what_has_happened_since() -> None:
    ask = When("ask", verdict=Ask(reason="look"), tools="send_mail")
    shop = Shop([NO_MAIL, ask])
    async with shop.open() as run:
        waiting = await run.call("send_mail", {})
        await run.call("read_secret", {})
    (question,) = await shop.store.list_questions(run=run.id)
    await shop.process().decide(question.question.id, approved=True, by=BOB)
    assert outcome(waiting) == "waits"
    await shop.process().resume(run.id)
    assert shop.done == ["read_secret"]


async def test_what_happens_while_an_approver_decides_at_once_counts() -> None:
    ask = When("ask", verdict=Ask(reason="look"), tools="send_mail")
    call = await make_call(Shop().tools()[2])
    call = call.with_payload(call.callee.schema_in.bind(call.arguments))

    def decide(question: Question) -> Decision:
        call.ledger.add(AttemptStarted(call="s", parent="p", callee="read_secret", attempt=1))
        return Decision(question=question.id, approved=True, by="bea")

    person = Person(decide)
    with pytest.raises(BlockedError, match="blocked by the rule 'no mail after secrets'"):
        await call_through(Approve(Env(approver=person), policy=Policy.only(NO_MAIL, ask)), call)
    assert len(person.asked) == 1


async def test_a_call_that_has_begun_keeps_the_verdict_under_which_it_began() -> None:
    test = After("read_secret")
    items = [start_item("call"), AttemptStarted(call="s", parent="p", callee="read_secret", attempt=1)]
    call = await make_call(Shop().tools()[2], recorded_items=items)
    assert not test(call)
    read = RuleRead(call="call", test=test.text, holds=True)
    assert test(await make_call(Shop().tools()[2], recorded_items=[read, *items]))


async def test_a_replay_finds_the_verdicts_that_were_given() -> None:
    ask = When("ask after secrets", After("read_secret", per="principal"), Ask(reason="look"), tools="settle")
    no_pay = When("no", After("read_secret"), STOP, tools="pay")
    shop = Shop([ask, no_pay])
    async with shop.open() as run:
        await run.call("settle", {"amounts": [1, 2]})
        await run.call("read_secret", {})
        await run.call("settle", {"amounts": [3]})
    (question,) = await shop.store.list_questions(run=run.id)
    await shop.process().decide(question.question.id, approved=True, by=BOB)
    await shop.process().resume(run.id)
    assert shop.done == ["pay 1", "pay 2", "read_secret"]
    assert (await shop.process().replay(run.id)).difference == ""
    answers = [each for each in await items_of(shop.store, run.id) if isinstance(each, RuleRead)]
    assert [(each.test, each.holds) for each in answers] == [
        ("after read_secret per principal", True),
        ("after read_secret per run", True),
    ]


async def test_what_the_store_was_not_asked_denies() -> None:
    call = await make_call(Shop().tools()[2])
    rule = When("no", After("read_secret", per="tenant"), STOP)
    with pytest.raises(Exception, match="send_mail is denied: the earlier calls of the tenant were not read"):
        Policy.only(rule).verdict(call)


def test_rules_that_cannot_apply_are_refused() -> None:
    with pytest.raises(SetupError, match="After: give the name of a tool or agent"):
        After([])
    with pytest.raises(SetupError, match="within"):
        After("pay", within=0)
    with pytest.raises(SetupError, match="per"):
        NotAfter("pay", per="month")  # type: ignore[arg-type]
    with pytest.raises(SetupError, match="two tests or more"):
        AllOf(After("pay"))
    with pytest.raises(SetupError, match="there is no tool or agent 'read_sekret'; did you mean read_secret"):
        Shop([When("no", After("read_sekret"), STOP, tools="pay")]).process()


def test_tests_over_the_run_are_no_code_of_the_application() -> None:
    assert Policy.only(NO_MAIL, INVOICE_FIRST).own_rules == ()
    assert Policy.only(NO_MAIL).rule_strictness == (("no mail after secrets", 4),)


def test_another_test_is_another_version_of_the_policy() -> None:
    versions = {
        Policy.only(When("one", test, Allow(), tools="pay")).version
        for test in (
            After("pay"),
            NotAfter("pay"),
            After("pay", within=1),
            After("pay", per="tenant"),
            After(["pay", "send_mail"]),
            AllOf(After("pay"), NotAfter("send_mail")),
        )
    }
    assert len(versions) == 6
    assert (
        Policy.only(When("one", After("pay"), Allow())).version
        == Policy.only(When("one", After(["pay"]), Allow())).version
    )
