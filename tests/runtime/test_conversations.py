"""Conversations belong to who began them, who shares, renames and deletes them."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from remit import Agent, App, Client, Effect, Principal, Risk, Runtime
from remit.artifacts import PromptWithFiles
from remit.audit import Audit, FileAnchor
from remit.client.conversation_reader import ConversationReader
from remit.errors import NotFoundError, RequestDeniedError, RequestError, RequestNotFoundError, SetupError
from remit.stores import Store
from remit.testing import Scripted, calls
from tests.runtime.kit import Clock, World, runtime_of

ADA, BOB, EVE = (Principal(name, "bakery") for name in ("ada", "bob", "eve"))
BOSS = Principal("boss", "bakery", frozenset({"conversations:manage"}))
ERASE = calls(("erase", {"text": "SECRET"}))


def runtime_for(store: Store, *script: Any, clock: Clock | None = None) -> Runtime:
    return runtime_of(
        Scripted(list(script) or ["done"] * 9),
        World().write("erase", Effect.KEYED, Risk.HIGH),
        store=store,
        clock=clock or time.time,
        directory=None,
    )


async def titles(client: Client, **filters: Any) -> list[str]:
    return [row.title for row in (await client.conversations(**filters)).items]


async def gone(doing: Callable[[], Awaitable[object]], conversation: str = "talk") -> None:
    with pytest.raises(RequestError, match=f"^conversation '{conversation}' does not exist$"):
        await doing()


async def test_conversations_are_listed_with_title_activity_and_status(store: Store) -> None:
    clock = Clock()
    ada = runtime_for(store, "a", ERASE, clock=clock).client(ADA)
    for conversation in ("one", "two", "one"):
        clock.now += 1
        await ada.run(f"Say {conversation}", conversation=conversation, target="bakery/main")
    await ada.call("erase", {"text": "x"}, conversation="three")
    listed = await ada.conversations()
    assert [(row.title, row.active, row.status) for row in listed.items] == [
        ("Say one", 1003.0, "waiting"),
        ("Say two", 1002.0, "done"),
    ]
    first = await ada.conversations(limit=1)
    assert [row.title for row in (await ada.conversations(limit=1, before=first.next)).items] == ["Say two"]
    assert await titles(ada, status="waiting") == ["Say one"]
    assert await titles(ada, title="SAY T") == ["Say two"]
    assert [row.latest for row in listed.items[:1]] == [(await ada.conversation_runs("one"))[-1].run]


async def test_ones_own_conversations_are_listed_apart_from_those_of_others(store: Store) -> None:
    runtime = runtime_for(store)
    for who, name in ((ADA, "old"), (BOB, "shared"), (BOB, "hidden"), (ADA, "new")):
        await runtime.client(who).run(name, conversation=name)
    await runtime.client(BOB).share_conversation("shared", "ada")
    ada = runtime.client(ADA)
    assert await titles(ada, owner="self") == ["new", "old"]
    assert await titles(ada, owner="others") == ["shared"]
    assert await titles(runtime.client(BOSS), owner="others") == ["new", "hidden", "shared", "old"]


@pytest.mark.parametrize("before", ["x", "[]", "{}", '[1,2,"a"]', '["a","b","c"]', "[1e999,1,1]", '[NaN,"a","b"]', "1"])
async def test_a_cursor_of_no_page_is_refused(store: Store, before: str) -> None:
    with pytest.raises(RequestError, match="give the next of the previous page"):
        await runtime_for(store).client(ADA).conversations(before=before)


@pytest.mark.parametrize("permission", ["runs:read@bread/*", "runs:*@bread/*", "*@bread/*"])
async def test_a_permission_for_targets_lists_their_conversations(store: Store, permission: str) -> None:
    runtime = runtime_for(store)
    for title, target in (("one", "bread/main"), ("two", "cakes/main"), ("three", "")):
        await runtime.client(ADA).run(title, conversation=title, target=target)
    reader = runtime.client(Principal("tom", "bakery", frozenset({permission})))
    assert await titles(reader) == ["one"]
    assert [row.target for row in await reader.runs()] == ["bread/main"]
    assert (await reader.usage(since=0, until=1e12)).requests == 1
    await gone(lambda: reader.conversation("two"), "two")
    assert await titles(runtime.client(Principal("tom", "elsewhere", frozenset({permission})))) == []


async def test_whom_a_conversation_is_shared_with_reads_it_and_with_write_continues_it(store: Store) -> None:
    runtime = runtime_for(store)
    ada, bob, eve = (runtime.client(each) for each in (ADA, BOB, EVE))
    run = (await ada.run("hello", conversation="talk")).run
    other = (await ada.run("hidden", conversation="other")).run
    await gone(lambda: bob.conversation("talk"))
    await ada.share_conversation("talk", "bob")
    assert (await bob.conversation("talk")).shared == {"bob": "read"}
    assert await titles(bob) == ["hello"]
    assert len(await bob.history(run)) == len(await ada.history(run))
    for hidden in (lambda: bob.history(other), lambda: eve.history(run), lambda: eve.resume(run)):
        with pytest.raises(RequestNotFoundError, match="does not exist"):
            await hidden()
    for refused in (bob.resume, bob.cancel):
        with pytest.raises(RequestDeniedError, match=f"bob may only read run {run}"):
            await refused(run)
    with pytest.raises(RequestError, match="belongs to another user"):
        await bob.run("me too", conversation="talk")
    await ada.share_conversation("talk", "*", "write")
    assert (await eve.run("me too", conversation="talk")).status == "done"
    assert [row.principal for row in await bob.conversation_runs("talk")] == ["ada", "eve"]
    await ada.unshare_conversation("talk", "*")
    await gone(lambda: eve.conversation("talk"))
    with pytest.raises(RequestError, match="belongs to another user"):
        await eve.run("again", conversation="talk")


async def test_a_conversation_is_shared_only_with_people_whom_the_directory_knows(store: Store) -> None:
    known = {"ada": ADA, "bob": BOB}
    model, write = Scripted(["done"]), World().write()
    runtime = runtime_of(model, write, store=store, directory=lambda name, _tenant: known.get(name))
    ada = runtime.client(ADA)
    await ada.run("hello", conversation="talk")
    with pytest.raises(RequestNotFoundError, match="there is no person 'bobb' in your tenant"):
        await ada.share_conversation("talk", "bobb")
    for name in ("bob", "*"):
        await ada.share_conversation("talk", name)
    del known["bob"]
    await ada.unshare_conversation("talk", "bob")
    assert (await ada.conversation("talk")).shared == {"*": "read"}


async def test_the_owner_of_a_conversation_cancels_the_runs_that_wait_in_it_and_nobody_else_does(store: Store) -> None:
    runtime = runtime_for(store, "hello", ERASE, "and so on")
    ada, bob, eve = (runtime.client(each) for each in (ADA, BOB, EVE))
    ended = (await ada.run("hello", conversation="talk")).run
    await ada.share_conversation("talk", "*", "write")
    waiting = (await bob.run("Erase it", conversation="talk")).run
    direct = (await bob.call("erase", {"text": "mine"}, conversation="talk")).run
    queued = await bob.submit("And then", conversation="talk", when_busy="queue")
    await ada.unshare_conversation("talk", "*")
    await ada.share_conversation("talk", "eve", "write")
    for run in (waiting, queued):
        with pytest.raises(RequestDeniedError, match=f"eve may only read run {run}"):
            await eve.cancel(run)
    with pytest.raises(RequestNotFoundError, match=f"run {direct} does not exist"):
        await ada.cancel(direct)
    assert [await ada.cancel(run) for run in (queued, waiting)] == ["cancelled", "cancelled"]
    with pytest.raises(RequestDeniedError, match=f"ada may only read run {waiting}"):
        await ada.cancel(waiting)
    assert (await ada.run("Go on", conversation="talk")).status == "done"
    boss = runtime.client(BOSS)
    await eve.submit("wait", conversation="talk")
    running = (await eve.conversation_runs("talk"))[-1].run
    with pytest.raises(RequestDeniedError, match=f"boss may only read run {running}"):
        await boss.cancel(running)
    assert (await runtime.replay(ended)).is_identical
    assert (await runtime.replay(waiting)).is_identical


async def test_direct_calls_in_a_shared_conversation_are_not_shared(store: Store) -> None:
    runtime = runtime_for(store)
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    await ada.run("hello", conversation="talk")
    call = await ada.call("erase", {"text": "mine"}, conversation="talk")
    await ada.share_conversation("talk", "bob", "write")
    assert len(await bob.conversation_runs("talk")) == 1
    with pytest.raises(RequestError, match=f"run {call.run} does not exist"):
        await bob.items(call.run)


async def test_only_the_owner_and_who_manages_conversations_change_one(store: Store) -> None:
    runtime = runtime_for(store)
    ada, bob, boss = (runtime.client(each) for each in (ADA, BOB, BOSS))
    await ada.run("hello", conversation="talk")
    await ada.share_conversation("talk", "bob", "write")
    for forbidden in (
        lambda: bob.rename_conversation("talk", "Mine"),
        lambda: bob.share_conversation("talk", "eve"),
        lambda: bob.unshare_conversation("talk", "bob"),
        lambda: bob.delete_conversation("talk"),
    ):
        with pytest.raises(RequestError, match="conversation 'talk' belongs to ada; ask them to do this"):
            await forbidden()
    await boss.rename_conversation("talk", " The\n news ")
    assert await titles(ada) == await titles(boss) == ["The news"]
    await ada.rename_conversation("talk", "")
    assert await titles(ada) == ["hello"]
    foreign = runtime.client(Principal("boss", "elsewhere", BOSS.permissions))
    await gone(lambda: foreign.rename_conversation("talk", "Mine"))
    here = runtime.client(Principal("tom", "bakery", frozenset({"conversations:manage@other/*"})))
    await gone(lambda: here.rename_conversation("talk", "Mine"))
    assert await titles(here) == []


async def test_wrong_titles_names_and_accesses_are_refused(store: Store) -> None:
    ada: Any = runtime_for(store).client(ADA)
    await ada.run("hello", conversation="talk")
    for wrong in (
        lambda: ada.rename_conversation("talk", "x" * 201),
        lambda: ada.rename_conversation("talk", 1),
        lambda: ada.share_conversation("talk", ""),
        lambda: ada.share_conversation("talk", None),
        lambda: ada.share_conversation("talk", "bob", "all"),
        lambda: ada.share_conversation("talk", "bob", ""),
        lambda: ada.conversations(status="no"),
        lambda: ada.conversation(b"talk"),
        lambda: ada.run("hello", conversation="talk", when_busy="wait"),
    ):
        with pytest.raises((RequestError, SetupError)):
            await wrong()
    assert (await ada.conversation("talk")).shared == {}


async def test_a_deleted_conversation_is_gone_and_the_journal_and_the_audit_still_verify(
    store: Store, tmp_path: Any
) -> None:
    tool = World().write("erase", Effect.KEYED, Risk.HIGH)
    agent = Agent("agent", instructions="Work.", tools=(tool,), input=PromptWithFiles)
    runtime = Runtime(App(name="test", agents=(agent,)), model=Scripted(["a SECRET answer", ERASE]), store=store)
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    file = await ada.add_artifact(b"a SECRET file", name="a.txt")
    kept = await ada.add_artifact(b"another file", name="b.txt")
    first = await ada.run("a SECRET prompt", conversation="talk", files=[file, kept])
    waiting = await ada.run("again", conversation="talk")
    other = await ada.run("keep", conversation="other", files=[kept])
    mine = await bob.call("erase", {"text": "bob's"}, conversation="talk")
    audit = Audit(store, logs=tmp_path / "logs", anchor=FileAnchor(tmp_path / "anchor"))
    await audit.seal("bakery", first.run)
    await ada.rename_conversation("talk", "A SECRET title")
    await ada.delete_conversation("talk")
    for run in (first.run, waiting.run):
        positions = await store.read(run)
        assert {position.body for position in positions} == {""}
        with pytest.raises(RequestError, match=f"run {run} does not exist"):
            await ada.items(run)
    question = await store.find_question(waiting.questions[0])
    assert question is not None
    assert (question.status, "SECRET" in repr(question)) == ("cancelled", False)
    assert await titles(ada) == ["keep"]
    assert [row.run for row in (await ada.runs()).items] == [other.run]
    assert [(row.run, row.status) for row in (await bob.runs()).items] == [(mine.run, "waiting")]
    for once_more in (lambda: ada.conversation("talk"), lambda: ada.delete_conversation("talk")):
        await gone(once_more)
    with pytest.raises(RequestError, match="conversation 'talk' was deleted; use another name"):
        await ada.run("anew", conversation="talk")
    with pytest.raises(NotFoundError):
        await ada.read_artifact(file)
    assert await ada.read_artifact(kept) == b"another file"
    report = await audit.verify("bakery")
    assert report.is_intact, report


async def test_a_deletion_that_was_interrupted_is_finished_by_the_next(store: Store) -> None:
    ada = runtime_for(store).client(ADA)
    await ada.run("one", conversation="talk")
    last = await ada.run("two", conversation="talk")
    erase, failing = store.erase, list[str]()

    async def die(run: str, seqs: Any) -> None:
        if run == last.run and not failing:
            failing.append(run)
            raise ConnectionError("killed")
        await erase(run, seqs)

    store.erase = die
    with pytest.raises(ConnectionError):
        await ada.delete_conversation("talk")
    assert await titles(ada) == []
    await gone(lambda: ada.conversation("talk"))
    await ada.delete_conversation("talk")
    assert {position.body for position in await store.read(last.run)} == {""}
    await gone(lambda: ada.delete_conversation("talk"))


@pytest.mark.every_store
async def test_a_conversation_is_not_deleted_while_another_executor_holds_one_of_its_runs(store: Store) -> None:
    ada = runtime_for(store).client(ADA)
    run = await ada.submit("one", conversation="talk")
    held = await store.acquire(run, "another", 60)
    with pytest.raises(RequestError, match=f"conversation 'talk' is busy: run {run} has not ended"):
        await ada.delete_conversation("talk")
    assert await store.cancel_requested_by(run) == "ada"
    assert await titles(ada) == ["one"]
    await store.release(run, held.epoch)
    await ada.delete_conversation("talk")


async def test_conversations_of_one_name_in_two_applications_are_apart(store: Store) -> None:
    runtime = runtime_for(store)
    other = Runtime(App(name="other", agents=runtime.app.agents), model=Scripted(["done"]), store=store)
    await runtime.client(ADA).run("here", conversation="talk")
    await gone(lambda: other.client(ADA).conversation("talk"))
    await other.client(ADA).run("there", conversation="talk")
    with pytest.raises(RequestError, match=r"^several applications have a conversation 'talk': .*other.*; name one$"):
        await ConversationReader(store, ADA, application="", prices={}).conversation("talk")
    await other.client(ADA).delete_conversation("talk")
    assert await titles(runtime.client(ADA)) == ["here"]
    assert await titles(other.client(ADA)) == []
