"""A run is about a target, which policy and tools see, and to which permissions, approvals and grants are bound."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remit import (
    Agent,
    App,
    Ask,
    Context,
    Effect,
    LeafContext,
    Policy,
    Principal,
    Risk,
    Runtime,
    When,
    tool,
)
from remit.approvals.policy import DEFAULT_POLICY, HighRisk
from remit.errors import IdempotencyError, RequestError, RequestNotFoundError, SetupError
from remit.journal.ports import Store
from remit.record.items import RunOpened
from remit.testing import Scripted, calls, superuser
from remit.tools import Limits, parse_arguments
from tests.runtime.kit import World, find_superuser, items_of, runtime_of

BAKER = Principal("ada", permissions=frozenset({"cms:write@bakery/*", "cms:read"}))


@tool(effect=Effect.KEYED, permissions={"cms:write"})
async def write(ctx: LeafContext, text: str) -> str:
    """Write a text, and say where."""
    return f"{text} in {ctx.caller.target or 'nothing'}"


@tool(effect=Effect.COMPOSED)
async def write_twice(ctx: Context, text: str) -> list[str]:
    """Write a text twice."""
    return [await ctx.call(write, text), await ctx.call(write, text)]


def runtime(store: Store, *script: Any, policy: Policy = DEFAULT_POLICY, **more: Any) -> Runtime:
    return runtime_of(Scripted([*script]), write, write_twice, store=store, policy=policy, **more)


async def header(store: Store, run: str) -> RunOpened:
    (first, *_) = await items_of(store, run)
    assert isinstance(first, RunOpened)
    return first


async def test_tools_see_the_target_of_their_run_within_other_tools_and_agents_too(store: Store) -> None:
    made = runtime(store, calls(("write_twice", {"text": "a"})), "done")
    result = await made.run("go", by=superuser(), target="bakery/main")
    assert (await header(store, result.run)).target == "bakery/main"
    row = await store.find_run(result.run)
    assert row is not None
    assert row.target == "bakery/main"
    (output,) = [json.loads(text)["content"] for text in await made.history(result.run) if '"role":"tool"' in text]
    assert json.loads(output) == ["a in bakery/main"] * 2
    assert (await made.replay(result.run)).is_identical


async def test_a_header_without_a_target_has_no_field_for_it(store: Store) -> None:
    result = await runtime(store, "done").run("gö", by=superuser())
    (first, *_) = await store.read(result.run)
    assert "target" not in first.body


async def test_a_header_that_is_encoded_with_escapes_keeps_its_target(store: Store) -> None:
    made = runtime(store, "done", "done")
    with_target, without = [await made.run("gö 語", by=superuser(), target=each) for each in ("語/ä", "")]
    assert (await header(store, with_target.run)).target == "語/ä"
    assert "target" not in (await store.read(without.run))[0].body


async def test_every_way_to_begin_a_run_takes_a_target(store: Store) -> None:
    made = runtime(store, "done")
    arguments = parse_arguments('{"text":"a"}', Limits())
    run = await made.submit("go", by=superuser(), target="bakery/main")
    assert (await header(store, run)).target == "bakery/main"
    assert (await made.call_by_name("write", arguments, by=BAKER, target="bakery/main")).value() == "a in bakery/main"
    assert (await made.call_at("bakery/main", write, BAKER, "a")).value() == "a in bakery/main"
    assert (await made.call(write, superuser(), "a")).value() == "a in nothing"


@pytest.mark.parametrize("target", ["florist/shop", ""])
async def test_a_permission_for_some_targets_does_not_hold_elsewhere(store: Store, target: str) -> None:
    result = await runtime(store).call_at(target, write, BAKER, "a")
    assert result.reply is not None
    assert result.reply.outcome == "denied"
    assert f"missing permission cms:write{f' for the target {target}' if target else ''}" in result.text


async def test_a_resumed_run_has_todays_permissions_for_its_target(store: Store) -> None:
    asked = Policy.only(When("always", lambda _call: True, Ask(reason="look first")))
    held = {"cms:write@bakery/*"}

    def find(name: str, tenant: str) -> Principal:
        return superuser(name=name) if name == "bob" else Principal(name, tenant, permissions=frozenset(held))

    made = runtime(store, policy=asked, directory=find)
    first, second = [await made.call_at("bakery/main", write, BAKER, each) for each in ("a", "b")]
    for each in (first, second):
        await made.decide(each.questions[0], approved=True, by=superuser(name="bob"))
    assert (await made.resume(first.run)).text == "a in bakery/main"
    held.clear()
    held.add("cms:write@florist/*")
    assert "missing permission cms:write" in (await made.resume(second.run)).text


async def test_the_next_run_of_a_conversation_has_its_target_and_another_one_is_refused(store: Store) -> None:
    made = runtime(store, "one", "two")
    await made.run("go", by=superuser(), conversation="c", target="bakery/main")
    second = await made.run("go", by=superuser(), conversation="c")
    assert (await header(store, second.run)).target == "bakery/main"
    direct = await made.call_in_conversation("c", write, superuser(), "a")
    assert direct.value() == "a in bakery/main"
    again = "conversation 'c' has the target 'bakery/main', not 'florist/shop'; start another conversation"
    with pytest.raises(RequestError, match=again):
        await made.run("go", by=superuser(), conversation="c", target="florist/shop")
    with pytest.raises(RequestError, match=again):
        await made.call_by_name(
            "write", parse_arguments('{"text":"a"}', Limits()), by=superuser(), conversation="c", target="florist/shop"
        )


async def test_a_conversation_without_a_target_does_not_get_one_later(store: Store) -> None:
    made = runtime(store, "one")
    await made.run("go", by=superuser(), conversation="c")
    with pytest.raises(RequestError, match="conversation 'c' has no target, not 'bakery/main'; start another"):
        await made.run("go", by=superuser(), conversation="c", target="bakery/main")


async def test_others_join_a_conversation_by_a_permission_for_its_target(store: Store) -> None:
    made = runtime(store, "one", "two")
    await made.run("go", by=superuser(), conversation="c", target="bakery/main")
    elsewhere, here = [
        Principal(name, permissions=frozenset({f"conversations:join@{name}/*"})) for name in ("florist", "bakery")
    ]
    with pytest.raises(RequestError, match="belongs to another user"):
        await made.run("go", by=elsewhere, conversation="c")
    assert (await made.run("go", by=here, conversation="c")).text == "two"


async def test_others_cancel_a_run_by_a_permission_for_its_target(store: Store) -> None:
    made = runtime(store)
    run = await made.submit("go", by=superuser(), target="bakery/main")
    elsewhere, here = [
        Principal(name, permissions=frozenset({f"runs:cancel@{name}/*"})) for name in ("florist", "bakery")
    ]
    with pytest.raises(RequestError, match="missing permission runs:cancel"):
        await made.cancel(run, by=elsewhere)
    ended = await made.cancel(run, by=here)
    assert ended is not None
    assert ended.status == "cancelled"


async def test_an_idempotency_key_belongs_to_one_target(store: Store) -> None:
    made = runtime(store)
    arguments = parse_arguments('{"text":"a"}', Limits())
    known: dict[str, Any] = {"by": superuser(), "idempotency_key": "k"}
    first = await made.call_by_name("write", arguments, **known, target="bakery/main")
    assert (await made.call_by_name("write", arguments, **known, target="bakery/main")).run == first.run
    with pytest.raises(IdempotencyError):
        await made.call_by_name("write", arguments, **known, target="florist/shop")


async def test_a_repeated_request_has_the_target_of_the_first_whatever_its_conversation_has_now(store: Store) -> None:
    made = runtime(store, "one")
    arguments = parse_arguments('{"text":"a"}', Limits())
    known: dict[str, Any] = {"by": superuser(), "idempotency_key": "k", "conversation": "c"}
    first = await made.call_by_name("write", arguments, **known)
    await made.run("go", by=superuser(), conversation="c", target="bakery/main")
    assert (await made.call_by_name("write", arguments, **known)).run == first.run


async def test_a_malformed_target_is_refused_before_anything_is_stored(store: Store) -> None:
    with pytest.raises(RequestError, match=r"target is 'bakery/\*'; give words joined by /"):
        await runtime(store).run("go", by=superuser(), target="bakery/*")
    assert await store.list_runs() == []


async def test_a_rule_decides_by_the_target(store: Store) -> None:
    live = When("live", lambda call: call.caller.target.endswith("/main"), Ask(reason="this is live"))
    made = runtime(store, policy=Policy.only(live))
    assert (await made.call_at("bakery/draft", write, superuser(), "a")).status == "done"
    waiting = await made.call_at("bakery/main", write, superuser(), "a")
    row = await store.find_question(waiting.questions[0])
    assert row is not None
    assert row.question.target == "bakery/main"


async def test_a_permission_to_decide_may_name_a_target(store: Store) -> None:
    made = runtime(store, policy=Policy.only(When("always", lambda _call: True, Ask(reason="look first"))))
    question = (await made.call_at("bakery/main", write, superuser(), "a")).questions[0]
    elsewhere, here = [
        Principal(name, permissions=frozenset({f"approvals:decide@{name}/*"})) for name in ("florist", "bakery")
    ]
    with pytest.raises(RequestError, match="missing permission approvals:decide"):
        await made.decide(question, approved=True, by=elsewhere)
    await made.decide(question, approved=True, by=here)


async def test_runs_are_listed_by_target(store: Store) -> None:
    made = runtime(store)
    for target in ("bakery/main", "florist/shop", ""):
        await made.call_at(target, write, superuser(), "a")
    rows = await store.list_runs(target="bakery/main")
    assert [row.target for row in rows] == ["bakery/main"]
    assert len(await store.list_runs()) == 3


async def test_a_grant_for_one_target_is_no_yes_for_another(store: Store) -> None:
    world = World()
    erase = world.write("erase", Effect.KEYED, Risk.HIGH)
    made = runtime_of(Scripted([]), erase, store=store, policy=Policy.only(HighRisk()), directory=find_superuser)
    decider = Principal("bob", permissions=frozenset({"approvals:decide@bakery/*"}))
    known: dict[str, Any] = {"by": decider, "principal": "ada", "expires_in": 3600.0, "count": 9}
    grant = await made.grants.create("erase", **known, target="bakery/main")
    for target in ("florist/shop", ""):
        assert (await made.call_at(target, erase, superuser(), "a")).status == "waiting"
        with pytest.raises(RequestError, match="missing permission approvals:decide"):
            await made.grants.create("erase", **known, target=target)
    assert (await made.call_at("bakery/main", erase, superuser(), "a")).status == "done"
    assert (grant.target, world.ran) == ("bakery/main", ["a"])
    with pytest.raises(RequestError, match="bob may not revoke grant"):
        await made.grants.revoke(grant.id, by=Principal("bob", permissions=frozenset({"approvals:decide@florist/*"})))
    await made.grants.revoke(grant.id, by=decider)
    assert (await made.call_at("bakery/main", erase, superuser(), "a")).status == "waiting"


async def test_a_confirmed_call_of_a_conversation_is_bound_to_the_target(store: Store) -> None:
    """Two direct calls of one conversation may have two targets; a yes to the first is none to the second."""
    ran: list[str] = []

    @tool(effect=Effect.KEYED, risk=Risk.HIGH, confirm="confirmed")
    async def erase(ctx: LeafContext, page: str, confirmed: bool = False) -> str:
        """Erase a page."""
        ran.append(f"{page} {confirmed} in {ctx.caller.target}")
        return page

    made = runtime_of(Scripted([]), erase, store=store, directory=find_superuser)
    announce, confirm = ['{"page":"a"}', '{"page":"a","confirmed":true}']

    async def call(arguments: str, target: str) -> str:
        result = await made.call_by_name(
            "erase", parse_arguments(arguments, Limits()), by=superuser(), conversation="c", target=target
        )
        return result.status

    await call(announce, "bakery/main")
    (row,) = await store.list_questions()
    run = await made.decide(row.question.id, approved=True, by=superuser())
    assert await call(confirm, "florist/shop") == "waiting"
    assert run is not None
    assert (await made.resume(run)).status == "done"
    assert ran == ["a False in bakery/main", "a True in bakery/main"]


async def test_an_agent_is_narrowed_to_plain_permissions_only() -> None:
    with pytest.raises(SetupError, match="only a permission that is granted names a target; leave out the @"):
        Agent("clerk", instructions="Work.", permissions={"cms:write@bakery/*"})


async def test_a_required_permission_to_decide_names_no_target() -> None:
    with pytest.raises(SetupError, match="only a permission that is granted names a target"):
        Ask(reason="look", who="approvals:decide@bakery/*")


def checked(store: Store, *script: Any) -> Runtime:
    """A runtime of an application with one site, which checks the targets of its runs."""

    async def check_target(target: str, principal: Principal) -> None:
        if target != "bakery/main":
            raise RequestNotFoundError(f"{principal.name} has no site {target!r}")

    agent = Agent("agent", instructions="Work.", tools=(write,))
    return Runtime(App(name="test", agents=(agent,), check_target=check_target), model=Scripted([*script]), store=store)


async def test_a_target_that_the_application_does_not_have_is_refused_before_a_run_is_made(store: Store) -> None:
    made = checked(store, "never asked")
    with pytest.raises(RequestNotFoundError, match="root has no site 'nosuch'"):
        await made.run("go", by=superuser(name="root"), target="nosuch", idempotency_key="once")
    with pytest.raises(RequestNotFoundError, match="root has no site 'nosuch'"):
        await made.submit("go", by=superuser(name="root"), target="nosuch")
    assert await store.list_runs() == []


async def test_a_target_that_it_has_is_accepted_and_a_repeated_request_is_not_checked_again(store: Store) -> None:
    made = checked(store, "done")
    first = await made.run("go", by=superuser(), target="bakery/main", idempotency_key="once")
    assert (first.status, (await header(store, first.run)).target) == ("done", "bakery/main")
    again = await made.run("go", by=superuser(), target="bakery/main", idempotency_key="once")
    assert again.run == first.run


async def test_a_tool_that_is_called_directly_says_itself_that_there_is_no_such_target(store: Store) -> None:
    result = await checked(store).call_at("nosuch", write, superuser(), text="a")
    assert result.value() == "a in nosuch"


def test_what_checks_targets_is_a_function() -> None:
    with pytest.raises(SetupError, match="App: check_target is 'bakery'; give an async function"):
        App(name="test", check_target="bakery")  # pyright: ignore[reportArgumentType]


async def test_a_person_chooses_among_the_targets_that_the_application_lists() -> None:
    async def list_targets(principal: Principal) -> list[str]:
        return [f"{principal.name}/main", f"{principal.name}/draft"]

    made = Runtime(App(name="cms", list_targets=list_targets))
    assert await made.client(BAKER).targets() == ["ada/main", "ada/draft"]
    assert await Runtime(App(name="cms")).client(BAKER).targets() == []


@pytest.mark.parametrize("listed", ["bakery/main", None, ["a b"], [1]])
async def test_a_list_of_anything_but_targets_says_what_to_write(listed: Any) -> None:
    async def list_targets(_principal: Principal) -> Any:
        return listed

    with pytest.raises(SetupError, match="list_targets"):
        await Runtime(App(name="cms", list_targets=list_targets)).client(BAKER).targets()
