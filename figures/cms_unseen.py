"""Visitors of a site whose editors publish now and at times to come: they see what an approver was shown, as it was."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from figures.cms_unseen_site import Site, Texts, View, words_of
from remit.errors import RemitError
from remit.tools import Change, Preview
from remit_cms.images.payloads import DeleteImage
from remit_cms.pages.payloads import DeletePage
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage, RevertChangeSet, UnpublishPage
from remit_cms.scheduling.payloads import (
    CancelScheduledAction,
    ExpirePage,
    RunScheduledAction,
    ScheduleChangeSet,
    ScheduledActionReply,
    SchedulePage,
)

STEPS: Final = (
    *(("write",) * 12),
    *(("extend",) * 3),
    *(("publish_page", "publish_set", "schedule_page", "schedule_set", "wait") * 3),
    *("unpublish", "delete", "restore", "expire", "cancel", "discard", "revert", "adopt", "picture", "drop_picture"),
    *(("alt", "focus", "address", "below")),
    *(("remove",) * 3),
)
_PEOPLE: Final = ("ann", "ann", "bob", "bob", "pat")
_LATER: Final = "from "
"""How rows of a question begin that say what follows at a later time."""

_AUTHORS: Final = (
    "SELECT DISTINCT r.author FROM claims c JOIN change_sets s ON s.id = c.change_set "
    "JOIN revisions r ON r.page = c.page AND r.number = c.number WHERE c.page = ? AND s.state = 'open'"
)
_ACTIONS: Final = (
    "SELECT DISTINCT '''' || a.title || ''' is to be ' FROM claims c "
    "JOIN scheduled_actions a ON a.change_set = c.change_set "
    "WHERE c.page = ? AND a.state = 'scheduled'"
)
_LEAVING: Final = (
    "SELECT c.page FROM claims c JOIN change_sets s ON s.id = c.change_set JOIN pages p ON p.id = c.page "
    "WHERE s.conversation = ? AND s.state = 'open' AND (c.number < 0 OR c.number = 0 AND p.live IS NOT NULL)"
)
"""What goes with the set of a conversation: to hide what visitors do not see does nothing."""
_MISSING: Final = (
    "SELECT p.id FROM pages p JOIN revisions r ON r.page = p.id AND r.number = p.live "
    "WHERE instr(r.snapshot, 'imageId') AND NOT EXISTS "
    "(SELECT 1 FROM images i WHERE NOT i.is_deleted AND instr(r.snapshot, i.id))"
)


Pair = tuple[frozenset[str], frozenset[str]]
"""The words of a text before and after."""


@dataclass
class Shown:
    """What an approver was shown: pairs of words before and after, and the sentence of the question."""

    pairs: set[Pair] = field(default_factory=set[Pair])
    summary: str = ""
    own: str = ""
    scheduler: str = ""
    words: frozenset[str] = frozenset()
    """What is written new in it; the page above gives the first part of an address."""

    @classmethod
    def of(cls, preview: Preview, own: str = "", scheduler: str = "") -> Shown:
        """What a preview shows; ``own`` is whose edits alone it is about, ``scheduler`` who gave it a time."""
        names = (words_of(each.after.rpartition("/")[2]) - words_of(each.before) for each in preview.changes)
        words = frozenset(word for name in names for word in name)
        return cls(_pairs_of(preview.changes), preview.summary, own, scheduler, words)


class Clockwork(Site):
    """A site, its visitors, and what they were shown that no approver saw. ``moved`` counts what went live or away."""

    def __init__(self, world: World, path: Path, rng: random.Random) -> None:
        super().__init__(world, path, rng)
        self.deleted: list[str] = []
        self.scheduled: dict[str, Shown] = {}
        self.adopted: set[str] = set()
        self.seen: set[str] = set()
        self.failures: list[str] = []
        self.undone: float = 0.3
        self.hours: tuple[int, ...] = (1, 2, 2, 4)
        self.accepted = Counter[str]()
        self.steps = self.moved = 0

    async def step(self, name: str, who: str) -> None:
        """Do one step, and compare what visitors see before and after it with what its approver saw."""
        self.steps += 1
        self.now += timedelta(minutes=1)
        name = name if self.pages or name in ("revert", "restore", "wait", "create_note") else "create"
        before = self._look()
        try:
            shown = await getattr(self, f"_{name}")(self.people[who])
            self.accepted[name] += 1
        except RemitError:
            shown = None
        if name != "wait":
            self._compare(before, shown, f"step {self.steps}, {name} by {who}")
        known, drafts = [*self.pages, *self.deleted], self._drafts()
        self.pages = [page for page in known if page in drafts]
        self.deleted = [page for page in known if page not in drafts]
        self.images = self._read_first("SELECT id FROM images WHERE NOT is_deleted")
        for page in self._read_first(_MISSING):
            self._fail(f"step {self.steps}: visitors see a picture of {page} that is deleted")

    def _fail(self, what: str) -> None:
        self.failures.append(what)

    def _compare(self, before: View, shown: Shown | None, where: str) -> None:
        after = self._look()
        for page in before.keys() | after.keys():
            old, new = before.get(page), after.get(page)
            if old == new:
                continue
            self.moved += 1
            if shown is None:
                self._fail(f"{where}: visitors see {page} otherwise, and nobody was asked")
            elif new is None:
                title, slug = ((old or {}).get(name, "") for name in ("title", "slug"))
                is_named = words_of(slug) <= words_of(shown.summary)
                if not is_named and words_of(title) not in {pair[0] for pair in shown.pairs}:
                    self._fail(f"{where}: '{title}' was hidden, and the approver read: {shown.summary}")
            else:
                self._compare_texts(before, page, new, shown, where)

    def _compare_texts(self, before: View, page: str, new: Texts, shown: Shown, where: str) -> None:
        old = before.get(page, {})
        pairs = {(words_of(old.get(key, "")), words_of(new.get(key, ""))) for key in {*old, *new}}
        pairs = {pair for pair in pairs if pair[0] != pair[1]}
        if not pairs <= shown.pairs:
            self._fail(f"{where}: visitors see {_list(pairs - shown.pairs)}, the approver saw {_list(shown.pairs)}")
        later = {word for each in self.scheduled.values() for word in each.words}
        is_now = shown not in self.scheduled.values() and not shown.summary.startswith("the publication of the change")
        self.seen |= {word for texts in before.values() for text in texts.values() for word in words_of(text)}
        words = _new_words(pairs) - self.seen
        if is_now and (early := words & later):
            self._fail(f"{where}: {sorted(early)} went live before its time")
        # Who makes or restores a page has all that it says, but not the address above it.
        own = words if page in before else words & words_of(new["slug"].rpartition("/")[0])
        foreign = {word for word in own if self.writers.get(word, shown.own) != shown.own}
        if shown.own and foreign and shown.own not in self.adopted:
            self._fail(f"{where}: {sorted(foreign)} of others went live with the change set of {shown.own}")

    async def _publish_page(self, editor: Editor) -> Shown:
        page = self._pick(self.pages)
        preview = await editor.publishing.preview_publication(editor.call(), PublishPage(page_id=page))
        self._check_named(preview.summary, page, editor)
        return await self._undo_at_times(editor, Shown.of(preview), lambda: editor.publish_page(page))

    async def _publish_set(self, editor: Editor) -> Shown:
        preview = await editor.sets.preview_publication(editor.call(), PublishChangeSet())
        for page in (await editor.look()).pages:
            if page.page_id in self._leaving(editor.conversation):
                self._check_named(preview.summary, page.page_id, editor)
        return await self._undo_at_times(editor, Shown.of(preview, editor.name), editor.publish)

    async def _unpublish(self, editor: Editor) -> Shown:
        page = self._pick(self.pages)
        preview = await editor.publishing.preview_unpublication(editor.call(), UnpublishPage(page_id=page))
        self._check_named(preview.summary, page, editor)
        return await self._undo_at_times(editor, Shown.of(preview), lambda: editor.unpublish_page(page))

    async def _delete(self, editor: Editor) -> Shown:
        page = self._pick(self.pages)
        payload = DeletePage(page_id=page, confirmed=True)
        preview = await self.world.pages.preview_deletion(editor.call(), payload)
        self._check_named(preview.summary, page, editor)
        return await self._undo_at_times(editor, Shown.of(preview), lambda: editor.delete(page))

    async def _remove(self, editor: Editor) -> None:
        """Let a page or picture go with the change set of a conversation, of which nobody is asked; or stay."""
        removal = self._rng.choice(("delete", "delete", "hide", "none"))
        await editor.remove(self._pick([*self.pages, *self.images]), removal)

    async def _let_go(self, editor: Editor) -> None:
        await editor.remove(self._pick(self.pages))

    async def _let_picture_go(self, editor: Editor) -> None:
        await editor.remove(self._pick(self.images))

    def _leaving(self, conversation: str) -> set[str]:
        return {*self._read_first(_LEAVING, conversation)}

    async def _undo_at_times(self, editor: Editor, shown: Shown, do: Callable[[], Awaitable[object]]) -> Shown:
        """Do what was approved. Of three that have a conversation one is undone: visitors see again what they saw."""
        before = self._look()
        await do()
        if editor.conversation and self._rng.random() < self.undone:
            self._compare(before, shown, f"step {self.steps}, what {editor.name} undoes")
            await editor.revert()
            if self._look() != before:
                self._fail(f"step {self.steps}: visitors do not see what they saw before what was undone")
        return shown

    def _check_named(self, summary: str, page: str, editor: Editor) -> None:
        authors, actions = {*self._read_first(_AUTHORS, page)} - {editor.name}, self._read_first(_ACTIONS, page)
        if left := [each for each in sorted(authors.union(actions)) if each not in summary]:
            self._fail(f"step {self.steps}: the question about {page} does not name {left}: {summary}")

    async def _restore(self, editor: Editor) -> None:
        page = self._pick(self.deleted)
        if page:
            await editor.restore(page)

    async def _schedule_page(self, editor: Editor) -> None:
        payload = SchedulePage(page_id=self._pick(self.pages), at=self._choose_time())
        preview = await self.world.scheduling.preview_page(editor.call(), payload)
        self._note(await self.world.scheduling.schedule_page(editor.call(), payload), preview, editor)

    async def _schedule_set(self, editor: Editor) -> None:
        payload = ScheduleChangeSet(at=self._choose_time())
        preview = await self.world.scheduling.preview_change_set(editor.call(), payload)
        self._note(await self.world.scheduling.schedule_change_set(editor.call(), payload), preview, editor)

    def _note(self, reply: ScheduledActionReply, preview: Preview, editor: Editor) -> None:
        """What an approver saw: of this action, which replaces others, and of what follows it."""
        for action in reply.replaced or ():
            self.scheduled.pop(action)
        own = tuple(each for each in preview.changes if not each.where.startswith(_LATER))
        following = _pairs_of(each for each in preview.changes if each.where.startswith(_LATER))
        for shown in self.scheduled.values():
            shown.pairs |= following
        self.scheduled[reply.action.id] = Shown.of(replace(preview, changes=own), scheduler=editor.name)

    async def _expire(self, editor: Editor) -> None:
        payload = ExpirePage(page_id=self._pick(self.pages), at=self._choose_time())
        preview = await self.world.scheduling.preview_expiry(editor.call(), payload)
        reply = await self.world.scheduling.expire_page(editor.call(), payload)
        self.scheduled[reply.action.id] = Shown.of(preview, scheduler=editor.name)

    async def _soon(self, _editor: Editor) -> None:
        """Schedule what follows for an earlier time."""
        self.hours = (2,)

    async def _later(self, _editor: Editor) -> None:
        self.hours = (4,)

    def _choose_time(self) -> str:
        start = self.now.replace(minute=0)
        return (start + timedelta(hours=self._rng.choice(self.hours))).isoformat()

    async def _cancel(self, editor: Editor) -> None:
        action = self._pick([*self.scheduled])
        if action:
            payload = CancelScheduledAction(action_id=action)
            await self.world.scheduling.cancel_scheduled_action(editor.call(), payload)
            self._give_back(action)

    def _give_back(self, action: str) -> None:
        """What a cancelled page was scheduled with waits in the conversation that scheduled it, whoever wrote it."""
        shown = self.scheduled.pop(action)
        self.writers |= dict.fromkeys(_new_words(shown.pairs) & self.writers.keys(), shown.scheduler)

    async def _discard(self, editor: Editor) -> None:
        await editor.discard()

    async def _adopt(self, editor: Editor) -> None:
        await editor.add(self._pick(self.pages))
        self.adopted.add(editor.name)

    async def _revert(self, editor: Editor) -> Shown:
        preview = await editor.sets.preview_reversion(editor.call(), RevertChangeSet())
        await editor.revert()
        return Shown.of(preview)

    async def _drop_picture(self, editor: Editor) -> None:
        image = self._pick(self.images)
        if image:
            await self.world.images.delete_image(editor.call(), DeleteImage(image_id=image))

    async def _wait(self, editor: Editor) -> None:
        """Let hours pass, and let two executors make the calls that are due, each in an order of its own."""
        self.now += timedelta(hours=self._rng.choice((1, 3)))
        for _ in range(12):
            due = [key for key, (_, _, at) in self.world.calls.made.items() if at <= self.now]
            due = [key for key in due if key.partition("/")[0] in self.scheduled]
            if not due:
                break
            for key in self._rng.sample(due, len(due)) + self._rng.sample(due, len(due)):
                await self._execute(editor, key)
            self.now += timedelta(minutes=1)
        if late := [
            key for key, (_, _, at) in self.world.calls.made.items() if at <= self.now and key in self.scheduled
        ]:
            self._fail(f"step {self.steps}: {late} was approved and is not done")

    async def _execute(self, editor: Editor, key: str) -> None:
        action = key.partition("/")[0]
        call: Any = self.world.call(run=self.world.calls.find_run(key))
        before = self._look()
        try:
            reply = await self.world.scheduling.run_scheduled_action(call, RunScheduledAction(action_id=action))
        except RemitError as error:
            is_retyped = self.retyped and "its type has changed since" in str(error)  # whose question said so
            if is_retyped:
                self.scheduled.pop(action, None)
            elif "runs at its time" not in str(error):
                self._fail(f"step {self.steps}: {action} was approved and refused: {error}")
                self.scheduled.pop(action, None)
            return
        self._compare(before, self.scheduled.get(action), f"step {self.steps}, {action} at its time")
        if reply.action.state != "scheduled":
            self.scheduled.pop(action, None)


def _pairs_of(changes: Iterable[Change]) -> set[Pair]:
    return {(words_of(each.before), words_of(each.after)) for each in changes}


def _new_words(pairs: Iterable[Pair]) -> set[str]:
    return {word for before, after in pairs for word in after - before}


def _list(pairs: Iterable[Pair]) -> list[str]:
    return sorted(f"{sorted(before)} → {sorted(after)}" for before, after in pairs)


async def run_clockwork(folder: Path, seed: int, steps: int) -> Clockwork:
    """Random steps of three people and two executors on a new site."""
    rng = random.Random(seed)
    world = World(folder)
    await world.rows()  # opens the database
    clockwork = Clockwork(world, folder / "cms.db", rng)
    for _ in range(steps):
        await clockwork.step(rng.choice(STEPS), rng.choice(_PEOPLE))
        if clockwork.failures:
            break
    await world.database.close()
    return clockwork
