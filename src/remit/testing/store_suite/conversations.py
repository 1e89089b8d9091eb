"""Conversations: their rows, which store who may see them, and their runs in turn."""

from __future__ import annotations

from typing import Any, Final

import pytest
from msgspec.structs import replace

from remit.errors import LeaseError, RequestError
from remit.journal.ports import ConversationFilter, ConversationKey, ConversationRow, Store
from remit.record import items as item_types
from remit.record.artifact import ArtifactScope
from remit.record.items import RunFinished, RunResumed
from remit.testing.store_suite.samples import Run, acquire_run, begin, header_item, note

TALK: Final = ConversationKey("default", "app", "talk")


async def say(store: Store, name: str, after: str = "", *, at: float = 1000.0, **header: Any) -> Run:
    """Open a run in the conversation, without ending it."""
    run = await acquire_run(store, name)
    await run.append(replace(header_item(name, conversation="talk", after=after), **header), at=at)
    return run


async def end(run: Run) -> None:
    await run.append(RunFinished(call=run.run, status="done"))


async def row_of(store: Store, key: ConversationKey = TALK) -> ConversationRow:
    row = await store.find_conversation(key)
    assert row is not None
    return row


async def test_a_conversation_belongs_to_who_began_it_and_is_titled_by_the_first_message(store: Store) -> None:
    prompt = '{"count":1,"prompt":"  Rename\\n the page  "}'
    await end(await say(store, "one", arguments=prompt, target="bakery/main"))
    await say(store, "two", "one", at=1005.0, principal="bob", arguments='{"prompt":"and another"}')
    row = await row_of(store)
    assert (row.owner, row.title, row.shared, row.target) == ("ada", "Rename the page", {}, "bakery/main")
    assert (row.opened, row.active, row.first, row.latest, row.status) == (1000.0, 1005.0, "one", "two", "running")


@pytest.mark.parametrize(
    ("arguments", "title"),
    [("", ""), ("[]", ""), ('{"n":1}', ""), ('{"text":"' + "a" * 81 + '"}', "a" * 79 + "…"), ('{"a":"b"}', "b")],
)
async def test_a_title_is_short_and_may_be_missing(store: Store, arguments: str, title: str) -> None:
    await say(store, "one", arguments=arguments)
    assert (await row_of(store)).title == title


async def test_direct_calls_begin_no_conversation(store: Store) -> None:
    await say(store, "call", item_types.DETACHED)
    await begin(store, "alone")
    assert await store.find_conversation(TALK) is None
    assert await store.list_conversations(tenant="default") == []
    with pytest.raises(RequestError, match="conversation 'talk' does not exist"):
        await store.change_conversation(TALK, title="mine")


async def test_a_conversation_is_renamed_and_shared_even_while_its_run_has_not_ended(store: Store) -> None:
    run = await say(store, "one")
    await store.change_conversation(TALK, title="News")
    await store.change_conversation(TALK, share=("bob", "read"))
    await store.change_conversation(TALK, share=("*", "write"))
    row = await row_of(store)
    assert (row.title, row.shared) == ("News", {"bob": "read", "*": "write"})
    await store.change_conversation(TALK, title="", share=("bob", "write"))
    await store.change_conversation(TALK, share=("*", ""))
    await end(run)
    await say(store, "two", "one")
    row = await row_of(store)
    assert (row.title, row.shared) == ("about", {"bob": "write"})


async def test_conversations_are_listed_the_most_recently_active_first_and_page_by_page(store: Store) -> None:
    for at, name in enumerate(("a", "b", "c", "d")):
        run = await acquire_run(store, name)
        header = header_item(name, conversation=name, application="x" if at % 2 else "app")
        await run.append(replace(header, principal="bob" if name == "b" else "ada"), at=1000.0 + min(at, 2))
        await end(run)
    other = await acquire_run(store, "other")
    await other.append(replace(header_item("other", conversation="a"), tenant="acme"))
    await store.change_conversation(ConversationKey("default", "x", "b"), share=("eve", "read"))

    async def names(**where: Any) -> list[str]:
        return [row.conversation for row in await store.list_conversations(tenant="default", **where)]

    assert await names() == ["d", "c", "b", "a"]
    listed, where = list[str](), ConversationFilter(tenant="default", limit=1)
    while page := await store.list_conversations(**where):
        listed.append(page[0].conversation)
        where["before"] = (page[0].active, page[0].key)
    assert listed == ["d", "c", "b", "a"]
    assert await names(application="app") == ["c", "a"]
    assert await names(conversation="a") == ["a"]
    assert await names(member="ada") == ["d", "c", "b", "a"]  # b is shared
    assert await names(member="bob") == ["b"]
    assert await names(owner="ada") == ["d", "c", "a"]
    assert await names(other_than="ada") == ["b"]
    assert await names(other_than="bob", member="bob") == []
    tie = (await store.list_conversations(tenant="default", conversation="d"))[0]
    assert await names(before=(tie.active, tie.key)) == ["c", "b", "a"]
    same = ConversationKey("default", "x", "e")
    assert await names(before=(tie.active, same)) == ["d", "c", "b", "a"]


async def test_a_conversation_with_an_unfinished_run_is_not_deleted(store: Store) -> None:
    run = await say(store, "one")
    with pytest.raises(RequestError, match="conversation 'talk' is busy: run one has not ended; cancel it first"):
        await store.change_conversation(TALK, deletion="begun")
    await end(run)
    await say(store, "call", item_types.DETACHED)
    await store.change_conversation(TALK, deletion="begun")


async def test_a_deleted_conversation_is_gone_from_lists_and_is_not_continued(store: Store) -> None:
    await end(await say(store, "one"))
    await store.change_conversation(TALK, title="News", share=("bob", "read"))
    for number, step in enumerate(("begun", "begun", "done")):
        await store.change_conversation(TALK, deletion=step)
        row = await row_of(store)
        assert (row.deletion, row.title, row.shared, row.owner) == (step, "", {}, "ada")
        assert await store.list_conversations(tenant="default") == []
        with pytest.raises(RequestError, match="conversation 'talk' does not exist"):
            await store.change_conversation(TALK, title="mine")
        with pytest.raises(RequestError, match="conversation 'talk' was deleted; use another name"):
            await say(store, f"two {step} {number}", "one")
    with pytest.raises(RequestError, match="conversation 'talk' does not exist"):
        await store.change_conversation(TALK, deletion="done")
    await say(store, "call", item_types.DETACHED)


async def test_erasing_the_first_message_erases_it_as_a_title(store: Store) -> None:
    await end(await say(store, "one", arguments='{"prompt":"SECRET"}'))
    await end(await say(store, "two", "one"))
    await store.erase("two", [0])
    assert (await row_of(store)).title == "SECRET"
    await store.erase("one", [1])
    assert (await row_of(store)).title == "SECRET"
    await store.erase("one", [0])
    assert "SECRET" not in repr(await row_of(store))
    assert [(row.run, row.erased) for row in await store.list_runs(conversation="talk")] == [("two", 1), ("one", 1)]
    assert await store.list_runs(without_erased=True) == []
    await store.erase("unknown", [0])
    await begin(store, "alone")
    await store.erase("alone", [0])


async def test_erasing_a_direct_call_begins_no_conversation(store: Store) -> None:
    await end(await say(store, "call", item_types.DETACHED))
    await store.erase("call", [0])
    assert await store.find_conversation(TALK) is None


async def test_erasing_a_whole_run_erases_all_artifacts_that_it_alone_has(store: Store) -> None:
    run = await begin(store)
    scope, digest = ArtifactScope("default", "ada", "app", "", "run"), f"sha256:{'a' * 64}"
    await store.add_artifact(digest, scope, b"content")
    await run.append(note())
    await store.erase("run", [0])
    assert await store.read_artifact(digest, scope) == b"content"
    await store.erase("run", [0, 1])
    assert await store.read_artifact(digest, scope) is None


async def test_a_queued_run_is_opened_while_others_are_unfinished_and_due_when_they_have_ended(store: Store) -> None:
    runs = [await say(store, "one")]
    for after, name in (("one", "two"), ("two", "three")):
        runs.append(await say(store, name, after, queued=True))
    with pytest.raises(RequestError, match="conversation talk is busy: run three is queued"):
        await say(store, "four", "three")
    with pytest.raises(RequestError, match="conversation talk has continued with run three"):
        await say(store, "five", "two", queued=True)
    with pytest.raises(LeaseError):
        await store.acquire("one", "another", 1)
    for run in runs:
        await store.release(run.run, run.epoch)
    assert await store.list_due_runs("app") == ["one"]
    second = Run(store, "two", (await store.acquire("two", "driver", 1e6)).epoch)
    second.next = 1
    await second.append(RunFinished(call="two", status="cancelled"))
    assert await store.list_due_runs("app") == ["one"]  # the third waits for the first, not only for the second
    first = Run(store, "one", (await store.acquire("one", "driver", 1e6)).epoch)
    first.next = 1
    await end(first)
    assert await store.list_due_runs("app") == ["three"]
    third = Run(store, "three", (await store.acquire("three", "driver", 1e6)).epoch)
    third.next = 1
    assert (await row_of(store)).status == "queued"
    await third.append(RunResumed(call="three", driver="driver"))
    assert (await row_of(store)).status == "running"
