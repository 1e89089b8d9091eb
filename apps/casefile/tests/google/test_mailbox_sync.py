"""Syncing a mailbox: what is new comes, what is gone goes, and whatever fails comes later."""

from __future__ import annotations

import pytest

from apps.casefile.tests.google.fake.faults import Cut, broken, busy
from apps.casefile.tests.google.mails import mail
from apps.casefile.tests.google.world import World
from remit.errors import ExternalError, InvalidError, RateLimitedError
from remit_casefile.google.mailbox_sync import MailboxSync
from remit_casefile.google.payloads.sync import MailboxSynced

GET, LIST, HISTORY = "gmail.users.messages.get", "gmail.users.messages.list", "gmail.users.history.list"


class Copies:
    """A keeper of copies: it does what a sync tells it, and nothing else."""

    def __init__(self, sync: MailboxSync) -> None:
        self._sync = sync
        self.labels: dict[str, list[str]] = {}
        self.token: str | None = None

    async def update(self) -> MailboxSynced:
        synced = await self._sync.sync(self.token)
        self.token = synced.sync_token
        self.labels |= {message.id: message.label_ids for message in synced.messages}
        gone = set(synced.removed)
        if synced.present is not None:
            gone |= set(self.labels) - set(synced.present) - {each.what for each in synced.missing}
        self.labels = {key: labels for key, labels in self.labels.items() if key not in gone}
        return synced


@pytest.fixture
def copies(world: World) -> Copies:
    return Copies(MailboxSync(world.gmail, patience=world.patience))


def there(world: World) -> dict[str, list[str]]:
    """What there is in the mailbox."""
    return {key: stored.labels for key, stored in world.google.mailbox.messages.items()}


def deliver(world: World, count: int, *labels: str) -> list[str]:
    return [world.google.mailbox.deliver(mail(subject=f"{number}"), *labels) for number in range(count)]


async def test_the_first_sync_brings_everything(world: World, copies: Copies) -> None:
    deliver(world, 10)

    synced = await copies.update()

    assert (synced.status, synced.full, len(synced.messages)) == ("completed", True, 10)
    assert copies.labels == there(world)


async def test_a_later_sync_brings_only_what_changed(world: World, copies: Copies) -> None:
    old = deliver(world, 6)
    await copies.update()
    new = deliver(world, 4)
    world.google.mailbox.label(old[0], add="STARRED")
    world.google.mailbox.label(old[1], remove="INBOX")
    world.google.mailbox.delete(old[2])
    world.google.mailbox.label(old[3], add="TRASH")

    synced = await copies.update()

    assert (synced.status, synced.full, synced.present) == ("completed", False, None)
    assert {message.id for message in synced.messages} == {*new, old[0], old[1]}
    assert set(synced.removed) == {old[2], old[3]}
    assert copies.labels == {key: labels for key, labels in there(world).items() if key != old[3]}


async def test_where_nothing_changed_nothing_comes(world: World, copies: Copies) -> None:
    deliver(world, 2)
    await copies.update()

    synced = await copies.update()

    assert (synced.status, synced.messages, synced.removed, synced.missing) == ("completed", [], [], [])


async def test_a_token_that_is_too_old_brings_everything_anew(world: World, copies: Copies) -> None:
    old = deliver(world, 4)
    await copies.update()
    world.google.mailbox.delete(old[0])
    deliver(world, 2)
    world.google.mailbox.forget()

    synced = await copies.update()

    assert (synced.status, synced.full) == ("completed", True)
    assert copies.labels == there(world)
    assert (await copies.update()).full is False


async def test_messages_that_cannot_be_read_are_missing_and_come_with_the_next_sync(
    world: World, copies: Copies
) -> None:
    deliver(world, 5)
    world.google.faults.plan(GET, broken(), times=2, skip=1)

    synced = await copies.update()

    assert (synced.status, len(synced.messages), len(synced.missing)) == ("partial", 3, 2)
    assert {each.code for each in synced.missing} == {"EXTERNAL_SERVICE_ERROR"}
    assert (await copies.update()).status == "completed"
    assert copies.labels == there(world)


async def test_what_is_missing_stays_due_until_it_comes(world: World, copies: Copies) -> None:
    await copies.update()
    deliver(world, 1)
    world.google.faults.plan(GET, broken(), times=3)

    for _ in range(3):
        assert (await copies.update()).status == "partial"
    assert (await copies.update()).status == "completed"
    assert copies.labels == there(world)


async def test_what_was_missing_and_was_deleted_meanwhile_is_gone(world: World, copies: Copies) -> None:
    key, *_ = deliver(world, 1)
    world.google.faults.plan(GET, broken())
    await copies.update()
    world.google.mailbox.delete(key)

    synced = await copies.update()

    assert (synced.status, synced.removed) == ("completed", [key])


async def test_a_message_that_is_deleted_between_list_and_read_is_gone(world: World, copies: Copies) -> None:
    await copies.update()
    key, *_ = deliver(world, 1)
    stale = copies.token
    await copies.update()
    world.google.mailbox.delete(key)
    copies.token = stale

    synced = await copies.update()

    assert (synced.status, synced.removed, copies.labels) == ("completed", [key], {})


@pytest.mark.parametrize("trouble", [broken(), Cut.AFTER, Cut.MIDWAY])
async def test_a_list_that_is_cut_keeps_what_came_and_begins_again(world: World, copies: Copies, trouble: Cut) -> None:
    deliver(world, 7)
    world.google.faults.plan(LIST, trouble, skip=1, times=2)

    synced = await copies.update()
    assert (synced.status, synced.full, synced.present) == ("partial", True, None)
    assert [each.what for each in synced.missing] == ["the list of messages after page 1"]
    assert len(copies.labels) == 3

    world.google.faults.clear()
    assert (await copies.update()).status == "completed"
    assert copies.labels == there(world)


async def test_history_that_is_cut_is_read_again_from_where_it_began(world: World, copies: Copies) -> None:
    await copies.update()
    deliver(world, 7)
    world.google.faults.plan(HISTORY, broken(), skip=2)

    synced = await copies.update()
    assert (synced.status, synced.full, len(copies.labels)) == ("partial", False, 6)

    assert (await copies.update()).status == "completed"
    assert copies.labels == there(world)


async def test_where_not_even_the_first_page_comes_the_old_token_is_still_good(world: World, copies: Copies) -> None:
    await copies.update()
    deliver(world, 1)
    world.google.faults.plan(HISTORY, broken())

    with pytest.raises(ExternalError):
        await copies.update()
    await copies.update()

    assert copies.labels == there(world)


async def test_a_sync_waits_as_long_as_google_asks(world: World, copies: Copies) -> None:
    deliver(world, 2)
    world.google.faults.plan(LIST, busy("9"))
    world.google.faults.plan(GET, busy("3"))

    synced = await copies.update()

    assert synced.status == "completed"
    assert world.waited == [9.0, 3.0]


async def test_a_sync_does_not_wait_for_hours(world: World, copies: Copies) -> None:
    deliver(world, 1)
    world.google.faults.plan(LIST, busy("86400"))

    await copies.update()

    assert world.waited == [60.0]


async def test_once_google_has_no_patience_left_the_rest_is_not_asked_for(world: World, copies: Copies) -> None:
    deliver(world, 30)
    world.google.faults.plan(GET, busy("1"), times=1000)

    synced = await copies.update()

    assert (synced.status, len(synced.missing)) == ("partial", 30)
    assert {each.code for each in synced.missing} == {RateLimitedError.code}
    assert world.google.asked.count(GET) == 8 * 5
    world.google.faults.clear()
    assert (await copies.update()).status == "completed"
    assert copies.labels == there(world)


async def test_of_a_label_only_its_messages_are_kept(world: World) -> None:
    copies = Copies(MailboxSync(world.gmail, label_id="Label_1", patience=world.patience))
    one, two = deliver(world, 2, "INBOX", "Label_1")
    other, *_ = deliver(world, 1, "INBOX")
    await copies.update()
    assert set(copies.labels) == {one, two}

    world.google.mailbox.label(one, remove="Label_1")
    world.google.mailbox.label(other, add="Label_1")
    synced = await copies.update()

    assert (synced.status, set(copies.labels)) == ("completed", {two, other})


async def test_a_token_of_something_else_is_refused(world: World, copies: Copies) -> None:
    for token in ("", "123", '{"since": 1, "more": 2}'):
        copies.token = token
        with pytest.raises(InvalidError, match="leave it out"):
            await copies.update()


async def test_whatever_fails_and_happens_meanwhile_nothing_is_lost(world: World, copies: Copies) -> None:
    """Each request of a sync fails once, while the mailbox goes on changing; in the end the copies are right."""
    for method in ("gmail.users.getProfile", LIST, GET, HISTORY):
        for skip in range(6):
            old = deliver(world, 2)
            world.google.faults.plan(method, broken(), skip=skip)
            if skip == 2:
                world.google.mailbox.forget()
            try:
                await copies.update()
            except ExternalError:
                assert world.google.asked[-1] == method
            world.google.mailbox.delete(old[0])
            world.google.mailbox.label(old[1], add="SEEN")
            world.google.faults.clear()
    while (await copies.update()).status != "completed":
        pass

    assert copies.labels == there(world)
