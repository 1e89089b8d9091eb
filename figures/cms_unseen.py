"""Visitors of a site whose editors publish now and at times to come: they see what an approver was shown, as it was."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import RemitError
from remit.tools import Preview
from remit_cms.images.payloads import DeleteImage
from remit_cms.pages.payloads import DeletePage
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage, RevertChangeSet, UnpublishPage
from remit_cms.scheduling.payloads import (
    CancelScheduledAction,
    ExpirePage,
    RunScheduledAction,
    ScheduleChangeSet,
    SchedulePage,
)

Texts = dict[str, str]
View = dict[str, Texts]
"""What visitors see of each page: its texts by place."""

STEPS: Final = (
    *(("write",) * 12),
    *(("publish_page", "publish_set", "schedule_page", "schedule_set", "wait") * 3),
    *("unpublish", "delete", "restore", "expire", "cancel", "discard", "revert", "adopt", "picture", "drop_picture"),
    *(("remove",) * 3),
)
_CONVERSATIONS: Final = {"ann": "monday", "bob": "tuesday", "pat": ""}
_PEOPLE: Final = ("ann", "ann", "bob", "bob", "pat")
_WORD: Final = re.compile(r"^v\d+$")
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


@dataclass
class Shown:
    """What an approver was shown: pairs of texts before and after, and the sentence of the question."""

    pairs: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    summary: str = ""
    own: str = ""
    scheduler: str = ""

    @classmethod
    def of(cls, preview: Preview, own: str = "", scheduler: str = "") -> Shown:
        """What a preview shows; ``own`` is whose edits alone it is about, ``scheduler`` who gave it a time."""
        return cls({(each.before, each.after) for each in preview.changes}, preview.summary, own, scheduler)


class Clockwork:
    """A site, its visitors, and what they were shown that no approver saw. ``moved`` counts what went live or away."""

    def __init__(self, world: World, path: Path, rng: random.Random) -> None:
        self.world, self._path, self._rng = world, path, rng
        self.people = {name: Editor(world, name, _CONVERSATIONS[name]) for name in _CONVERSATIONS}
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        world.database.clock = lambda: self.now
        world.calls.is_keyed = True
        self.pages: list[str] = []
        self.deleted: list[str] = []
        self.images: list[str] = []
        self.scheduled: dict[str, Shown] = {}
        self.writers: dict[str, str] = {}
        self.adopted: set[str] = set()
        self.failures: list[str] = []
        self.undone: float = 0.3
        self.hours: tuple[int, ...] = (1, 2, 2, 4)
        self.accepted = Counter[str]()
        self.steps = self.moved = self._count = 0

    async def step(self, name: str, who: str) -> None:
        """Do one step, and compare what visitors see before and after it with what its approver saw."""
        self.steps += 1
        self.now += timedelta(minutes=1)
        name = name if self.pages or name in ("revert", "restore", "wait") else "create"
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

    def _look(self) -> View:
        query = "SELECT p.id, r.snapshot FROM pages p JOIN revisions r ON r.page = p.id AND r.number = p.live "
        query += "WHERE p.kind = 'page'"
        return {page: _texts_of(json.loads(snapshot)) for page, snapshot in self._read(query)}

    def _read(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self._path)) as database:
            return database.execute(query, values).fetchall()

    def _read_first(self, query: str, *values: str) -> list[str]:
        """The first column of the rows of a query."""
        return [row[0] for row in self._read(query, *values)]

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
                if f"(/{slug})" not in shown.summary and title not in {pair[0] for pair in shown.pairs}:
                    self._fail(f"{where}: '{title}' was hidden, and the approver read: {shown.summary}")
            else:
                self._compare_texts(old or {}, new, shown, where, is_new=old is None)

    def _compare_texts(self, old: Texts, new: Texts, shown: Shown, where: str, *, is_new: bool) -> None:
        pairs = {(old.get(key, ""), new.get(key, "")) for key in {*old, *new} if old.get(key) != new.get(key)}
        pairs = {pair for pair in pairs if any(map(_WORD.match, pair))}
        if not pairs <= shown.pairs:
            self._fail(f"{where}: visitors see {sorted(pairs - shown.pairs)}, the approver saw {sorted(shown.pairs)}")
        later = {pair[1] for each in self.scheduled.values() for pair in each.pairs}
        is_now = shown not in self.scheduled.values() and not shown.summary.startswith("the publication of the change")
        if is_now and (early := {pair[1] for pair in pairs if pair[1]} & later):
            self._fail(f"{where}: {sorted(early)} went live before its time")
        foreign = {pair[1] for pair in pairs if self.writers.get(pair[1], shown.own) != shown.own}
        if shown.own and foreign and not is_new and shown.own not in self.adopted:
            self._fail(f"{where}: {sorted(foreign)} of others went live with the change set of {shown.own}")

    def _pick(self, names: list[str]) -> str:
        return self._rng.choice(names) if names else ""

    async def _write(self, editor: Editor) -> None:
        if not self.pages or (len(self.pages) < 3 and self._rng.random() < 0.3):
            await self._create(editor)
        else:
            await self._rng.choice((self._title, self._meta, self._heading, self._german))(editor)

    def _next_word(self, editor: Editor) -> str:
        self._count += 1
        self.writers[word := f"v{self._count}"] = editor.name
        return word

    async def _create(self, editor: Editor) -> None:
        word = self._next_word(editor)
        view = await editor.create(word, ("hero", {"heading": word}))
        self.pages.append(view.id)

    async def _title(self, editor: Editor) -> None:
        await editor.update(self._pick(self.pages), title=self._next_word(editor))

    async def _old_title(self, editor: Editor) -> None:
        """Write the title that visitors see over a newer one."""
        page = self._pick(self.pages)
        await editor.update(page, title=self._look()[page]["title"])

    async def _meta(self, editor: Editor) -> None:
        await editor.update(self._pick(self.pages), meta={"description": self._next_word(editor)})

    async def _heading(self, editor: Editor) -> None:
        draft = await editor.draft(self._pick(self.pages))
        await editor.write(draft.sections[0].id, heading=self._next_word(editor))

    async def _german(self, editor: Editor) -> None:
        draft = await editor.draft(self._pick(self.pages))
        await editor.write(draft.sections[0].id, "de", subheading=self._next_word(editor))

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

    def _drafts(self) -> set[str]:
        return {*self._read_first("SELECT id FROM pages")}

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
        reply = await self.world.scheduling.schedule_page(editor.call(), payload)
        self.scheduled[reply.action.id] = Shown.of(preview, scheduler=editor.name)

    async def _schedule_set(self, editor: Editor) -> None:
        payload = ScheduleChangeSet(at=self._choose_time())
        preview = await self.world.scheduling.preview_change_set(editor.call(), payload)
        reply = await self.world.scheduling.schedule_change_set(editor.call(), payload)
        self.scheduled[reply.action.id] = Shown.of(preview, scheduler=editor.name)

    async def _expire(self, editor: Editor) -> None:
        payload = ExpirePage(page_id=self._pick(self.pages), at=self._choose_time())
        preview = await self.world.scheduling.preview_expiry(editor.call(), payload)
        reply = await self.world.scheduling.expire_page(editor.call(), payload)
        self.scheduled[reply.action.id] = Shown.of(preview, scheduler=editor.name)

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
        for _, word in shown.pairs:
            if word in self.writers:
                self.writers[word] = shown.scheduler

    async def _discard(self, editor: Editor) -> None:
        await editor.discard()

    async def _adopt(self, editor: Editor) -> None:
        await editor.add(self._pick(self.pages))
        self.adopted.add(editor.name)

    async def _revert(self, editor: Editor) -> Shown:
        preview = await editor.sets.preview_reversion(editor.call(), RevertChangeSet())
        await editor.revert()
        return Shown.of(preview)

    async def _picture(self, editor: Editor) -> None:
        colour = self._rng.choice(("pink", "orange"))
        image = (await self.world.image(colour, picture_file(colour=colour))).id  # also from the trash
        await self._show(editor, image if self._rng.random() < 0.6 else None)

    async def _pink(self, editor: Editor) -> None:
        await self._show(editor, (await self.world.image("pink", picture_file(colour="pink"))).id)

    async def _no_picture(self, editor: Editor) -> None:
        await self._show(editor, None)

    async def _show(self, editor: Editor, image: str | None) -> None:
        draft = await editor.draft(self._pick(self.pages))
        await editor.write(draft.sections[0].id, image=None if image is None else {"imageId": image})

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
            if "runs at its time" not in str(error):
                self._fail(f"step {self.steps}: {action} was approved and refused: {error}")
                self.scheduled.pop(action, None)
            return
        self._compare(before, self.scheduled.get(action), f"step {self.steps}, {action} at its time")
        if reply.action.state != "scheduled":
            self.scheduled.pop(action, None)


def _texts_of(snapshot: Any) -> Texts:
    texts = {"title": snapshot["title"], "slug": snapshot["slug"], "meta": snapshot["meta"]["description"] or ""}
    for section in snapshot["sections"]:
        for locale, content in section["contents"].items():
            for slot, value in content.items():
                texts[f"{section['id']} {locale} {slot}"] = value if isinstance(value, str) else json.dumps(value)
    return texts


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
