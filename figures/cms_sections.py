"""The editors of a site who also add, move and delete sections, and put pages below others."""

from __future__ import annotations

from typing import Final

from apps.cms.tests.publishing.editing import Editor
from figures.cms_lists import LIST_STEPS, ListEditors
from figures.cms_model import LONGEST, Page, Values, addresses_of, follow, join, name_of
from remit_cms.pages.payloads import MovePage
from remit_cms.sections.payloads import AddSectionToPage, DeletePageSection, MoveSection

SECTION_STEPS: Final = (*LIST_STEPS, *(("section", "move_page") * 5))
"""The steps of `ListEditors`, and those of sections and of the places of pages."""

_MOST: Final = 8
"""So many sections has a page at most."""


class SectionEditors(ListEditors):
    """Editors of pages, their lists and their sections. Those that a page begins with stay on it."""

    async def _section(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice, "page")
        if page is None:
            return await self._create(editor, choice)
        order: list[str] = page.draft["_sections"]
        others = [each for each in order if each not in (page.section, page.faq)]
        place, which = choice // 5 % (len(order) + 1), choice // 11 % 6
        if not others and which > 1:
            which = 0
        match which:
            case 0:
                return await self._add_section(editor, page, choice, place)
            case 1:
                section = order[choice % len(order)]
                payload = MoveSection(page_section_id=section, sort_order=place)
                await self.world.sections.move_section(editor.call(), payload)
                rest = [each for each in order if each != section]
                rest.insert(place, section)
                return self._put_page(editor, page, {**page.draft, "_sections": rest})
            case 2:
                section, locale = others[choice % len(others)], ("en", "de")[choice // 2 % 2]
                text = self._next() + self._link(choice)
                await editor.write(section, locale, content=text)
                return self._put_page(editor, page, {**page.draft, f"{section} content {locale}": text})
            case 3:
                section = others[choice % len(others)]
                payload = DeletePageSection(page_section_id=section, confirmed=True)
                await self.world.sections.delete_page_section(editor.call(), payload)
                return self._put_page(editor, page, _without(page.draft, section))
            case _:
                target = self._alive(choice // 3, "page") or page
                in_both = [each for each in others if {f"{each} content en", f"{each} content de"} <= page.draft.keys()]
                moving = in_both or others
                return await self._transfer(editor, page, target, moving[choice % len(moving)], place)

    async def _add_section(self, editor: Editor, page: Page, choice: int, place: int) -> bool:
        order: list[str] = [*page.draft["_sections"]]
        if len(order) >= _MOST:
            return False
        text, locale = self._next() + self._link(choice), ("en", "de")[choice // 2 % 2]
        payload = AddSectionToPage(
            page_id=page.id, definition_id="text", content={"content": text}, sort_order=place, locale_code=locale
        )
        section = (await self.world.sections.add_section_to_page(editor.call(), payload)).section.id
        order.insert(place, section)
        self._put_page(editor, page, {**page.draft, "_sections": order, f"{section} content {locale}": text})
        if choice % 3:
            other, text = "de" if locale == "en" else "en", self._next()
            await editor.write(section, other, content=text)
            self._put_page(editor, page, {**page.draft, f"{section} content {other}": text})
        return True

    async def _transfer(self, editor: Editor, page: Page, target: Page, section: str, place: int) -> bool:
        order: list[str] = [*target.draft["_sections"]]
        if target is page or len(order) >= _MOST:
            return False
        payload = MoveSection(page_section_id=section, new_page_id=target.id, sort_order=place)
        moved = (await self.world.sections.move_section(editor.call(), payload)).section.id
        texts = {
            f"{moved} {name.partition(' ')[2]}": text
            for name, text in page.draft.items()
            if name.startswith(f"{section} ")
        }
        self._put_page(editor, page, _without(page.draft, section))
        order.insert(place, moved)
        return self._put_page(editor, target, {**target.draft, "_sections": order, **texts})

    async def _move_page(self, editor: Editor, choice: int) -> bool:
        page, parent = self._alive(choice, "page"), self._alive(choice // 3, "page") if choice % 3 else None
        if page is None:
            return False
        before = addresses_of(page.draft)
        above = {} if parent is None else addresses_of(parent.draft)
        if f"{above.get('en', '')}/".startswith(f"{before['en']}/"):
            return False
        after = {locale: join(above.get(locale, ""), name_of(slug)) for locale, slug in before.items()}
        moving = [each for each in self.pages if each is page or self._stands_below(each, before["en"])]
        moved = [follow(each.draft, before, after) for each in moving]
        if max(len(slug) for values in moved for slug in addresses_of(values).values()) > LONGEST:
            return False
        payload = MovePage(page_id=page.id, parent_id="/" if parent is None else parent.id)
        await self.world.pages.move_page(editor.call(), payload)
        self._put_page(editor, page, follow(page.draft, before, after))
        self._follow(editor, page, before)
        return True

    def _put_page(self, editor: Editor, page: Page, values: Values) -> bool:
        """Add a revision of a page, if that differs from its draft."""
        if values != page.draft:
            page.add(values, self._set_of(editor))
        return True


def _without(values: Values, section: str) -> Values:
    """The values of a page without a section."""
    kept = {name: value for name, value in values.items() if name.split(" ")[0] != section}
    return {**kept, "_sections": [each for each in values["_sections"] if each != section]}
