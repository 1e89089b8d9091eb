"""Replies of writes say what became of them, and repeat no text that the caller wrote."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from pydantic import BaseModel

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.world import World
from remit_cms.images.payloads import UpdateImage, UploadImage
from remit_cms.pages.payloads import CopyPage, CreatePage, Meta, TranslatePage, UpdatePage
from remit_cms.sections.payloads import (
    AddListItem,
    AddSectionToPage,
    MoveSection,
    SectionInput,
    UpdateListItem,
    UpdateSectionContent,
)

TEXT = "Our bread is baked at night. "
LONG = TEXT * 200
MOST = 500
"""Most characters of such a reply about one object with a short name."""


async def create(world: World) -> BaseModel:
    sections = [SectionInput(definition_id="text", content={"content": LONG})]
    return await world.pages.create_page(world.call(), CreatePage(title="New", sections=sections))


async def update(world: World) -> BaseModel:
    meta = Meta(title=TEXT, description=TEXT * 10)
    return await world.pages.update_page(world.call(), UpdatePage(page_id="about", meta=meta))


async def translate(world: World) -> BaseModel:
    payload = TranslatePage(page_id="about", locale_code="de", title="Wir", meta=Meta(description=TEXT * 10))
    return await world.pages.translate_page(world.call(), payload)


async def copy(world: World) -> BaseModel:
    return await world.pages.copy_page(world.call(), CopyPage(page_id="about", title="Copy"))


async def add_section(world: World) -> BaseModel:
    payload = AddSectionToPage(page_id="about", definition_id="text", content={"content": LONG})
    return await world.sections.add_section_to_page(world.call(), payload)


async def write_section(world: World) -> BaseModel:
    payload = UpdateSectionContent(page_section_id="section_1", content={"content": LONG})
    return await world.sections.update_section_content(world.call(), payload)


async def move_section(world: World) -> BaseModel:
    return await world.sections.move_section(world.call(), MoveSection(page_section_id="section_1", sort_order=1))


async def add_item(world: World) -> BaseModel:
    payload = AddListItem(page_section_id="section_2", item={"question": "When?", "answer": LONG})
    return await world.sections.items.add_list_item(world.call(), payload)


async def update_item(world: World) -> BaseModel:
    payload = UpdateListItem(page_section_id="section_2", item_id="i1", item={"answer": LONG})
    return await world.sections.items.update_list_item(world.call(), payload)


async def upload(world: World) -> BaseModel:
    file = await world.files.add(picture_file(), name="loaf.png")
    return await world.images.upload_image(world.call(), UploadImage(file=file, alt_text=TEXT, caption=TEXT * 10))


async def change_image(world: World) -> BaseModel:
    await world.image("A loaf")
    return await world.images.update_image(world.call(), UpdateImage(image_id="image_1", alt_text=TEXT, caption=TEXT))


WRITES: list[Callable[[World], Awaitable[BaseModel]]] = [
    *(create, update, translate, copy, add_section, write_section, move_section),
    *(add_item, update_item, upload, change_image),
]


@pytest.mark.parametrize("write", WRITES, ids=[write.__name__ for write in WRITES])
async def test_a_write_answers_in_short_without_the_texts_that_it_was_given(
    world: World, write: Callable[[World], Awaitable[BaseModel]]
) -> None:
    await world.page("About", ("text", {"content": LONG + "!"}), ("faq", {"questions": [{"question": "Who?"}]}))
    reply = (await write(world)).model_dump_json(by_alias=True)
    assert TEXT.strip() not in reply
    assert len(reply) <= MOST
