"""The draft of a document of which a site has one, in a transaction that edits it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.sections.contents import remove_section
from remit_cms.sections.moving import place_section
from remit_cms.storage.documents import find_single, make_document
from remit_cms.storage.parts import content_parts
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.singles import ItemsType, SingleType
from remit_cms.storage.snapshots import Snapshot, build_snapshot
from remit_cms.storage.tables import Page, PageSection, SectionContent
from remit_cms.storage.tokens import check_object_token, check_token
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import localize_content

_EMPTY: Final[tuple[JsonValue, ...]] = ("", [], {}, None)


class SingleDraft:
    """The draft of a document of which a site has one. What is written first makes the document.

    Args:
        edit: the transaction.
        single: which document it is.
        page: the document; None if there is none yet.
        state: what the transaction found in it.
    """

    def __init__(self, edit: Edit, single: SingleType, page: Page | None, state: Snapshot | None) -> None:
        self._edit, self._single, self.page = edit, single, page
        self._sections = {} if state is None else {each.id: each.contents for each in state.ordered_sections}
        self._locale = edit.default_locale if page is None else page.locale

    @classmethod
    async def open(cls, edit: Edit, single: SingleType, token: str | None) -> SingleDraft:
        """The draft that a caller edits, unless the document has changed since a token was given.

        Raises:
            ConflictError: it has changed.
            InvalidArgumentsError: the token is none of this document.
        """
        page = await find_single(edit, single.kind)
        if page is None:
            check_object_token(token, "", "", single.title)
            return cls(edit, single, None, None)
        await check_token(edit, page, token)
        return cls(edit, single, page, await build_snapshot(edit, page))

    def contents(self, locale: str) -> dict[str, Content]:
        """What was found in the sections, by their ids in order, as it is read in a language."""
        chain = (*self._edit.fallback_chain(locale), self._locale)
        return {section: localize_content(stored, chain).content for section, stored in self._sections.items()}

    async def write(self, section: str, values: Content, locale: str) -> tuple[str, list[str]]:
        """Store values in a section, or in a new one if it is not named. Return its id and the slots that changed.

        An empty value removes what is there. Values that are translated are in the language ``locale``.
        """
        stored, written = self._sections.get(section, {}), dict[str, Content]()
        for slot, value in values.items():
            code = locale if slot in self._single.translated else self._locale
            after = None if value in _EMPTY else value
            if stored.get(code, {}).get(slot) != after:
                written.setdefault(code, {})[slot] = after
        if written:
            section = section or await self._add_section()
        for code, changed in written.items():
            merged = {**stored.get(code, {}), **changed}
            content = {slot: value for slot, value in merged.items() if value is not None}
            await self._edit.session.merge(SectionContent(section=section, locale=code, content=content))
        await self._edit.session.flush()
        return section, [slot for changed in written.values() for slot in changed]

    def show(self, section: str, slots: Iterable[str], locale: str) -> None:
        """Tell the journal that the caller knows what it has given of a section, also what was there already."""
        codes = {slot: locale if slot in self._single.translated else self._locale for slot in slots}
        parts = [f"{part}/{slot}" for slot, code in codes.items() for part in content_parts([code], section)]
        if self.page is not None and parts:
            self._edit.show(self.page, *parts)

    async def place(self, section: str, position: int) -> bool:
        """Put a section at a place among all, and return whether it stood elsewhere."""
        return await place_section(self._edit, await self._edit.session.get_one(PageSection, section), position)

    async def remove(self, section: str) -> None:
        """Remove a section."""
        await remove_section(self._edit, await self._edit.session.get_one(PageSection, section))

    async def save(self, action: str, *fields: str) -> None:
        """Store what was written as the next revision.

        Raises:
            ConflictError: another changed it, since the conversation saw it.
        """
        await save_revision(self._edit, await self._make_page(), action, *fields)

    async def _make_page(self) -> Page:
        single = self._single
        self.page = self.page or await make_document(self._edit, single.kind, single.title, single.slug)
        return self.page

    async def _add_section(self) -> str:
        page, single = await self._make_page(), self._single
        row = PageSection(
            id=self._edit.new_id(single.item.noun) if isinstance(single, ItemsType) else page.id,
            page=page.id,
            definition=(await self._edit.find_definition(single.template, single.kind)).id,
            sort_order=len(self._sections),
        )
        self._edit.session.add(row)
        await self._edit.session.flush()
        return row.id
