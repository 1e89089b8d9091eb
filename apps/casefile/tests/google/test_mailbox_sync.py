"""Syncing a mailbox, beyond what every sync promises: messages are read one by one, and each may fail."""

from __future__ import annotations

import pytest

from apps.casefile.tests.google.fake.faults import broken, busy
from apps.casefile.tests.google.syncs import Copies, Mail
from apps.casefile.tests.google.world import World
from remit_casefile.google.payloads.sync import MailboxSyncResult

GET = Mail.reads[0]


@pytest.fixture
def mailbox(world: World) -> Mail:
    return Mail(world)


@pytest.fixture
def copies(mailbox: Mail) -> Copies[MailboxSyncResult]:
    return Copies(mailbox)


async def test_what_was_read_archived_and_put_into_the_trash_is_told_apart(
    world: World, mailbox: Mail, copies: Copies[MailboxSyncResult]
) -> None:
    starred, archived, away = mailbox.put(3)
    await copies.update()
    world.google.mailbox.label(starred, add="STARRED")
    world.google.mailbox.label(archived, remove="INBOX")
    world.google.mailbox.label(away, add="TRASH")

    synced = await copies.update()

    assert {message.id for message in synced.messages} == {starred, archived}
    assert synced.removed == [away]
    assert copies.held == mailbox.there()


async def test_messages_that_cannot_be_read_are_missing_and_come_with_the_next_sync(
    world: World, mailbox: Mail, copies: Copies[MailboxSyncResult]
) -> None:
    mailbox.put(5)
    world.google.faults.plan(GET, broken(), times=2, skip=1)

    synced = await copies.update()

    assert (synced.status, len(synced.messages), len(synced.missing)) == ("partial", 3, 2)
    assert {each.code for each in synced.missing} == {"GOOGLE_UNAVAILABLE"}
    assert (await copies.update()).status == "completed"
    assert copies.held == mailbox.there()


async def test_what_is_missing_stays_due_until_it_comes(
    world: World, mailbox: Mail, copies: Copies[MailboxSyncResult]
) -> None:
    await copies.update()
    mailbox.put(1)
    world.google.faults.plan(GET, broken(), times=3)

    for _ in range(3):
        assert (await copies.update()).status == "partial"
    assert (await copies.update()).status == "completed"
    assert copies.held == mailbox.there()


async def test_what_was_missing_and_was_deleted_meanwhile_is_gone(
    world: World, mailbox: Mail, copies: Copies[MailboxSyncResult]
) -> None:
    key, *_ = mailbox.put(1)
    world.google.faults.plan(GET, broken())
    await copies.update()
    mailbox.delete(key)

    synced = await copies.update()

    assert (synced.status, synced.removed) == ("completed", [key])


async def test_a_message_that_is_deleted_between_list_and_read_is_gone(
    mailbox: Mail, copies: Copies[MailboxSyncResult]
) -> None:
    await copies.update()
    key, *_ = mailbox.put(1)
    stale = copies.token
    await copies.update()
    mailbox.delete(key)
    copies.token = stale

    synced = await copies.update()

    assert (synced.status, synced.removed, copies.held) == ("completed", [key], {})


async def test_one_message_is_waited_for_as_long_as_google_asks(
    world: World, mailbox: Mail, copies: Copies[MailboxSyncResult]
) -> None:
    mailbox.put(2)
    world.google.faults.plan(GET, busy("3"))

    assert (await copies.update()).status == "completed"
    assert world.waited == [3.0]


async def test_once_google_has_no_patience_left_the_rest_is_not_asked_for(
    world: World, mailbox: Mail, copies: Copies[MailboxSyncResult]
) -> None:
    mailbox.put(30)
    world.google.faults.plan(GET, busy("1"), times=1000)

    synced = await copies.update()

    assert (synced.status, len(synced.missing)) == ("partial", 30)
    assert {each.code for each in synced.missing} == {"GOOGLE_BUSY"}
    assert world.google.asked.count(GET) == 8 * 5
    world.google.faults.clear()
    assert (await copies.update()).status == "completed"
    assert copies.held == mailbox.there()


async def test_a_sync_reads_no_more_than_so_many_messages_and_the_next_goes_on(world: World) -> None:
    mailbox = Mail(world, most=3)
    copies: Copies[MailboxSyncResult] = Copies(mailbox)
    mailbox.put(7)

    first = await copies.update()
    assert (first.status, len(first.messages)) == ("partial", 3)
    assert [each.what for each in first.missing] == ["4 more messages"]
    (new,) = mailbox.put(1)
    second = await copies.update()
    third = await copies.update()

    assert [(each.status, each.full, len(each.messages)) for each in (second, third)] == [
        ("partial", False, 3),
        ("completed", False, 2),
    ]
    assert new in copies.held
    assert copies.held == mailbox.there()
