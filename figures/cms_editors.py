"""Two editors and a publisher of one site, step by step beside a model: what drafts say, and what visitors see."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from figures.cms_model import FIELDS, ORDERS, Page, Values, addresses_of, find_errors, follow, join
from figures.cms_sets import SetModel
from remit.errors import ConflictError, RemitError
from remit_cms.pages.payloads import CopyPage, PageView
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage, RestorePage, RevertChangeSet, RevertPage

STEPS: Final = (
    *(("edit",) * 8),
    *(("publish_set", "adopt", "revert_set") * 2),
    *("create", "copy", "publish_page", "unpublish", "revert_page", "discard", "delete", "restore", "let_go"),
)
PEOPLE: Final = ("ann", "ann", "ann", "bob", "bob", "bob", "pat")
_CHOSEN: Final = {"edit", "revert_page", "edit_entry", "set", "arrange", "list", "section", "move_page"}
_LOOSE: Final = re.compile(r"cannot go live at /(?P<german>de/)?(?P<above>\S+)/[^/\s]+: (?:no page|for visitors)")
"""The steps that write what the editor chose, to a document that there is."""
_CONVERSATIONS: Final = {"ann": "monday", "bob": "tuesday", "pat": ""}


def _sections_of(view: PageView) -> tuple[str, str]:
    """The section of a page with a text, and the one with a list."""
    text, faq = view.sections
    return text.id, faq.id


class Editors(SetModel):
    """A site, its model, and what they disagree about. ``asked`` is what approvers were shown in the last step."""

    def __init__(self, world: World, path: Path) -> None:
        super().__init__()
        self.world, self._path = world, path
        self.people = {name: Editor(world, name, _CONVERSATIONS[name]) for name in _CONVERSATIONS}
        self.adopted: set[str] = set()
        self.steps = 0
        self.accepted = Counter[str]()
        self.failures: list[str] = []
        self.refused_as_stale = 0
        self._written: dict[tuple[str, str], Values] = {}
        self._writers: dict[str, list[str]] = {}
        self._following: set[str] = set()
        self._count = 0

    async def step(self, name: str, who: str, choice: int) -> None:
        """Do one step in both, and compare them."""
        self.steps += 1
        self._following.clear()
        shown = len(self.failures)
        try:
            done = await getattr(self, f"_{name}")(self.people[who], choice)
        except ConflictError as error:
            done = self._refuse_as_stale(who, error)
        self.accepted[name] += bool(done)
        self._find_overwritten(name, who)
        self._compare(f"step {self.steps}, {name} by {who}")
        del self.failures[shown + 3 :]

    def _refuse_as_stale(self, who: str, error: ConflictError) -> bool:
        """A refusal that says what changed: another has written to some document after this editor did."""
        if " is not edited: it is to be " in str(error) or _LOOSE.search(str(error)):
            return self._refused(not self._leaving(self.open.get(who)), error)
        self.refused_as_stale += 1
        known = "has changed since it was read" in str(error) and bool(_CONVERSATIONS[who])
        others = any(who in each and {*each[each.index(who) :]} != {who} for each in self._writers.values())
        self._claim(known and others, f"refused without need: {error}")
        # It was shown what changed. What it knows by now is more than what it wrote.
        self._written = {key: values for key, values in self._written.items() if key[0] != who}
        return False

    def _find_overwritten(self, step: str, who: str) -> None:
        """What the step wrote over that another had written since this editor last wrote to the same document."""
        for page in self.pages:
            writers = self._writers.setdefault(page.id, [])
            if len(writers) == page.number:
                continue
            old, new = page.values(len(writers)) or {}, page.draft
            changed = {name: new.get(name) for name in {*old, *new} - ORDERS if old.get(name) != new.get(name)}
            if step in _CHOSEN and _CONVERSATIONS[who] and page.id not in self._following:
                mine = self._written.get((who, page.id), {})
                over = [name for name in changed if name in mine and mine[name] != old.get(name)]
                goes = any(each is page for each, _ in self._leaving(self.open.get(who)))
                self._claim(not goes, f"{who} edited {page.id}, which is to go with the set of the conversation")
                self._claim(not over, f"{who} overwrote {over} of {page.id}, which another had changed")
            self._written[who, page.id] = changed if new else {}  # a deletion writes nothing over
            writers += [who] * (page.number - len(writers))

    def _set_of(self, editor: Editor) -> str | None:
        """The open set of an editor's conversation, which a write opens."""
        if not editor.conversation:
            return None
        if editor.name not in self.open:
            self.open[editor.name] = self._make_set()
        return self.open[editor.name]

    def _alive(self, choice: int, *kinds: str) -> Page | None:
        pages = [page for page in self.pages if page.revisions[-1] is not None and page.kind in (kinds or (page.kind,))]
        return pages[choice % len(pages)] if pages else None

    def _next(self) -> str:
        self._count += 1
        return f"v{self._count}"

    async def _create(self, editor: Editor, _choice: int) -> bool:
        text = self._next()
        view = await editor.create(text, ("text", {"content": text}), ("faq", {}))
        values: Values = {**dict.fromkeys(FIELDS), "title": text, "slug": text, "en": text, "_items": []}
        page = Page(view.id, *_sections_of(view))
        values["_sections"] = [*_sections_of(view)]
        page.add(values, self._set_of(editor))
        self.pages.append(page)
        return True

    async def _copy(self, editor: Editor, choice: int) -> bool:
        source = self._alive(choice, "page")
        if source is None:
            return False
        text = self._next()
        payload = CopyPage(page_id=source.id, title=text)
        reply = await self.world.pages.copy_page(editor.call(), payload)
        view, sections = reply.page, reply.sections or []
        order: list[str] = source.draft["_sections"]
        self._claim(len(sections) == len(order), f"the copy of {source.id} has {len(sections)} sections")
        if self.failures:
            return True
        ids = dict(zip(order, (each.id for each in sections), strict=True))
        page = Page(view.id, ids[source.section], ids[source.faq])
        page.given.update(source.draft["_items"])
        contents: Values = {
            " ".join([ids.get(first, first), *rest]): value
            for name, value in source.draft.items()
            if name in {"en", "de"} or name not in FIELDS
            for first, *rest in [name.split(" ")]
        }
        contents["_sections"] = [*ids.values()]
        page.add({**dict.fromkeys(FIELDS), "title": text, "slug": text, **contents}, self._set_of(editor))
        self.pages.append(page)
        return True

    async def _edit(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice, "page")
        if page is None:
            return await self._create(editor, choice)
        name, text = FIELDS[choice % len(FIELDS)], self._next()
        if name in {"en", "de"}:
            text += self._link(choice)
            await editor.write(page.section, name, content=text)
        elif name.endswith(" de"):
            await editor.update(page.id, locale_code="de", **{name.removesuffix(" de"): text})
        else:
            await editor.update(page.id, **{name: {"description": text} if name == "meta" else text})
        before = addresses_of(page.draft)
        if name in {"slug", "slug de"}:
            text = join(before["de" if name == "slug de" else "en"].rpartition("/")[0], text)
        page.add({**page.draft, name: text}, self._set_of(editor))
        self._follow(editor, page, before)
        return True

    def _stands_below(self, page: Page, address: str) -> bool:
        return page.kind == "page" and page.draft.get("slug", "").startswith(f"{address}/")

    def _follow(self, editor: Editor, page: Page, before: dict[str, str]) -> None:
        """Give the pages below a page, which had other addresses before, theirs."""
        after = addresses_of(page.draft)
        for each in self.pages if after != before else ():
            if each is not page and self._stands_below(each, before["en"]):
                values = follow(each.draft, before, after)
                self._following.add(each.id)
                if values != each.draft:
                    each.add(values, self._set_of(editor))

    def _link(self, choice: int) -> str:
        target = self._alive(choice // 7, "page", "entry")
        return f" [more]({target.kind}:{target.id})" if target and choice % 2 else ""

    async def _publish_page(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice)
        if page is None or page.values(page.number) == (page.values(page.live) if page.live else page.beginning):
            return False
        preview = await editor.publishing.preview_publication(editor.call(), PublishPage(page_id=page.id))
        self._check_shown(preview.changes, [(page.values(page.live), page.draft)])
        await editor.publish_page(page.id)
        made = self._make_published()
        self._claim_waiting(page, {made})
        page.move(page.number, made)
        return True

    async def _unpublish(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice)
        if page is None or page.live is None:
            return False
        await editor.unpublish_page(page.id)
        page.move(None, self._make_published())
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
        page = self._alive(choice, "page")
        if page is None or choice % 2:
            return False
        await editor.delete(page.id)
        return self._gone(page)

    def _gone(self, page: Page) -> bool:
        made = self._make_published()
        if page.live is not None:
            page.move(None, made)
        page.add(None, made)
        return True

    async def _let_go(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice, "page", "entry")
        if page is None or not editor.conversation:
            return False
        how = ("delete", "hide", "none")[choice % 3]
        allowed = page.live is not None or how == "none"
        try:
            await editor.remove(page.id, how)
        except RemitError as error:
            return self._refused(allowed, error)
        self._claim(allowed, "what visitors do not see is to go with a set")
        removals = self.removals.setdefault(self._set_of(editor) or "", {})
        removals.pop(page.id, None)
        if how != "none":
            removals[page.id] = how
        return True

    async def _restore(self, editor: Editor, choice: int) -> bool:
        gone = [page for page in self.pages if page.revisions[-1] is None]
        if not gone:
            return False
        page = gone[choice % len(gone)]
        allowed = page.kind in ("page", "entry") or self._alive(0, page.kind) is None
        try:
            await editor.trash.restore_page(editor.call(), RestorePage(page_id=page.id))
        except RemitError as error:
            return self._refused(allowed, error)
        self._claim(allowed, "the site has two documents of which it can have one")
        self._claim_waiting(page, page.claims.get(page.number, {""}))
        self._take_removals(page, None)
        page.add(dict(page.revisions[-2] or {}), self._set_of(editor))
        return True

    async def _publish_set(self, editor: Editor, _choice: int) -> bool:
        change_set = self.open.get(editor.name)
        leaving = {page.id for page, _ in self._leaving(change_set)}
        pages = [(page, numbers) for page, numbers in self._pending(change_set) if page.id not in leaving]
        moves = [(page, numbers, *self._lay(page, page.base, numbers)) for page, numbers in pages]
        differs = any(page.live is None or values != page.values(page.live) for page, _, values, _ in moves)
        allowed = (differs or bool(self._going(change_set))) and not any(is_missing for *_, is_missing in moves)
        try:
            preview = await editor.sets.preview_publication(editor.call(), PublishChangeSet())
            await editor.publish()
        except RemitError as error:
            return self._refused(allowed, error)
        self._claim(allowed, "edits were published without those that they build on")
        self._check_shown(preview.changes, [(page.values(page.live), values) for page, _, values, _ in moves])
        for page, numbers, values, _ in moves:
            page.move(page.show(values or {}, max(numbers), page.settled), change_set)
        self._remove_all(change_set or "")
        closed = self.open.pop(editor.name)
        for page in self.pages:
            if page.revisions[-1] is None:  # its edits belong to no set then
                for claims in page.claims.values():
                    claims.discard(closed)
        self.published.append(closed)
        return True

    async def _discard(self, editor: Editor, _choice: int) -> bool:
        change_set = self.open.get(editor.name)
        if change_set in self.adopted:
            return False  # with edits of others it is refused; tests have that
        rest: list[tuple[Page, Values | None, bool]] = []
        for page, _ in self._pending(change_set):
            rest.append((page, *self._lay(page, page.base, self._waiting(page, besides=change_set))))
        allowed = change_set is not None and not any(is_missing for *_, is_missing in rest)
        try:
            await editor.discard()
        except RemitError as error:
            return self._refused(allowed, error)
        self._claim(allowed, "a set was discarded though others have edited what it made")
        for page, values, _ in rest:
            if values is None:
                page.add(None, change_set)
            elif values != page.revisions[-1]:
                page.add(values, None, rebuilt=True)
        del self.open[editor.name]
        self.removals.pop(change_set or "", None)
        return True

    async def _revert_set(self, editor: Editor, choice: int) -> bool:
        if not self.published:
            return False
        change_set = self.published[choice % len(self.published)]
        steps = [step for page in self.pages for step in self._find_steps(page, change_set)]
        allowed = bool(steps) and all(is_allowed for *_, is_allowed in steps)
        try:
            payload = RevertChangeSet(change_set_id=change_set)
            preview = await editor.sets.preview_reversion(editor.call(), payload)
            await editor.revert(change_set)
        except RemitError as error:
            return self._refused(allowed, error)
        self._claim(allowed, "a later publication was reverted")
        self._check_shown(preview.changes, [(page.values(page.live), values) for page, _, values, _ in steps])
        self.published.remove(change_set)
        for page, _, values, _ in steps:
            self._undo(page, values)
        for page, before, values, _ in steps:
            page.move(None if values is None else page.show(values, before, self._kept(page, values)), "undo")
        return True

    async def _adopt(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice)
        if page is None or editor.name not in self.open or not self._waiting(page):
            return False
        await self._take_over(editor, page)
        return True

    async def _take_over(self, editor: Editor, page: Page) -> None:
        """Put what is unpublished of a page in the editor's set, which is open."""
        change_set = self.open[editor.name]
        await editor.add(page.id)
        self._claim_waiting(page, {change_set})
        self._take_removals(page, change_set)
        self.adopted.add(change_set)

    def _refused(self, allowed: bool, error: RemitError) -> bool:  # noqa: FBT001 - what the model says
        """Whether that is right.

        An editor does not edit what is to go with the set of the conversation. No address goes live below one that
        visitors do not have.
        """
        if " is not edited: it is to be " in str(error):
            allowed = not any(self._leaving(each) for each in self._open_sets)
        if loose := _LOOSE.search(str(error)):
            locale, above = ("de" if loose["german"] else "en"), loose["above"]
            live = (page.values(page.live) for page in self.pages if page.kind == "page" and page.live is not None)
            allowed = any(values and addresses_of(values)[locale] == above for values in live)
        self._claim(not allowed, f"refused without need: {error}")
        return False

    def _claim(self, holds: bool, failure: str) -> None:  # noqa: FBT001 - reads as a claim
        if not holds:
            self.failures.append(f"step {self.steps}: {failure}")

    def _check_shown(self, changes: Any, moves: list[tuple[Values | None, Values | None]]) -> None:
        """Whether approvers saw each value that visitors will see instead of another, with addresses in its links."""
        shown = {(_without_targets(change.before), _without_targets(change.after)) for change in changes}
        for before, after in moves:
            old, new = before or {}, after or {}
            differing = {
                (self._as_shown(old.get(name) or ""), self._as_shown(new.get(name) or ""))
                for name in {*old, *new} - ORDERS
                if old.get(name) != new.get(name)
            }
            self._claim(differing <= shown, f"approvers were not shown {sorted(differing - shown)}")

    def _as_shown(self, text: str) -> str:
        """What an approver reads of a value: the address of the page that it names, or else its text, in words."""
        if text in ("true", "false"):
            return "yes" if text == "true" else "no"
        if not text.startswith("{"):
            return _without_targets(text)
        ((kind, name),) = json.loads(text).items()
        named = (each.draft["slug"] for each in self.pages if each.id == name and each.revisions[-1] is not None)
        return next((f"/{slug}" for slug in named), name if kind == "url" else f"{kind}: {name}")

    def _compare(self, where: str) -> None:
        """Compare each document with the model."""
        with closing(sqlite3.connect(self._path)) as database:
            for page in self.pages:
                self.failures += [f"{where}: {error}" for error in find_errors(database, page)]


def _without_targets(text: str) -> str:
    """A text whose links lead nowhere: a draft names pages by id, and an approver reads their addresses."""
    return re.sub(r"\]\([^)]*\)", "]()", text)
