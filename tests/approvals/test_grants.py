"""A standing grant answers so many calls of a pattern, for a time, and nothing else; it can be taken back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from remit import Ask, Effect, LeafContext, Policy, Principal, Risk, Runtime, Stack, When, preset, tool
from remit.app import Env
from remit.errors import IdempotencyError, RequestError, SetupError
from remit.journal.ports import Store
from remit.layers import CallLayer
from remit.layers.approve import Approve
from remit.policies import HighRisk
from remit.record.grant import Grant
from remit.record.items import AttemptStarted, DecisionItem
from remit.record.question import Decision
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls, superuser
from tests.runtime.kit import Clock, World, find_superuser, items_of, last_reply, runtime_of

ADA, BOB = superuser(name="ada"), superuser(name="bob")
HOUR = 3600.0


def erase(text: str = "blog-1") -> Any:
    return calls(("erase", {"text": text}))


def runtime(world: World, store: Store, *script: Any, policy: Policy | None = None, **more: Any) -> Runtime:
    eraser = world.write("erase", Effect.KEYED, Risk.HIGH)
    return runtime_of(Scripted([*script, "done"]), eraser, store=store, policy=policy, **more)


async def given(runtime: Runtime, count: int = 1, **more: Any) -> Grant:
    wanted: dict[str, Any] = {"by": BOB, "principal": "ada", "expires_in": HOUR, "count": count, **more}
    return await runtime.grants.create("erase", **wanted)


async def test_a_call_that_a_grant_allows_is_not_asked_about_and_the_journal_says_which(store: Store) -> None:
    world = World()
    made = runtime(world, store, erase())
    grant = await given(made, arguments='{"text":{"$like":"blog-*"}}', reason="the old blog goes")
    result = await made.run("go", by=ADA)
    assert (result.status, world.ran, await store.list_questions()) == ("done", ["blog-1"], [])
    items = await items_of(store, result.run)
    (decision,) = [Decision.from_json(item.body) for item in items if isinstance(item, DecisionItem)]
    assert (decision.grant, decision.by, decision.reason) == (grant.id, "bob", "the old blog goes")
    (started,) = [item for item in items if isinstance(item, AttemptStarted)]
    assert started.question == decision.question
    assert [(row.grant, row.used) for row in await made.grants.list_grants(ADA)] == [(grant, 1)]
    assert (await made.replay(result.run)).is_identical


async def test_a_grant_that_is_sent_twice_with_its_key_is_one_and_the_key_makes_no_other(store: Store) -> None:
    made = runtime(World(), store, clock=Clock())
    first = await given(made, idempotency_key="k")
    assert await given(made, idempotency_key="k") == first
    other = await given(made, by=ADA, idempotency_key="k")
    assert {row.grant.id for row in await made.grants.list_grants(BOB)} == {first.id, other.id}
    others: list[dict[str, Any]] = [{"count": 2}, {"expires_in": 2 * HOUR}, {"reason": "another"}]
    for changed in others:
        with pytest.raises(
            IdempotencyError, match="the idempotency key was used for another grant of erase; use a new key"
        ):
            await given(made, idempotency_key="k", **changed)


NOT_ANSWERED: dict[str, dict[str, Any]] = {
    "other arguments": {"arguments": '{"text":"blog-2"}'},
    "another shape": {"arguments": '{"text":{"$like":"*-2"}}'},
    "another principal": {"principal": "cleo"},
    "another tenant": {"by": superuser(name="bob", tenant="other")},
    "another permission": {"who": "legal:sign"},
}


@pytest.mark.parametrize("name", NOT_ANSWERED)
async def test_what_a_grant_is_not_about_is_asked_about(store: Store, name: str) -> None:
    world = World()
    made = runtime(world, store, erase())
    await given(made, **NOT_ANSWERED[name])
    assert (await made.run("go", by=ADA)).status == "waiting"
    assert world.ran == []


async def test_after_its_last_call_people_are_asked_again(store: Store) -> None:
    world = World()
    made = runtime(world, store, erase("a"), erase("b"), erase("c"))
    await given(made, count=2)
    assert (await made.run("go", by=ADA)).status == "waiting"
    assert world.ran == ["a", "b"]


@pytest.mark.every_store
async def test_of_many_runs_at_once_no_more_run_than_were_granted_and_the_others_wait(store: Store) -> None:
    world = World()
    made = runtime(world, store, *[erase(str(number)) for number in range(20)])
    await given(made, count=5)

    async def one(number: int) -> str:
        each = runtime(world, store, erase(str(number)))
        return (await each.run("go", by=ADA)).status

    statuses = await asyncio.gather(*(one(number) for number in range(20)))
    assert (sorted(statuses), len(world.ran)) == (["done"] * 5 + ["waiting"] * 15, 5)


async def test_a_grant_that_was_revoked_answers_nothing_more(store: Store) -> None:
    world = World()
    made = runtime(world, store, erase())
    grant = await given(made)
    await made.grants.revoke(grant.id, by=ADA)
    assert (await made.run("go", by=ADA)).status == "waiting"
    with pytest.raises(RequestError, match=f"grant {grant.id} was already revoked by ada"):
        await made.grants.revoke(grant.id, by=BOB)
    assert [row.revoked_by for row in await made.grants.list_grants(ADA)] == ["ada"]
    assert world.ran == []


async def test_a_grant_that_is_revoked_just_before_the_call_starts_stops_it(store: Store) -> None:
    world = World()
    made = runtime(world, store, erase())
    grant = await given(made)
    uses = store.use_grant

    async def use_and_revoke(name: str, run: str, epoch: int) -> bool:
        used = await uses(name, run, epoch)
        await store.revoke_grant(name, "bob")
        return used

    store.use_grant = use_and_revoke  # pyright: ignore[reportAttributeAccessIssue] - the moment between use and start
    run = (await made.run("go", by=ADA)).run
    assert f"the grant {grant.id} for erase was revoked or has expired" in str(await store.read(run))
    assert world.ran == []


async def test_a_grant_that_is_revoked_as_the_call_starts_stops_it_and_the_run_goes_on_without(store: Store) -> None:
    world = World()
    made = runtime(world, store, erase())
    grant = await given(made)
    append = store.append

    def revoke_and_append(*given: Any) -> asyncio.Future[None]:
        async def late() -> None:
            await store.revoke_grant(grant.id, "bob")
            await append(*given)

        return asyncio.ensure_future(late()) if given[3] else append(*given)

    store.append = revoke_and_append  # pyright: ignore[reportAttributeAccessIssue] - the moment of the start
    result = await made.run("go", by=ADA)
    assert (result.status, world.ran) == ("done", [])
    assert f"the grant {grant.id} for erase was revoked or has expired" in str(await store.read(result.run))


async def test_a_grant_that_is_over_answers_nothing_more() -> None:
    clock, world = Clock(), World()
    made = runtime(world, InMemoryStore(clock), erase(), clock=clock)
    await given(made)
    clock.now += HOUR
    assert (await made.run("go", by=ADA)).status == "waiting"
    assert world.ran == []


async def test_a_changed_definition_makes_a_grant_void(store: Store) -> None:
    world = World()
    await given(runtime(world, store))
    ran = list[str]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH)
    async def erase(_ctx: LeafContext, text: str) -> str:
        """Erase everything."""
        ran.append(text)
        return "erased"

    made = runtime_of(Scripted([calls(("erase", {"text": "blog-1"}))]), erase, store=store)
    assert ((await made.run("go", by=ADA)).status, ran) == ("waiting", [])


async def test_a_changed_policy_makes_a_grant_void(store: Store) -> None:
    world = World()
    await given(runtime(world, store))
    made = runtime(world, store, erase(), policy=Policy.only(HighRisk("more than high risk")))
    assert ((await made.run("go", by=ADA)).status, world.ran) == ("waiting", [])


@pytest.mark.parametrize("by", ["ada", "bob"])
async def test_where_four_eyes_are_asked_nobody_grants_themselves(store: Store, by: str) -> None:
    world = World()
    made = runtime(world, store, erase(), policy=Policy.only(HighRisk(), four_eyes=True))
    await given(made, by=superuser(name=by))
    assert (await made.run("go", by=ADA)).status == {"ada": "waiting", "bob": "done"}[by]


async def test_a_question_that_is_open_stays_one_when_a_grant_is_given(store: Store) -> None:
    world = World()
    made = runtime(world, store, erase())
    waiting = await made.run("go", by=ADA)
    await given(made)
    assert (await made.resume(waiting.run)).status == "waiting"
    await made.decide(waiting.questions[0], approved=False, by=BOB)
    await made.resume(waiting.run)
    assert ([row.used for row in await made.grants.list_grants(ADA)], world.ran) == ([0], [])


async def test_a_grant_that_has_expired_by_the_clock_of_the_store_only_does_not_count() -> None:
    store = InMemoryStore(lambda: 1_000.0 + 2 * HOUR)
    made = runtime(World(), store, erase(), clock=lambda: 1_000.0)
    await given(made)
    assert (await made.run("go", by=ADA)).status == "waiting"


async def test_an_announced_call_that_a_grant_allows_is_not_asked_about(store: Store) -> None:
    ran = list[str]()

    @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
    async def drop(_ctx: LeafContext, page: str, confirmed: bool = False) -> str:
        """Drop a page."""
        if confirmed:
            ran.append(page)
        return "dropped" if confirmed else "would drop"

    script = [calls(("drop", {"page": "a"})), calls(("drop", {"page": "a", "confirmed": True})), "done"]
    made = runtime_of(Scripted(script), drop, store=store)
    await made.grants.create("drop", by=BOB, principal="ada", count=1, expires_in=HOUR)
    result = await made.run("go", by=ADA, conversation="c")
    assert (result.status, ran, await store.list_questions()) == ("done", ["a"], [])


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no count": ({"count": 0}, "give a whole number of at least 1"),
    "too long a reason": ({"reason": "x" * 1_000_000}, "the reason is 1,000,000 bytes long; at most "),
    "a count that looks like one": ({"count": True}, "give a whole number of at least 1"),
    "no principal": ({"principal": ""}, "principal is empty; give the name of the principal"),
    "no time": ({"expires_in": 0}, "the grant is not valid: expires_in is 0 seconds"),
    "for ever": ({"expires_in": float("inf")}, "the grant is not valid: expires_in is inf seconds"),
    "no pattern": ({"arguments": "[]"}, "must be a JSON object"),
    "a key twice": ({"arguments": '{"text":"a","text":"b"}'}, "occurs twice"),
    "no parameter": ({"arguments": '{"page":"a"}'}, "page: no such parameter. Parameters: text"),
    "a shape that is none": ({"arguments": '{"text":{"$like":1}}'}, "with text and no other key"),
    "a shape and more": ({"arguments": '{"text":[{"$like":"a","b":1}]}'}, "with text and no other key"),
    "without the permission": (
        {"by": Principal("eve")},
        "eve may not create a grant: missing permission approvals:decide",
    ),
}


@pytest.mark.parametrize("name", WRONG)
async def test_what_is_no_grant_is_refused(name: str) -> None:
    changed, said = WRONG[name]
    made = runtime(World(), store := InMemoryStore())
    with pytest.raises(RequestError, match=said):
        await given(made, **changed)
    assert await store.list_grants(tenant="default") == []


async def test_a_grant_is_given_to_a_user_only(store: Store) -> None:
    def find(name: str, _tenant: str) -> Principal | None:
        return None if name == "ghost" else superuser(name=name)

    made = runtime(World(), store, directory=find)
    with pytest.raises(RequestError, match="there is no user 'ghost' of tenant 'default'"):
        await given(made, principal="ghost")
    assert (await given(made, principal="ada")).principal == "ada"
    nowhere = runtime(World(), store, directory=None)
    assert (await given(nowhere, principal="ghost")).principal == "ghost"


@pytest.mark.parametrize("number", [0, 2])
async def test_a_grant_needs_a_policy_that_asks_and_only_one(number: int) -> None:
    eraser = World().write("erase", Effect.KEYED, Risk.HIGH)
    more = Approve(Env(), policy=Policy.only(When("x", lambda _call: True, Ask(reason="x"))))
    layers = Stack[CallLayer](preset(Env()), more) if number else Stack[CallLayer]()
    with pytest.raises(RequestError, match=f"bound to one policy, but {number} policies apply"):
        await given(runtime_of(Scripted([]), eraser, layers=layers))


@pytest.mark.parametrize("by", [superuser(name="bob", tenant="other"), Principal("eve")])
async def test_a_grant_is_not_revoked_by_whoever_may_not(store: Store, by: Principal) -> None:
    made = runtime(World(), store)
    grant = await given(made)
    with pytest.raises(
        RequestError, match=r"does not exist|eve may not revoke grant .*: missing permission approvals:decide"
    ):
        await made.grants.revoke(grant.id, by=by)
    assert [row.revoked_by for row in await made.grants.list_grants(ADA)] == [""]
    with pytest.raises(RequestError, match="grant nothing does not exist"):
        await store.revoke_grant("nothing", "ada")


async def test_an_edited_call_may_be_what_a_grant_allows(store: Store) -> None:
    world, model = World(), Scripted([erase("a"), "done"])
    eraser = world.write("erase", Effect.KEYED, Risk.HIGH)
    policy = Policy.only(When("b", lambda call: '"b"' in call.canonical_arguments, Ask(reason="b")), HighRisk())
    made = runtime_of(model, eraser, store=store, policy=policy, directory=find_superuser)
    await given(made, arguments='{"text":"b"}')
    waiting = await made.run("go", by=ADA)
    await made.decide(waiting.questions[0], approved=True, by=BOB, arguments='{"text":"b"}')
    assert ((await made.resume(waiting.run)).status, world.ran) == ("done", ["b"])
    assert last_reply(model)["edited"] is True


@pytest.mark.parametrize("name", ["principal", "reason", "who", "arguments"])
@pytest.mark.parametrize("value", [None, 42, []])
async def test_a_grant_of_what_is_no_text_is_refused_before_it_is_stored(store: Store, name: str, value: Any) -> None:
    made = runtime(World(), store)
    with pytest.raises(RequestError) as refusal:
        await given(made, **{name: value})
    assert refusal.value.message == f"{name} is {value!r}; give a string"
    assert await made.grants.list_grants(ADA) == []


async def test_no_grant_is_revoked_by_what_is_no_name_of_one(store: Store) -> None:
    wrong: Any = 42
    with pytest.raises(RequestError, match="grant is 42; give a string"):
        await runtime(World(), store).grants.revoke(wrong, by=BOB)


async def test_grants_are_made_listed_and_revoked_by_principals_only() -> None:
    made = runtime(World(), InMemoryStore())
    grant = await given(made)
    nobody: Any = None
    for attempt in (given(made, by=None), made.grants.list_grants(nobody), made.grants.revoke(grant.id, by=nobody)):
        with pytest.raises(SetupError, match="by is None; give a Principal"):
            await attempt
