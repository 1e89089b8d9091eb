"""The operations on items in a document of which a site has one: the links of its navigation, or its redirects."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, TypeAlias, TypeVar

from pydantic import JsonValue

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import Candidate, Preview
from remit_cms.models import Content, WritePayload
from remit_cms.singles.drafts import SingleDraft
from remit_cms.singles.payloads import ItemReply, ItemView
from remit_cms.storage.database import Database
from remit_cms.storage.documents import draft_state, find_single, load_document, make_preview
from remit_cms.storage.missing import not_found
from remit_cms.storage.revisions import check_removal
from remit_cms.storage.scope import Scope
from remit_cms.storage.singles import ItemsType
from remit_cms.storage.snapshots import Snapshot, build_snapshot
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_trial, open_view

V = TypeVar("V", bound=ItemView)
R = TypeVar("R", bound=ItemReply)
T = TypeVar("T")

Prepare: TypeAlias = Callable[[Edit, Content, Content, Mapping[str, Content]], Awaitable[Content]]
"""Makes the values to store, by slot, of what a caller gives, of what is stored, and of the other items by id.

It refuses what no item may be. What is stored is as it is read in the language in which the caller writes.
"""

_FIELDS: Final = {"target": "href", "locale": "localeCode"}
"""What replies call the slots that parameters call otherwise."""


class Items(Generic[V, R]):
    """The items of one document on all sites, in its draft.

    Args:
        database: the database with the document.
        single: the document.
        reply: the reply to a write.
        prepare: see `Prepare`.
        show: the items in a state of the document, in a language.
        describe: an item with where it leads, in a sentence.
    """

    def __init__(
        self,
        database: Database,
        single: ItemsType,
        *,
        reply: type[R],
        prepare: Prepare,
        show: Callable[[Scope, Snapshot | None, str], Awaitable[Sequence[V]]],
        describe: Callable[[V], str],
    ) -> None:
        self._database, self._single = database, single
        self._reply, self._prepare, self._show, self._describe = reply, prepare, show, describe

    async def load(self, scope: Scope, locale: str | None = None) -> Sequence[V]:
        """All items, in order."""
        state = await load_document(scope, self._single.kind, live=False)
        return await self._show(scope, state, locale or scope.default_locale)

    async def write(
        self,
        ctx: LeafContext,
        payload: WritePayload,
        given: Mapping[str, JsonValue],
        *,
        item: str = "",
        position: int | None = None,
        locale: str | None = None,
    ) -> R:
        """Change an item, or add one if none is named: the values that are given and not None, and its place."""

        async def work(edit: Edit) -> R:
            draft, code = await self._open(edit, payload), edit.resolve_locale(locale)
            others, stored = draft.contents(code), Content()
            if item:
                stored = self._take(others, item)
            elif len(others) >= self._single.most:
                what = f"{self._single.most} {self._single.item.noun}s {self._single.item.place}".rstrip()
                raise ConflictError(f"The site has {what}, which is the most it can have.")
            wanted = Content({name: value for name, value in given.items() if value is not None})
            values = await self._prepare(edit, wanted, stored, others)
            written, slots = await draft.write(item, values, code)
            changed = [_FIELDS.get(slot, slot) for slot in slots]
            if position is not None and await draft.place(written, position):
                changed.append("position")
            if changed:
                await draft.save(f"{'update' if item else 'add'}_{self._single.item.noun}", "items")
            draft.show(written, values, code)
            view = await self._find(edit, written, locale)
            done = ("Changed" if item else "Added") if changed else "Like that already:"
            return self._reply(
                **self._name(view),
                changed=changed if item else None,
                remarks=[view.note] if view.note else None,
                token=give_token(payload, draft.page),
                message=f"{done} {self._describe(view)}",
            )

        return await edit_once(self._database, ctx, payload, self._reply, work)

    async def remove(self, ctx: LeafContext, payload: WritePayload, item: str) -> R:
        """Remove an item."""

        async def work(edit: Edit) -> R:
            draft, view = await self._open(edit, payload), await self._find(edit, item)
            await draft.remove(item)
            await draft.save(f"remove_{self._single.item.noun}", "items")
            message = f"Removed {self._describe(view)}"
            return self._reply(**self._name(view), token=give_token(payload, draft.page), message=message)

        return await edit_once(self._database, ctx, payload, self._reply, work)

    async def preview_removal(self, ctx: LeafContext, payload: WritePayload, item: str) -> Preview:
        """The item to remove, for the approver."""
        async with open_trial(self._database, ctx) as scope:
            view, page = await self._find(scope, item), await find_single(scope, self._single.kind)
            if page is not None:
                await check_token(scope, page, payload.if_unchanged)
                await check_removal(scope, page, item)
            return make_preview(self._describe(view), item, "" if page is None else draft_state(page))

    async def _open(self, edit: Edit, payload: WritePayload) -> SingleDraft:
        return await SingleDraft.open(edit, self._single, payload.if_unchanged)

    async def _find(self, scope: Scope, item: str, locale: str | None = None) -> V:
        return self._take({each.id: each for each in await self.load(scope, locale)}, item)

    def _name(self, view: V) -> dict[str, Any]:
        return view.model_dump(include={"id", "href", self._single.naming_slot})

    def _take(self, items: dict[str, T], item: str) -> T:
        if item not in items:
            raise not_found(self._single.item, item)
        return items.pop(item)


class ItemReferences:
    """Resolves references to the items of a document: by id, or by what people call one.

    Args:
        database: the database with the document.
        single: the document.
        to_name: the name that a text means, as items store it.
    """

    def __init__(
        self, database: Database, single: ItemsType, to_name: Callable[[Scope, str], str] = lambda _, text: text
    ) -> None:
        self._database, self._single, self._to_name = database, single, to_name

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """All items."""
        async with open_view(self._database, ctx) as scope:
            page, given = await find_single(scope, self._single.kind), text.strip()
            if page is None:
                return []
            sections = (await build_snapshot(scope, page)).ordered_sections
            slot, meant = self._single.naming_slot, self._to_name(scope, given)
            names = {each.id: str(each.contents.get(page.locale, {}).get(slot, "")) for each in sections}
            return [
                Candidate(item, name, str(page.revision), (given,) if name == meant else ())
                for item, name in names.items()
            ]
