"""Two editors and a publisher of one site, step by step beside a model: what drafts say, and what visitors see."""

from __future__ import annotations

import json
import random
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import RemitError
from remit_cms.pages.payloads import CopyPage
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage, RestorePage, RevertChangeSet, RevertPage

Values = dict[str, Any]
STEPS: Final = (
    *(("edit",) * 8),
    *(("publish_set", "adopt", "revert_set") * 2),
    *("create", "copy", "publish_page", "unpublish", "revert_page", "discard", "delete", "restore"),
)
FIELDS: Final = ("title", "meta", "slug", "en", "de", "title de", "slug de")

PEOPLE: Final = ("ann", "ann", "ann", "bob", "bob", "bob", "pat")
_CONVERSATIONS: Final = {"ann": "monday", "bob": "tuesday", "pat": ""}


@dataclass
class Page:
    """A page in the model: its revisions, their change sets, and the live one. None in place of values is deleted."""

    id: str
    section: str
    revisions: list[Values | None] = field(default_factory=list[Values | None])
    sets: list[str | None] = field(default_factory=list[str | None])
    live: int | None = None
    moves: list[tuple[int | None, int | None, str | None]] = field(
        default_factory=list[tuple[int | None, int | None, str | None]]
    )

    @property
    def number(self) -> int:
        """The newest revision."""
        return len(self.revisions)

    def values(self, number: int | None) -> Values | None:
        """What a revision says; nothing where there is none."""
        return None if not number else self.revisions[number - 1]

    def add(self, values: Values | None, change_set: str | None) -> None:
        """Add a revision."""
        self.revisions.append(values)
        self.sets.append(change_set)

    def move(self, revision: int | None, change_set: str | None = None) -> None:
        """Move the live pointer."""
        self.moves.append((self.live, revision, change_set))
        self.live = revision


class Editors:
    """A site, its model, and what they disagree about. ``asked`` is what approvers were shown in the last step."""

    def __init__(self, world: World, path: Path) -> None:
        self.world, self._path = world, path
        self.people = {name: Editor(world, name, _CONVERSATIONS[name]) for name in _CONVERSATIONS}
        self.pages: list[Page] = []
        self.open: dict[str, str] = {}
        self.published: list[str] = []
        self.steps = 0
        self.accepted = Counter[str]()
        self.failures: list[str] = []
        self._count = self._sets = 0

    async def step(self, name: str, who: str, choice: int) -> None:
        """Do one step in both, and compare them."""
        self.steps += 1
        shown = len(self.failures)
        done = await getattr(self, f"_{name}")(self.people[who], choice)
        self.accepted[name] += bool(done)
        self._compare(f"step {self.steps}, {name} by {who}")
        del self.failures[shown + 3 :]

    def _set_of(self, editor: Editor) -> str | None:
        """The open set of an editor's conversation, which a write opens."""
        if not editor.conversation:
            return None
        if editor.name not in self.open:
            self._sets += 1
            self.open[editor.name] = f"set_{self._sets}"
        return self.open[editor.name]

    def _alive(self, choice: int) -> Page | None:
        pages = [page for page in self.pages if page.revisions[-1] is not None]
        return pages[choice % len(pages)] if pages else None

    def _next(self) -> str:
        self._count += 1
        return f"v{self._count}"

    async def _create(self, editor: Editor, _choice: int) -> bool:
        text = self._next()
        view = await editor.create(text, ("text", {"content": text}))
        values = {**dict.fromkeys(FIELDS), "title": text, "slug": text, "en": text}
        page = Page(view.id, view.sections[0].id)
        page.add(values, self._set_of(editor))
        self.pages.append(page)
        return True

    async def _copy(self, editor: Editor, choice: int) -> bool:
        source = self._alive(choice)
        if source is None:
            return False
        text = self._next()
        payload = CopyPage(page_id=source.id, title=text)
        view = (await self.world.pages.copy_page(editor.call(), payload)).page
        page = Page(view.id, view.sections[0].id)
        contents = {name: (source.revisions[-1] or {})[name] for name in ("en", "de")}
        page.add({**dict.fromkeys(FIELDS), "title": text, "slug": text, **contents}, self._set_of(editor))
        self.pages.append(page)
        return True

    async def _edit(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice)
        if page is None:
            return await self._create(editor, choice)
        name, text = FIELDS[choice % len(FIELDS)], self._next()
        if name in {"en", "de"}:
            target = self._alive(choice // 7)
            text += f" [more](page:{target.id})" if target and choice % 2 else ""
            await editor.write(page.section, name, content=text)
        elif name.endswith(" de"):
            await editor.update(page.id, locale_code="de", **{name.removesuffix(" de"): text})
        else:
            await editor.update(page.id, **{name: {"description": text} if name == "meta" else text})
        page.add({**(page.revisions[-1] or {}), name: text}, self._set_of(editor))
        return True

    async def _publish_page(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice)
        if page is None or page.values(page.number) == page.values(page.live):
            return False
        preview = await editor.publishing.preview_publication(editor.call(), PublishPage(page_id=page.id))
        self._check_shown(preview.changes, [(page, page.number)])
        await editor.publish_page(page.id)
        page.move(page.number)
        return True

    async def _unpublish(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice)
        if page is None or page.live is None:
            return False
        await editor.unpublish_page(page.id)
        page.move(None)
        return True

    async def _revert_page(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice)
        if page is None:
            return False
        number = choice % page.number + 1
        values = page.values(number)
        if values is None:
            return False
        await editor.history.revert_page(editor.call(), RevertPage(page_id=page.id, revision=number))
        if values != page.revisions[-1]:
            page.add(dict(values), self._set_of(editor))
        return True

    async def _delete(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice)
        if page is None or choice % 2:
            return False
        await editor.delete(page.id)
        if page.live is not None:
            page.move(None)
        page.add(None, self._set_of(editor))
        return True

    async def _restore(self, editor: Editor, choice: int) -> bool:
        gone = [page for page in self.pages if page.revisions[-1] is None]
        if not gone:
            return False
        page = gone[choice % len(gone)]
        await editor.trash.restore_page(editor.call(), RestorePage(page_id=page.id))
        page.add(dict(page.revisions[-2] or {}), self._set_of(editor))
        return True

    async def _publish_set(self, editor: Editor, _choice: int) -> bool:
        change_set = self.open.get(editor.name)
        moves = self._unpublished(change_set)
        allowed = bool(moves) and all(self._is_own(page, last, change_set) for page, _, last in moves)
        try:
            preview = await editor.sets.preview_publication(editor.call(), PublishChangeSet())
            await editor.publish()
        except RemitError as error:
            return self._refused(allowed, error)
        self._claim(allowed, "edits of others were published with a set")
        self._check_shown(preview.changes, [(page, last) for page, _, last in moves])
        for page, _, last in moves:
            page.move(last, change_set)
        self.published.append(self.open.pop(editor.name))
        return True

    async def _discard(self, editor: Editor, _choice: int) -> bool:
        change_set = self.open.get(editor.name)
        pages = self._unpublished(change_set)
        allowed = change_set is not None and all(set(page.sets[first:]) <= {change_set} for page, first, _ in pages)
        try:
            await editor.discard()
        except RemitError as error:
            return self._refused(allowed, error)
        self._claim(allowed, "a set was discarded over the edits of others")
        for page, first, _ in pages:
            values = page.values(first - 1)
            if values is None:
                page.add(None, None)
            elif values != page.revisions[-1]:
                page.add(dict(values), None)
        self.open.pop(editor.name, None)
        return True

    async def _revert_set(self, editor: Editor, choice: int) -> bool:
        if not self.published:
            return False
        change_set = self.published[choice % len(self.published)]
        pages = [page for page in self.pages if any(move[2] == change_set for move in page.moves)]
        pages = [page for page in pages if page.revisions[-1] is not None]
        allowed = all(page.moves[-1][2] == change_set for page in pages)
        try:
            payload = RevertChangeSet(change_set_id=change_set)
            preview = await editor.sets.preview_reversion(editor.call(), payload)
            await editor.revert(change_set)
        except RemitError as error:
            return self._refused(allowed, error)
        self._claim(allowed, "a later publication was reverted")
        self._check_shown(preview.changes, [(page, page.moves[-1][0]) for page in pages])
        for page in pages:
            before = page.moves[-1][0]
            values = page.values(before)
            if before is not None and page.number == page.live:
                if values != page.revisions[-1]:
                    page.add(dict(values or {}), None)
                before = page.number
            page.move(before, f"undo of {change_set}")
        self.published.remove(change_set)
        return True

    async def _adopt(self, editor: Editor, choice: int) -> bool:
        page, change_set = self._alive(choice), self.open.get(editor.name)
        if page is None or change_set is None or page.number <= (page.live or 0):
            return False
        await editor.add(page.id)
        page.sets[page.live or 0 :] = [change_set] * (page.number - (page.live or 0))
        return True

    def _unpublished(self, change_set: str | None) -> list[tuple[Page, int, int]]:
        """The pages with unpublished revisions of a set, and the first and last of these."""
        found: list[tuple[Page, int, int]] = []
        for page in self.pages:
            newer = range((page.live or 0) + 1, page.number + 1)
            own = [number for number in newer if page.sets[number - 1] == change_set]
            if change_set is not None and own and page.revisions[-1] is not None:
                found.append((page, own[0], own[-1]))
        return found

    def _is_own(self, page: Page, last: int, change_set: str | None) -> bool:
        """Whether a revision holds edits of the set alone, beside what is live."""
        for number in range(last, page.live or 0, -1):
            if page.live is not None and page.values(number) == page.values(page.live):
                return True
            if page.sets[number - 1] != change_set:
                return False
        return True

    def _refused(self, allowed: bool, error: RemitError) -> bool:  # noqa: FBT001 - what the model says
        self._claim(not allowed, f"refused without need: {error}")
        return False

    def _claim(self, holds: bool, failure: str) -> None:  # noqa: FBT001 - reads as a claim
        if not holds:
            self.failures.append(f"step {self.steps}: {failure}")

    def _check_shown(self, changes: Any, moves: list[tuple[Page, int | None]]) -> None:
        """Whether approvers saw each value that visitors will see instead of another."""
        shown = {(change.before, change.after) for change in changes}
        for page, number in moves:
            old, new = page.values(page.live) or {}, page.values(number) or {}
            differing = {
                (old.get(name) or "", new.get(name) or "") for name in FIELDS if old.get(name) != new.get(name)
            }
            self._claim(differing <= shown, f"approvers were not shown {sorted(differing - shown)}")

    def _compare(self, where: str) -> None:
        """Compare the draft, all revisions and the live page of each page with the model."""
        with closing(sqlite3.connect(self._path)) as database:
            for page in self.pages:
                row = database.execute("SELECT revision, live, slug FROM pages WHERE id = ?", (page.id,)).fetchone()
                deleted = page.revisions[-1] is None
                self._claim((row is None) == deleted, f"{where}: {page.id} is there or gone")
                query = "SELECT number, snapshot FROM revisions WHERE page = ? ORDER BY number"
                kept = {number: _values_of(json.loads(text)) for number, text in database.execute(query, (page.id,))}
                for number, values in enumerate(page.revisions, start=1):
                    lost = values is not None and kept.get(number) != values
                    self._claim(
                        not lost, f"{where}: revision {number} of {page.id} is {kept.get(number)}, not {values}"
                    )
                if row is None or deleted:
                    continue
                self._claim(row[0] == page.number == max(kept), f"{where}: {page.id} is at revision {row[0]}")
                self._claim(row[1] == page.live, f"{where}: visitors see {row[1]} of {page.id}, not {page.live}")
                links = {(bool(live), target) for live, target in database.execute(_LINKS, (page.id,))}
                linked = _links_of(page.values(page.number), live=False) | _links_of(page.values(page.live), live=True)
                self._claim(links == linked, f"{where}: {page.id} links to {links}, not {linked}")
                draft = _draft_of(database, page)
                self._claim(draft == page.revisions[-1], f"{where}: the draft of {page.id} is {draft}")


_LINKS: Final = "SELECT live, target FROM links WHERE source = ?"


def _links_of(values: Values | None, *, live: bool) -> set[tuple[bool, str]]:
    """The pages to which the texts of a draft or of a live page link."""
    texts = [(values or {}).get(name) or "" for name in ("en", "de")]
    return {(live, target) for text in texts for target in re.findall(r"page:(\w+)", text)}


def _values_of(snapshot: Any) -> Values:
    contents: dict[str, dict[str, Any]] = snapshot["sections"][0]["contents"] if snapshot["sections"] else {}
    return {
        "title": snapshot["title"],
        "meta": snapshot["meta"]["description"],
        "slug": snapshot["slug"],
        "title de": (german := snapshot.get("translations", {}).get("de", {})).get("title"),
        "slug de": german.get("slug"),
        "en": contents.get("en", {}).get("content"),
        "de": contents.get("de", {}).get("content"),
    }


def _draft_of(database: sqlite3.Connection, page: Page) -> Values:
    query = "SELECT title, meta_description, slug FROM pages WHERE id = ?"
    title, meta, slug = database.execute(query, (page.id,)).fetchone()
    query = "SELECT title, slug FROM page_translations WHERE page = ? AND locale = 'de'"
    german = database.execute(query, (page.id,)).fetchone() or (None, None)
    query = "SELECT locale, content FROM page_section_contents WHERE section = ?"
    contents = {locale: json.loads(text).get("content") for locale, text in database.execute(query, (page.section,))}
    return dict(zip(FIELDS, (title, meta, slug, contents.get("en"), contents.get("de"), *german), strict=True))


async def run_schedule(folder: Path, seed: int, steps: int) -> Editors:
    """Random steps of all people on a new site."""
    rng = random.Random(seed)
    world = World(folder)
    editors = Editors(world, folder / "cms.db")
    for _ in range(steps):
        await editors.step(rng.choice(STEPS), rng.choice(PEOPLE), rng.randrange(1_000))
        if editors.failures:
            break
    await world.database.close()
    return editors
