"""Keyed writes: once per key, within a tenant, whole or not at all."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import select

from apps.cms.tests.world import World
from remit.errors import ConflictError, IdempotencyError, NotFoundError
from remit_cms.models import Content
from remit_cms.pages.payloads import CreatePage, CreatePageWithContent, DeletePage, UpdatePage
from remit_cms.sections.payloads import (
    AddSectionToPage,
    DeletePageSection,
    GetSectionContent,
    SectionInput,
    UpdateSectionContent,
)
from remit_cms.storage.tables import Revision

HERO: tuple[str, Content] = ("hero", {"heading": "We bake bread"})


async def test_a_key_that_comes_again_gives_the_same_reply_and_writes_nothing(world: World) -> None:
    payload = CreatePage(title="About")
    first = await world.pages.create_page(world.call(key="k"), payload)
    before = await world.rows()
    assert await world.pages.create_page(world.call(key="k"), payload) == first
    assert await world.rows() == before


async def test_every_write_is_keyed(world: World) -> None:
    page = await world.page("About", HERO, HERO)
    first, second = (section.id for section in page.sections)

    async def all_of_them() -> list[object]:
        pages, sections = world.pages, world.sections
        return [
            await pages.create_page_with_content(
                world.call(key="a"),
                CreatePageWithContent(title="More", sections=[SectionInput(definition_id="text")]),
            ),
            await pages.update_page(world.call(key="b"), UpdatePage(page_id=page.id, title="About us")),
            await sections.add_section_to_page(
                world.call(key="c"), AddSectionToPage(page_id=page.id, definition_id="quote")
            ),
            await sections.update_section_content(
                world.call(key="d"), UpdateSectionContent(page_section_id=first, content={"heading": "New"})
            ),
            await sections.delete_page_section(
                world.call(key="e"), DeletePageSection(page_section_id=second, confirmed=True)
            ),
            await pages.delete_page(world.call(key="f"), DeletePage(page_id="page_2", confirmed=True)),
        ]

    once = await all_of_them()
    before = await world.rows()
    assert await all_of_them() == once
    assert await world.rows() == before


async def test_a_key_with_another_payload_is_refused(world: World) -> None:
    await world.pages.create_page(world.call(key="k"), CreatePage(title="About"))
    with pytest.raises(IdempotencyError):
        await world.pages.create_page(world.call(key="k"), CreatePage(title="Contact"))


async def test_a_key_with_another_operation_is_refused(world: World) -> None:
    page = await world.page()
    await world.pages.update_page(world.call(key="k"), UpdatePage(page_id=page.id, title="About us"))
    with pytest.raises(IdempotencyError):
        await world.pages.delete_page(world.call(key="k"), DeletePage(page_id=page.id, confirmed=True))


async def test_the_order_of_fields_does_not_make_another_payload(world: World) -> None:
    page = await world.page("About", HERO)
    one: Content = {"heading": "A", "subheading": "B"}
    replies = [
        await world.sections.update_section_content(
            world.call(key="k"), UpdateSectionContent(page_section_id=page.sections[0].id, content=content)
        )
        for content in (one, dict(reversed(one.items())))
    ]
    assert replies[0] == replies[1]


async def test_two_tenants_may_use_one_key(world: World) -> None:
    mine = await world.pages.create_page(world.call(key="k"), CreatePage(title="Mine"))
    theirs = await world.pages.create_page(world.call(key="k", tenant="other"), CreatePage(title="Theirs"))
    assert (mine.page.title, theirs.page.title) == ("Mine", "Theirs")


class Crash(BaseException):
    """The process dies here."""


async def test_a_crash_anywhere_in_the_composite_leaves_nothing_and_the_same_key_then_works(world: World) -> None:
    payload = CreatePageWithContent(
        title="About",
        sections=[SectionInput(definition_id=key, content=content) for key, content in (HERO, HERO, HERO)],
    )
    before = await world.rows()
    for dies_at in ("page_1", "section_1", "section_2", "section_3"):
        world.ids.__init__()

        def die(made: str, at: str = dies_at) -> None:
            if made == at:
                raise Crash

        world.ids.watch = die
        with pytest.raises(Crash):
            await world.pages.create_page_with_content(world.call(key="k"), payload)
        assert await world.rows() == before
    world.ids.__init__()
    reply = await world.pages.create_page_with_content(world.call(key="k"), payload)
    assert len(reply.sections or []) == 3


async def test_a_composite_with_one_wrong_section_leaves_nothing(world: World) -> None:
    before = await world.rows()
    sections = [SectionInput(definition_id="hero"), SectionInput(definition_id="no-such-template")]
    with pytest.raises(NotFoundError, match="no-such-template"):
        await world.pages.create_page_with_content(
            world.call(), CreatePageWithContent(title="About", sections=sections)
        )
    assert await world.rows() == before


async def test_one_key_used_many_times_at_once_writes_once(world: World) -> None:
    payload = CreatePage(title="About")
    replies = await asyncio.gather(*(world.pages.create_page(world.call(key="k"), payload) for _ in range(8)))
    assert len({reply.model_dump_json() for reply in replies}) == 1
    assert (await world.rows())["pages"] == 1


async def test_of_two_writers_who_read_one_revision_one_is_told_of_the_other(world: World) -> None:
    page = await world.page("About", HERO)
    token = await world.token("about")

    async def write(field: str) -> str:
        payload = UpdateSectionContent(page_section_id=page.sections[0].id, content={field: "new"}, if_unchanged=token)
        try:
            return (await world.sections.update_section_content(world.call(), payload)).message
        except ConflictError as error:
            return str(error)

    outcomes = sorted(await asyncio.gather(write("heading"), write("subheading")))
    assert outcomes[0].startswith("'About' has changed since it was read, last by ann: hero / ")
    assert outcomes[1].startswith("Updated section hero")


async def test_writers_of_different_fields_lose_nothing(world: World) -> None:
    page = await world.page("About", HERO)
    section = page.sections[0].id
    await asyncio.gather(
        *(
            world.sections.update_section_content(
                world.call(), UpdateSectionContent(page_section_id=section, content={field: f"new {field}"})
            )
            for field in ("heading", "subheading", "content")
        )
    )
    reply = await world.sections.get_section_content(world.call(), GetSectionContent(page_section_id=section))
    assert reply.section.content == {
        "heading": "new heading",
        "subheading": "new subheading",
        "text": "new content",
    }
    assert reply.revision == 4


async def test_every_write_keeps_a_revision_that_says_who_and_what(world: World) -> None:
    page = await world.page("About", HERO)
    section = page.sections[0].id
    await world.sections.update_section_content(
        world.call(by="bob", run="run-2"),
        UpdateSectionContent(page_section_id=section, content={"heading": "Brot"}, locale_code="de"),
    )
    await world.pages.delete_page(world.call(by="cy", run="run-3"), DeletePage(page_id=page.id, confirmed=True))
    async with world.database.read() as session:
        kept = (await session.scalars(select(Revision).order_by(Revision.number))).all()
    assert [(row.number, row.action, row.author, row.run) for row in kept] == [
        (1, "create_page", "ann", "run-1"),
        (2, "update_section", "bob", "run-2"),
        (3, "delete_page", "cy", "run-3"),
    ]
    assert kept[-1].snapshot == {
        "id": page.id,
        "kind": "page",
        "locale": "en",
        "parent": None,
        "slug": "about",
        "title": "About",
        "status": "draft",
        "indexing": True,
        "meta": {"title": None, "description": None},
        "sections": [
            {
                "id": section,
                "definition": "hero",
                "sortOrder": 0,
                "number": 1,
                "contents": {"en": {"heading": "We bake bread"}, "de": {"heading": "Brot"}},
            }
        ],
        "lastSection": 1,
    }
    assert kept[0].created_at.tzinfo is not None
    assert kept[0].created_at < kept[1].created_at < kept[2].created_at


async def test_a_tenant_without_a_site_is_told_so(world: World) -> None:
    with pytest.raises(
        NotFoundError, match=r"No site belongs to the tenant 'nobody'\. Give the user the tenant of a site"
    ):
        await world.page(tenant="nobody")
