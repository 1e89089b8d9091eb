"""What a limited principal, such as that of an API token, may do with the runs and conversations of its person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import Principal, Risk, tool
from remit.client.client import Client
from remit.errors import RequestDeniedError
from remit.stores import Store
from remit.testing import Scripted, calls
from tests.runtime.announcing import ADA, ANNOUNCE, BOB, Desk
from tests.runtime.kit import World, runtime_of

NONE = frozenset[str]()


async def test_a_token_confirms_no_announced_call_of_a_run_with_fewer_limits() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "It is dropped.")
    await desk.say()
    for allowed in (NONE, frozenset({"pages:drop"})):
        with pytest.raises(RequestDeniedError, match="may do more than the token; sign in"):
            await desk.decide(by=ADA.limit_to(allowed))
    assert await desk.decide(by=ADA.limit_to(NONE), approved=False) is None
    assert desk.dropped == []


async def test_a_token_confirms_no_call_that_a_run_with_fewer_limits_waits_with() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "It is dropped.")
    await desk.say()
    with pytest.raises(RequestDeniedError, match="sign in"):
        await desk.say("yes", by=ADA.limit_to(NONE), confirms=(await desk.question()).id)
    assert desk.dropped == []


async def test_a_run_that_a_token_opens_by_confirming_has_the_limits_of_both() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "It is dropped.", "It is dropped.")
    await desk.say(by=ADA.limit_to(frozenset({"pages:drop"})))
    opened = await desk.decide(by=ADA.limit_to(frozenset({"pages:*", "files:read"})))
    assert opened is not None
    header = (await desk.store.read(opened))[0].item
    assert getattr(header, "permissions", None) == ("pages:drop",)


async def test_a_run_that_a_person_opens_by_confirming_keeps_the_limits_of_the_token_that_announced() -> None:
    desk = Desk(ANNOUNCE, "Shall I?", "It is dropped.", "It is dropped.")
    await desk.say(by=ADA.limit_to(frozenset({"pages:drop"})))
    opened = await desk.decide()
    assert opened is not None
    header = (await desk.store.read(opened))[0].item
    assert getattr(header, "permissions", None) == ("pages:drop",)


MANAGING: tuple[Callable[[Client], Awaitable[Any]], ...] = (
    lambda client: client.share_conversation("talk", "bob", "write"),
    lambda client: client.unshare_conversation("talk", "bob"),
    lambda client: client.rename_conversation("talk", "Mine"),
    lambda client: client.delete_conversation("talk"),
)


@pytest.mark.parametrize("manage", MANAGING, ids=["share", "unshare", "rename", "delete"])
async def test_a_token_manages_a_conversation_only_with_the_permission(
    store: Store, manage: Callable[[Client], Awaitable[Any]]
) -> None:
    runtime = runtime_of(Scripted(["Hello."]), World().write(), store=store)
    await runtime.run("Hello.", by=ADA, conversation="talk")
    with pytest.raises(RequestDeniedError, match="an API token needs the permission conversations:manage for this"):
        await manage(runtime.client(ADA.limit_to(frozenset({"pages:*"}))))
    await manage(runtime.client(ADA.limit_to(frozenset({"conversations:manage"}))))


async def test_a_token_without_permissions_reads_and_continues_the_conversation_of_its_person(store: Store) -> None:
    runtime = runtime_of(Scripted(["Hello.", "Go on."]), World().write(), store=store)
    first = await runtime.run("Hello.", by=ADA, conversation="talk")
    token = runtime.client(ADA.limit_to(NONE))
    assert (await token.details(first.run)).text == "Hello."
    again = await runtime.run("Again.", by=ADA.limit_to(NONE), conversation="talk")
    assert len(await token.conversation_runs("talk")) == 2
    assert again.status == "done"


async def test_a_token_cancels_a_run_of_its_person_only_with_the_permission(store: Store) -> None:
    runtime = runtime_of(Scripted([]), World().write(), store=store)
    run = await runtime.client(ADA).submit("Hello.")
    with pytest.raises(RequestDeniedError, match="with an API token without the permission runs:cancel"):
        await runtime.client(ADA.limit_to(frozenset({"pages:*"}))).cancel(run)
    with pytest.raises(RequestDeniedError):
        await runtime.cancel(run, by=ADA.limit_to(NONE))
    assert await runtime.client(ADA.limit_to(frozenset({"runs:cancel"}))).cancel(run) == "cancelled"


async def test_a_token_makes_no_grant(store: Store) -> None:
    runtime = runtime_of(Scripted([]), World().write(), store=store)
    token = BOB.limit_to(frozenset({"*"}))
    with pytest.raises(RequestDeniedError, match="outlive its revocation"):
        await runtime.client(token).create_grant("write", principal="ada", count=1, expires_in=60)


def test_limits_are_judged_for_a_target() -> None:
    token = Principal("ada", permissions=frozenset({"*"})).limit_to(frozenset({"cms:write@bakery"}))
    assert token.beyond_limits(frozenset({"cms:write"}), "bakery") == []
    assert token.beyond_limits(frozenset({"cms:write"}), "cafe") == ["cms:write"]
    assert Principal("ada").beyond_limits(frozenset({"cms:write"})) == []


async def test_a_token_calls_in_no_open_run_that_may_do_more_than_it(store: Store) -> None:
    world = World()
    runtime = runtime_of(Scripted([]), world.write(), store=store)
    wide, narrow = ADA.limit_to(frozenset({"pages:*"})), ADA.limit_to(NONE)
    for opener in (ADA, wide):
        async with runtime.client(opener).open_run() as run:
            pass
        with pytest.raises(RequestDeniedError, match=f"run {run.id} may do more than this API token"):
            async with runtime.client(narrow).open_run(run_id=run.id):
                pass
    async with runtime.client(wide).open_run(run_id=run.id) as again:
        assert (await again.call("write", {"text": "one"})).status == "done"
    assert world.texts == ["one"]


async def test_a_run_that_a_body_opens_for_a_limited_principal_has_the_limits_of_both(store: Store) -> None:
    @tool(risk=Risk.SAFE)
    async def start() -> str:
        """Start another run for less."""
        return await runtime.client(ADA.limit_to(frozenset({"pages:drop", "files:read"}))).submit("Go on.")

    script = [calls(("start", {})), "Done."]
    runtime = runtime_of(Scripted([*script, *script]), start, store=store)
    for opener, limits in (
        (ADA, ("files:read", "pages:drop")),
        (ADA.limit_to(frozenset({"pages:*"})), ("pages:drop",)),
    ):
        before = {row.run for row in await store.list_runs()}
        result = await runtime.run("Start.", by=opener)
        (started,) = {row.run for row in await store.list_runs()} - before - {result.run}
        assert getattr((await store.read(started))[0].item, "permissions", None) == limits
