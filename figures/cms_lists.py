"""The editors of a site with lists: they add, change, move and remove items in two languages."""

from __future__ import annotations

from typing import Final

from apps.cms.tests.publishing.editing import Editor
from figures.cms_editors import STEPS, Editors
from figures.cms_model import LIST
from remit_cms.sections.payloads import (
    AddListItem,
    MoveListItem,
    RemoveListItem,
    UpdateListItem,
    UpdateSectionContent,
)

LIST_STEPS: Final = (*STEPS, *(("list",) * 6))
"""The steps of `Editors`, and those of lists."""

_FIELDS: Final = (("question", "en"), ("answer", "de"), ("answer", "en"), ("question", "de"))


class ListEditors(Editors):
    """Editors of pages and the items of their lists."""

    async def _list(self, editor: Editor, choice: int) -> bool:
        page = self._alive(choice, "page")
        if page is None:
            return await self._create(editor, choice)
        values, order, call = page.draft, [*page.draft["_items"]], editor.call()
        field, locale = _FIELDS[choice // 3 % len(_FIELDS)]
        text = self._next() + (self._link(choice) if field == "answer" else "")
        place, last = choice // 5 % (len(order) + 1), bool(choice % 2)
        item = order[choice % len(order)] if order else ""
        named = {"page_section_id": page.faq, "item_id": item}
        items = self.world.sections.items
        match choice // 11 % 6 if order else 0:
            case 0 | 1:
                added = AddListItem(
                    page_section_id=page.faq,
                    item={field: text},
                    locale_code=locale,
                    position=None if last else place,
                )
                item = (await items.add_list_item(call, added)).item_id
                order.insert(len(order) if last else place, item)
                values[f"{item} {field} {locale}"] = text
                self._claim(item not in page.given, f"the id {item} is given again")
            case 2:
                changed = UpdateListItem.model_validate({**named, "item": {field: text}, "locale_code": locale})
                await items.update_list_item(call, changed)
                values[f"{item} {field} {locale}"] = text
            case 3:
                written = {"page_section_id": page.faq, "content": {LIST: [{"id": item, field: text}]}}
                content = UpdateSectionContent.model_validate({**written, "locale_code": locale})
                await self.world.sections.update_section_content(call, content)
                values[f"{item} {field} {locale}"] = text
            case 4:
                await items.move_list_item(call, MoveListItem.model_validate({**named, "position": place}))
                order.remove(item)
                order.insert(place, item)
            case _:
                await items.remove_list_item(call, RemoveListItem.model_validate(named))
                order.remove(item)
                values = {name: value for name, value in values.items() if name.split(" ")[0] != item}
        page.given.update(order)
        values["_items"] = order
        if values != page.draft:
            page.add(values, self._set_of(editor))
        return True
