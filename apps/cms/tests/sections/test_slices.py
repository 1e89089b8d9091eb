"""Long pages are read in several replies, each cut at a border of sections."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError
from remit_cms.pages.payloads import GetPage
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreatePost, GetCollectionEntries
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import GetLivePage
from remit_cms.sections.payloads import DeletePageSection, GetPageSections, SectionView
from remit_cms.sections.slices import cut_sections
from remit_cms.storage.lists import BYTES_PER_TOKEN, MAX_READ_TOKENS
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.tables import PageSection, SectionContent, SectionDefinition

CAP = MAX_READ_TOKENS * BYTES_PER_TOKEN
TEXT = "We bake. " * 220
PAGE = 500
"""Bytes of a reply beside its sections."""


async def long_page(world: World, sections: int) -> list[str]:
    """A page About with so many sections of 2 kB, written as rows: through the tools it would take a minute."""
    page = await world.page("About")
    chosen = select(SectionDefinition.id).where(SectionDefinition.key == "text", SectionDefinition.site == "local-site")
    ids = [f"part_{number}" for number in range(sections)]
    async with world.database.write() as session:
        template = await session.scalar(chosen)
        rows = [
            {"id": each, "page": page.id, "definition": template, "sort_order": place} for place, each in enumerate(ids)
        ]
        await session.execute(insert(PageSection), rows)
        contents = [{"section": each, "locale": "en", "content": {"content": TEXT}} for each in ids]
        await session.execute(insert(SectionContent), contents)
    await Editor(world).update("about", indexing=False)  # saves a revision with them
    return ids


Read = Callable[[World, str | None], Awaitable[BaseModel]]


async def whole_page(world: World, cursor: str | None) -> BaseModel:
    return await world.pages.get_page(world.call(), GetPage(page_id="about", include_content=True, cursor=cursor))


async def light_page(world: World, cursor: str | None) -> BaseModel:
    return await world.pages.get_page(world.call(), GetPage(page_id="about", cursor=cursor))


async def whole_list(world: World, cursor: str | None) -> BaseModel:
    payload = GetPageSections(page_id="about", include_content=True, cursor=cursor)
    return await world.sections.get_page_sections(world.call(), payload)


async def light_list(world: World, cursor: str | None) -> BaseModel:
    return await world.sections.get_page_sections(world.call(), GetPageSections(page_id="about", cursor=cursor))


async def live_page(world: World, cursor: str | None) -> BaseModel:
    return await Editor(world).publishing.get_live_page(world.call(), GetLivePage(page_id="about", cursor=cursor))


@pytest.mark.parametrize("read", [whole_page, light_page, whole_list, light_list, live_page])
async def test_no_reply_exceeds_the_cap_and_the_cursors_lead_to_each_section_once(world: World, read: Read) -> None:
    ids = await long_page(world, 350 if read in (light_page, light_list) else 300)
    await Editor(world).publish_page("about")
    found, cursor, replies = list[str](), None, 0
    while replies == 0 or cursor is not None:
        text = (await read(world, cursor)).model_dump_json(by_alias=True)
        assert len(text.encode()) <= CAP + PAGE
        reply = json.loads(text)
        found += [section["id"] for section in reply.get("page", reply)["sections"]]
        cursor, replies = reply.get("nextCursor"), replies + 1
        told = "; for the next ones give nextCursor as cursor."
        assert reply["message"].endswith(told) == (cursor is not None), reply["message"]
        assert reply["total"] == len(ids)
    assert found == ids
    assert replies > 1


def make_view(number: int, size: int) -> SectionView:
    return SectionView(id=f"s{number}", section_key="text", sort_order=number, content={"content": "ä" * (size // 2)})


@given(st.lists(st.one_of(st.integers(0, 3_000), st.integers(0, 50_000)), max_size=60))
def test_sections_of_any_sizes_come_once_each_in_replies_up_to_the_cap_or_alone(sizes: list[int]) -> None:
    views = [make_view(number, size) for number, size in enumerate(sizes)]
    scope = Scope(session=AsyncSession(), target=Target("local-site", "main"), locales=("en",))
    shown = cut_sections(scope, views, None, "page")
    found = [*shown.rows]
    while shown.next_cursor is not None:
        shown = cut_sections(scope, views, shown.next_cursor, "page")
        assert sum(len(view.model_dump_json(by_alias=True).encode()) for view in shown.rows) <= CAP or (
            len(shown.rows) == 1
        )
        found += shown.rows
    assert found == views


async def test_a_page_that_fits_into_one_reply_has_no_cursor(world: World) -> None:
    await long_page(world, 7)
    reply = await whole_list(world, None)
    assert "nextCursor" not in reply.model_dump(by_alias=True)
    assert reply.model_dump()["message"] == "Page 'About' has 7 sections"


async def test_a_cursor_that_is_unknown_or_foreign_or_of_a_deleted_section_is_refused_in_one_line(world: World) -> None:
    ids = await long_page(world, 12)
    other = await world.page("Team", ("hero", {"heading": "We"}))
    cursor = (await whole_list(world, None)).model_dump()["next_cursor"]
    last = ids[len((await whole_list(world, None)).model_dump()["sections"]) - 1]
    assert (await whole_page(world, cursor)).model_dump()["page"]["sections"]
    with pytest.raises(InvalidArgumentsError, match="is not the nextCursor of a reply to the same call"):
        await world.pages.get_page(world.call(), GetPage(page_id="team", cursor=cursor))
    gone = DeletePageSection(page_section_id=last, confirmed=True)
    await world.sections.delete_page_section(world.call(), gone)
    for read in (whole_page, light_page, whole_list, light_list):
        with pytest.raises(InvalidArgumentsError, match=r"the list has changed at .* Read it again without cursor"):
            await read(world, cursor)
        for made_up in ("nope", other.sections[0].id, "part_8"):
            with pytest.raises(InvalidArgumentsError) as caught:
                await read(world, made_up)
            said = f"cursor: '{made_up}' is not the nextCursor of a reply to the same call; leave cursor out to begin"
            assert str(caught.value) == f"{said} at the first."


async def test_only_sections_that_a_reply_showed_count_as_seen(world: World) -> None:
    await long_page(world, 12)
    bob, carl = Editor(world, conversation="bob", name="bob"), Editor(world, conversation="carl", name="carl")

    async def read(cursor: str | None = None) -> str | None:
        payload = GetPage(page_id="about", include_content=True, cursor=cursor)
        return (await world.pages.get_page(carl.call(), payload)).next_cursor

    cursor = await read()
    assert await read(cursor) is None
    await bob.write("part_11", heading="Bob's")
    await read()
    with pytest.raises(ConflictError, match=r"heading .*is now 'Bob's'"):
        await carl.write("part_11", heading="Carl's")
    await bob.write("part_10", heading="Bob's")
    await read(cursor)
    await carl.write("part_10", heading="Carl's")


async def test_entries_with_content_are_cut_at_their_borders(world: World) -> None:
    titles = [f"Loaf {number}" for number in range(12)]
    for title in titles:
        await Posts(world.database).create_post(world.call(), CreatePost(title=title, body=TEXT))
    found, cursor, messages = list[str](), None, list[str]()
    while not messages or cursor is not None:
        payload = GetCollectionEntries(collection_id="posts", include_content=True, cursor=cursor)
        reply = await Collections(world.database).get_collection_entries(world.call(), payload)
        found, cursor = [*found, *(entry.title for entry in reply.entries)], reply.next_cursor
        messages.append(reply.message)
    assert (sorted(found), len(messages)) == (sorted(titles), 2)
    assert messages[0].startswith("The collection 'Posts' has 12 entries. These are ")
