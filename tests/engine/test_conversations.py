"""Runs are read from the journal only as this version wrote them."""

from __future__ import annotations

import pytest
from msgspec import structs

from remit.engine.conversations import Conversations
from remit.errors import BrokenJournalError, JournalFormatError
from remit.journal.memory import InMemoryStore
from remit.record.items import DETACHED
from remit.testing.store_suite.samples import acquire_run, begin, header_item, note


async def test_a_run_of_another_format_is_refused() -> None:
    store = InMemoryStore()
    await (await acquire_run(store)).append(structs.replace(header_item(), format=99))
    with pytest.raises(JournalFormatError, match="run run has format 99; this version reads"):
        await Conversations(store, "app").read_run("run")


async def test_a_run_whose_items_do_not_follow_one_another_is_refused() -> None:
    store = InMemoryStore()
    run = await begin(store)
    assert (await Conversations(store, "app").read_run("run"))[0] == header_item()
    await run.append(note())  # it is chained as the first item of a run
    with pytest.raises(BrokenJournalError):
        await Conversations(store, "app").read_run("run")


@pytest.mark.parametrize(
    ("conversation", "after", "has_moved"),
    [("talk", "", True), ("talk", "run", False), ("new", "", False), ("", "", False), ("talk", DETACHED, False)],
    ids=["a run was opened meanwhile", "it follows the newest run", "the first run", "none", "a direct call"],
)
async def test_a_header_is_made_anew_only_if_its_conversation_has_another_newest_run(
    conversation: str, after: str, *, has_moved: bool
) -> None:
    store = InMemoryStore()
    await begin(store, conversation="talk")
    header = header_item("next", conversation=conversation, after=after)
    assert await Conversations(store, "app").has_moved(header) is has_moved
