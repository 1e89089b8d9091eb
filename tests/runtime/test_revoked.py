"""Whose access to a conversation was taken back neither continues it nor reads on in it."""

from __future__ import annotations

from typing import Any

import pytest

from remit import Effect, Principal, Risk, Runtime
from remit.errors import CallCancelledError, RequestError
from remit.stores import Store
from remit.testing import Scripted, calls
from tests.runtime.kit import World, runtime_of

ADA, BOB = (Principal(name, "bakery", frozenset({"approvals:decide"})) for name in ("ada", "bob"))
ERASE = calls(("erase", {"text": "about"}))
LOST = "bob may not continue conversation 'talk' any more, so the message was not answered; get it shared again"


def runtime_for(store: Store, *script: Any) -> Runtime:
    erase = World().write("erase", Effect.KEYED, Risk.HIGH)
    return runtime_of(Scripted(list(script) or ["done"] * 9), erase, store=store, directory=None)


async def test_a_queued_message_is_cancelled_if_its_author_lost_access_before_its_turn(store: Store) -> None:
    runtime = runtime_for(store, ERASE, "erased", "third")
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    waiting = await ada.run("one", conversation="talk")
    await ada.share_conversation("talk", "bob", "write")
    second = await bob.submit("two", conversation="talk", when_busy="queue")
    third = await ada.submit("three", conversation="talk", when_busy="queue")
    await ada.unshare_conversation("talk", "bob")
    await ada.decide(waiting.questions[0], approved=True)
    await ada.resume(waiting.run)
    for result in (await bob.resume(second), await bob.resume(second)):
        assert result.status == "cancelled"
        with pytest.raises(CallCancelledError, match=LOST):
            result.value()
    assert (await bob.details(second)).error == LOST
    assert (await ada.resume(third)).value() == "third"
    assert not any('"two"' in text for text in await runtime.history(third))
    assert (await runtime.replay(second)).is_identical
    with pytest.raises(RequestError, match="bob may not read conversation 'talk'; ask its owner to share it"):
        await bob.history(second)


async def test_a_submitted_message_is_cancelled_if_its_author_lost_access_before_it_began(store: Store) -> None:
    runtime = runtime_for(store)
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    await ada.run("one", conversation="talk")
    await ada.share_conversation("talk", "bob", "write")
    second = await bob.submit("two", conversation="talk")
    await ada.share_conversation("talk", "bob", "read")
    assert (await runtime.resume(second)).status == "cancelled"
    assert (await bob.details(second)).error == LOST
    assert len(await bob.history(second)) == len(await ada.history(second)) == 2
    assert (await runtime.replay(second)).is_identical
    assert (await ada.run("three", conversation="talk")).value() == "done"


async def test_a_run_that_had_begun_goes_on_without_showing_what_others_say(store: Store) -> None:
    runtime = runtime_for(store, "one", ERASE, "erased")
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    await ada.run("private", conversation="talk")
    await ada.share_conversation("talk", "bob", "write")
    waiting = await bob.run("two", conversation="talk")
    await ada.unshare_conversation("talk", "bob")
    await ada.decide(waiting.questions[0], approved=True)
    assert (await bob.resume(waiting.run)).value() == "erased"
    with pytest.raises(RequestError, match="bob may not read conversation 'talk'"):
        await bob.history(waiting.run)
    for own in (await bob.export_run(waiting.run), *(each.body for each in await bob.items(waiting.run))):
        assert "private" not in own


async def test_the_history_of_a_direct_call_needs_no_access_to_its_conversation(store: Store) -> None:
    runtime = runtime_for(store)
    ada, bob = runtime.client(ADA), runtime.client(BOB)
    await ada.run("one", conversation="talk")
    assert await bob.history((await bob.call("erase", {"text": "mine"}, conversation="talk")).run) == []
