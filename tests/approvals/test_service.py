"""Who may decide what, and when: everybody else is told so, and nothing runs."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Ask, Effect, Policy, Principal, Risk, Runtime, When, tool
from remit.errors import RequestError
from remit.journal.ports import Store
from remit.policies import Decision
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import Clock, Crash, Mortal, World, runtime_of, tool_messages

ERASE = calls(("erase", {"text": "about"}))


async def waiting(world: World, store: Store | None = None, policy: Policy | None = None) -> tuple[Runtime, str, str]:
    """A runtime, a run of Ada's bakery that waits, and its question."""
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([ERASE, "done"]), erase, store=store, policy=policy)
    result = await runtime.run("go", by=superuser(name="ada", tenant="bakery"))
    assert result.status == "waiting"
    return runtime, result.run, result.questions[0]


async def refused(
    runtime: Runtime, question: str, by: Principal, said: str, *, approved: bool = True, result: str = ""
) -> None:
    """The decision is refused, and the question stays as it was."""
    before = await runtime.store.find_question(question)
    with pytest.raises(RequestError, match=said):
        await runtime.decide(question, approved=approved, by=by, result=result)
    assert await runtime.store.find_question(question) == before


async def test_a_question_of_another_tenant_looks_like_none(store: Store) -> None:
    world = World()
    runtime, run, question = await waiting(world, store)
    mallory = Principal("mallory", "butcher", permissions=frozenset({"*"}))
    await refused(runtime, question, mallory, f"^question {question} does not exist$")
    await refused(runtime, "nothing", mallory, "^question nothing does not exist$")
    assert (await runtime.resume(run)).status == "waiting"
    assert world.ran == []


async def test_a_check_of_a_decision_decides_nothing_and_passes_a_repeated_one(store: Store) -> None:
    runtime, _, question = await waiting(World(), store)
    client = runtime.client(superuser(name="grace", tenant="bakery"))
    await client.check_decision(question, approved=False, idempotency_key="k")
    row = await store.find_question(question)
    assert row is not None
    assert row.status == "open"
    await client.decide(question, approved=False, idempotency_key="k")
    await client.check_decision(question, approved=False, idempotency_key="k")
    with pytest.raises(RequestError, match="is already denied"):
        await client.check_decision(question, approved=True)


@pytest.mark.parametrize("permissions", [(), ("cms:delete",), ("approvals:read",)])
async def test_a_person_without_the_permission_decides_nothing(permissions: tuple[str, ...]) -> None:
    world = World()
    runtime, run, question = await waiting(world)
    bob = Principal("bob", "bakery", permissions=frozenset(permissions))
    await refused(
        runtime, question, bob, f"bob may not decide question {question}: missing permission approvals:decide"
    )
    await refused(runtime, question, bob, "may not decide", approved=False)
    assert (await runtime.resume(run)).status == "waiting"
    assert world.ran == []


@pytest.mark.parametrize("permission", ["approvals:decide", "approvals:*", "*"])
async def test_a_person_with_the_permission_decides(permission: str) -> None:
    world = World()
    runtime, run, question = await waiting(world)
    bob = Principal("bob", "bakery", permissions=frozenset({permission}))
    await runtime.decide(question, approved=True, by=bob)
    assert (await runtime.resume(run)).value() == "done"
    assert world.ran == ["about"]


async def test_the_rule_that_asks_says_which_permission_is_needed() -> None:
    rule = When("legal", lambda call: call.callee.name == "erase", Ask(reason="a contract", who="legal:sign"))
    world = World()
    runtime, run, question = await waiting(world, policy=Policy(rule))
    usual = Principal("bob", "bakery", permissions=frozenset({"approvals:decide"}))
    await refused(runtime, question, usual, "missing permission legal:sign")
    lawyer = Principal("lea", "bakery", permissions=frozenset({"legal:sign"}))
    await runtime.decide(question, approved=True, by=lawyer)
    assert (await runtime.resume(run)).status == "done"


@pytest.mark.parametrize("first", [True, False], ids=["approved", "denied"])
@pytest.mark.parametrize("second", [True, False], ids=["then approved", "then denied"])
async def test_the_first_decision_counts(store: Store, first: bool, second: bool) -> None:
    world = World()
    runtime, run, question = await waiting(world, store)
    ada = superuser(tenant="bakery")
    await runtime.decide(question, approved=first, by=ada)
    word = "approved" if first else "denied"
    await refused(runtime, question, ada, f"question {question} is already {word} by ada", approved=second)
    await runtime.resume(run)
    assert world.ran == (["about"] if first else [])


@pytest.mark.every_store
async def test_of_two_decisions_at_once_one_counts(store: Store) -> None:
    world = World()
    runtime, run, question = await waiting(world, store)
    ada = superuser(tenant="bakery")
    outcomes = await asyncio.gather(
        *(runtime.decide(question, approved=approved, by=ada) for approved in (False, True, True)),
        return_exceptions=True,
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == [
        "NoneType",
        "RequestConflictError",
        "RequestConflictError",
    ]
    row = await store.find_question(question)
    assert row is not None
    await runtime.resume(run)
    assert world.ran == (["about"] if row.status == "approved" else [])


async def test_an_approval_that_was_used_cannot_be_decided_again(store: Store) -> None:
    runtime, run, question = await waiting(World(), store)
    await runtime.decide(question, approved=True, by=superuser(tenant="bakery"))
    await runtime.resume(run)
    await refused(runtime, question, superuser(tenant="bakery"), "is already approved by ada")


@pytest.mark.parametrize("looks_like", ["yes", 1, "true", None, 0])
async def test_what_merely_looks_like_a_decision_is_refused_and_changes_nothing(store: Store, looks_like: Any) -> None:
    runtime, _, question = await waiting(World(), store)
    with pytest.raises(RequestError, match=f"approved is {looks_like!r}; it must be True or False"):
        await runtime.decide(question, approved=looks_like, by=superuser(tenant="bakery"))
    row = await store.find_question(question)
    assert row is not None
    assert (row.status, row.decision) == ("open", None)


async def test_a_decision_is_stamped_with_who_and_when() -> None:
    clock, world = Clock(), World()
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    runtime = runtime_of(Scripted([ERASE]), erase, store=InMemoryStore(clock), clock=clock)
    result = await runtime.run("go", by=superuser())
    clock.now += 60
    await runtime.decide(result.questions[0], approved=False, by=superuser(name="bob"), reason="no")
    row = await runtime.store.find_question(result.questions[0])
    assert row is not None
    assert row.decision == Decision(
        question=result.questions[0], approved=False, by="bob", reason="no", at=clock.now, result=""
    )


async def cut_off(world: World) -> tuple[Mortal, Runtime, str, str]:
    """A run whose unsafe call was under way when its process died, and the question what became of it."""
    clock = Clock()
    store = Mortal(clock)

    @tool(effect=Effect.UNSAFE)
    async def erase(text: str) -> int:
        """Erase a page; how many are left."""
        world.ran.append(text)
        return 5

    runtime = runtime_of(Scripted([ERASE, "done"]), erase, store=store, clock=clock)
    store.die_at(4, after=False)
    with pytest.raises(Crash):
        await runtime.run("go", by=superuser())
    assert world.ran == ["about"]
    store.revive()
    clock.now += 60
    (row,) = await store.list_runs()
    result = await runtime.resume(row.run)
    assert result.status == "waiting"
    return store, runtime, row.run, result.questions[0]


async def test_an_unsafe_call_that_was_cut_off_waits_for_somebody_to_say_whether_it_happened() -> None:
    world = World()
    store, runtime, run, question = await cut_off(world)
    row = await store.find_question(question)
    assert row is not None
    assert (row.question.kind, row.question.tool, row.question.arguments) == ("outcome", "erase", '{"text":"about"}')
    assert (await runtime.resume(run)).status == "waiting"
    assert world.ran == ["about"]


async def test_what_a_person_says_that_it_gave_is_what_the_model_reads() -> None:
    world = World()
    _, runtime, run, question = await cut_off(world)
    await runtime.decide(question, approved=True, by=superuser(), result="4")
    assert (await runtime.resume(run)).value() == "done"
    assert world.ran == ["about"]
    assert await tool_messages(runtime, run) == ["4"]
    assert (await runtime.replay(run)).is_identical


async def test_a_call_that_did_not_happen_is_made_after_all() -> None:
    world = World()
    _, runtime, run, question = await cut_off(world)
    await runtime.decide(question, approved=False, by=superuser())
    assert (await runtime.resume(run)).value() == "done"
    assert world.ran == ["about", "about"]
    assert await tool_messages(runtime, run) == ["5"]
    assert (await runtime.replay(run)).is_identical


@pytest.mark.parametrize("result", ["many", "", "{", "true", '"4"', "4.0", "null", "[4]"])
async def test_a_result_that_the_contract_does_not_allow_is_refused(result: str) -> None:
    _, runtime, run, question = await cut_off(World())
    await refused(runtime, question, superuser(), "this is not a valid result of erase", result=result)
    assert (await runtime.resume(run)).status == "waiting"


@pytest.mark.parametrize("name", ["reason", "result", "arguments"])
@pytest.mark.parametrize("value", [None, 5, -1, []])
async def test_what_is_no_text_is_refused_before_it_is_stored(store: Store, name: str, value: Any) -> None:
    runtime, run, question = await waiting(World(), store)
    with pytest.raises(RequestError) as refusal:
        await runtime.decide(question, approved=True, by=superuser(tenant="bakery"), **{name: value})
    assert refusal.value.message == f"{name} is {value!r}; give a string"
    assert (await runtime.resume(run)).status == "waiting"


@pytest.mark.parametrize("name", ["reason", "result"])
async def test_what_is_too_long_is_refused_before_it_is_stored(store: Store, name: str) -> None:
    runtime, run, question = await waiting(World(), store)
    too_long: Any = {name: "x" * 1_000_000}
    with pytest.raises(RequestError, match=f"the {name} is 1,000,000 bytes long; at most "):
        await runtime.decide(question, approved=True, by=superuser(tenant="bakery"), **too_long)
    assert (await runtime.resume(run)).status == "waiting"
