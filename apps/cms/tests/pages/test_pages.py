"""The operations on pages."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, ValidationError

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.pages.payloads import (
    CopyPage,
    CreatePage,
    CreatePageWithContent,
    DeletePage,
    GetPage,
    GetPages,
    Meta,
    SearchPages,
    UpdatePage,
)
from remit_cms.sections.payloads import GetPageSections, SectionInput
from remit_cms.sections.slices import LONG_SECTION, SMALL_PAGE

HERO: tuple[str, Content] = ("hero", {"heading": "We bake bread"})


async def test_a_created_page_is_a_draft_with_a_slug_from_its_title(world: World) -> None:
    reply = await world.pages.create_page(world.call(), CreatePage(title="Über uns & Freunde"))
    assert json.loads(reply.model_dump_json(by_alias=True)) == {
        "success": True,
        "message": "Created page 'Über uns & Freunde' (/uber-uns-freunde), as a draft",
        "page": {
            "id": "page_1",
            "title": "Über uns & Freunde",
            "slug": "uber-uns-freunde",
            "status": "draft",
        },
    }


async def test_a_composite_creates_the_page_and_all_its_sections_in_order(world: World) -> None:
    sections = [
        SectionInput(definition_id="hero", content={"heading": "Hi"}),
        SectionInput(definition_id="text", content={"heading": "Story"}),
    ]
    reply = await world.pages.create_page_with_content(
        world.call(), CreatePageWithContent(title="About", slug="/about/", sections=sections)
    )
    assert [(view.section_key, view.sort_order) for view in reply.sections or []] == [("hero", 0), ("text", 1)]
    assert reply.message == "Created page 'About' (/about) with 2 sections, as a draft"
    assert reply.remarks == ["Still empty: text.text"]


@pytest.mark.parametrize("content", ['{"heading": "Hi"}', {"heading": "Hi"}], ids=["text", "object"])
async def test_content_may_come_as_an_object_or_as_its_text(world: World, content: object) -> None:
    arguments = {"title": "About", "sections": [{"definitionId": "hero", "content": content}]}
    payload = CreatePageWithContent.model_validate_json(json.dumps(arguments), strict=True)
    await world.pages.create_page_with_content(world.call(), payload)
    reply = await world.pages.get_page(world.call(), GetPage(page_id="about", include_content=True))
    assert reply.page.sections[0].content == {"heading": "Hi"}


@pytest.mark.parametrize("content", ["{heading: Hi}", "[1]", "[not json"])
def test_content_that_is_no_object_is_refused(content: str) -> None:
    with pytest.raises(ValidationError, match="content"):
        SectionInput.model_validate({"definitionId": "hero", "content": content})


@pytest.mark.parametrize("title", ["", "   ", "x" * 201])
def test_a_title_has_a_length(title: str) -> None:
    with pytest.raises(ValidationError, match="title"):
        CreatePage(title=title)


@pytest.mark.parametrize("count", [0, 21])
def test_a_composite_has_1_to_20_sections(count: int) -> None:
    with pytest.raises(ValidationError, match="sections"):
        CreatePageWithContent(title="About", sections=[SectionInput(definition_id="text")] * count)


async def test_a_slug_that_is_taken_is_refused_and_its_page_named(world: World) -> None:
    page = await world.page("About")
    before = await world.rows()
    with pytest.raises(AlreadyExistsError, match=rf"a page with this slug already: 'About', id {page.id}\."):
        await world.pages.create_page(world.call(), CreatePage(title="about!"))
    assert await world.rows() == before


async def test_two_sites_may_have_the_same_slug(world: World) -> None:
    assert (await world.page("About")).slug == (await world.page("About", tenant="other")).slug


def text_of(characters: int) -> tuple[str, Content]:
    """A section that has so many characters as JSON."""
    names = '"id":"section_1","ref":"about/s1","sectionKey":"text","sortOrder":0,"localeCode":"en"'
    beside = f'{{{names},"content":{{"text":""}}}}'
    return "text", {"content": "x" * (characters - len(beside))}


@pytest.mark.parametrize("said", [{"page_id": "page_1"}, {"slug": "about"}, {"pageId": "/about", "slug": "about"}])
async def test_a_long_page_is_read_without_content_and_says_how_long_its_sections_are(
    world: World, said: dict[str, str]
) -> None:
    page = await world.page("About", text_of(SMALL_PAGE + 1))
    reply = await world.pages.get_page(world.call(), GetPage.model_validate(said))
    assert reply.page.id == page.id
    assert [section.model_dump(by_alias=True) for section in reply.page.sections] == [
        {"id": "section_1", "sectionKey": "text", "sortOrder": 0, "characters": SMALL_PAGE + 1}
    ]
    assert reply.message == "Page 'About' (/about)"


async def test_only_long_sections_say_how_long_they_are(world: World) -> None:
    await world.page("About", text_of(LONG_SECTION), text_of(LONG_SECTION + 1))
    reply = await world.pages.get_page(world.call(), GetPage(page_id="about"))
    assert [section.characters for section in reply.page.sections] == [None, LONG_SECTION + 1]


async def test_a_short_page_is_read_whole_unasked_and_says_so(world: World) -> None:
    text = text_of(SMALL_PAGE)
    await world.page("About", text)
    reply = await world.pages.get_page(world.call(conversation="ann"), GetPage(page_id="about"))
    assert reply.page.sections[0].content == {"text": text[1]["content"]}
    assert reply.page.sections[0].characters is None
    assert reply.message == "Page 'About' (/about), with its content, which is short"
    await Editor(world, "bob", "bob").write("section_1", content="Bread")
    with pytest.raises(ConflictError, match="is now 'Bread'"):
        await Editor(world, "ann", "ann").write("section_1", content="Cake")


@pytest.mark.parametrize("payload", [GetPage, GetPageSections])
def test_an_id_and_a_slug_that_differ_are_refused(payload: type[BaseModel]) -> None:
    assert payload.model_validate({"pageId": "about", "slug": "/about"})
    with pytest.raises(ValidationError, match="pageId and slug name different things; give pageId"):
        payload.model_validate({"pageId": "about", "slug": "contact"})


async def test_a_page_is_read_whole_on_demand(world: World) -> None:
    await world.page("About", HERO)
    reply = await world.pages.get_page(world.call(), GetPage(page_id="about", include_content=True))
    assert reply.page.sections[0].content == HERO[1]


def test_a_page_must_be_named() -> None:
    with pytest.raises(ValidationError, match="Field required"):
        GetPage.model_validate({})


async def test_a_page_that_is_not_there_is_not_found_and_near_ones_are_named(world: World) -> None:
    await world.page("About")
    with pytest.raises(
        NotFoundError, match=r"^There is no page 'abut'\. Did you mean 'About' \(/about, id page_1\)\? cms_g"
    ):
        await world.pages.get_page(world.call(), GetPage(page_id="abut"))
    with pytest.raises(NotFoundError, match=r"^There is no page 'zzz'\. cms_getPages lists the pages\.$"):
        await world.pages.get_page(world.call(), GetPage(page_id="zzz"))
    with pytest.raises(NotFoundError, match=r"^There is no page 'abut'\. cms_getPages lists the pages\.$"):
        await world.pages.get_page(world.call(tenant="other"), GetPage(page_id="abut"))


async def test_an_unknown_locale_is_refused_and_the_known_ones_named(world: World) -> None:
    await world.page("About")
    with pytest.raises(InvalidArgumentsError, match=r"No locale 'fr' on this site. Its locales: en, de"):
        await world.pages.get_page(world.call(), GetPage(page_id="about", include_content=True, locale_code="fr"))


async def test_pages_are_listed_by_slug_and_in_parts(world: World) -> None:
    for title in ("Delta", "Alpha", "Charlie", "Bravo", "Echo"):
        await world.page(title, HERO)
    await world.page("Foreign", tenant="other")
    read: list[str] = []
    cursor: str | None = None
    messages: list[str] = []
    while True:
        reply = await world.pages.get_pages(world.call(), GetPages(limit=2, cursor=cursor))
        read += [page.title for page in reply.pages]
        messages.append(reply.message)
        cursor = reply.next_cursor
        if cursor is None:
            break
    assert read == ["Alpha", "Bravo", "Charlie", "Delta", "Echo"]
    more = "Found 5 pages. These are 2; for the next ones give nextCursor as cursor."
    assert messages == [more, more, "Found 5 pages. These are the last 1."]


async def test_a_short_list_has_no_cursor_and_no_sections(world: World) -> None:
    await world.page("About", HERO)
    reply = await world.pages.get_pages(world.call(), GetPages())
    assert json.loads(reply.model_dump_json(by_alias=True)) == {
        "success": True,
        "message": "Found 1 page",
        "pages": [{"id": "page_1", "title": "About", "slug": "about", "status": "draft"}],
        "total": 1,
    }


async def test_an_update_changes_what_is_given_and_nothing_else(world: World) -> None:
    page = await world.page("About", HERO)
    payload = UpdatePage(page_id=page.id, title="About us", indexing=False, meta=Meta(description="Bread."))
    reply = await world.pages.update_page(world.call(), payload)
    assert json.loads(reply.model_dump_json(by_alias=True)) == {
        "success": True,
        "message": "Updated page 'About us' (/about)",
        "page": {"id": page.id, "title": "About us", "slug": "about", "status": "draft"},
        "changed": ["title", "indexing", "meta"],
    }
    assert (await Editor(world).look_at(page.id)).model_dump(by_alias=True) == {
        **page.model_dump(by_alias=True),
        "title": "About us",
        "indexing": False,
        "meta": {"description": "Bread."},
        "revision": 2,
    }


async def test_search_engine_texts_can_be_emptied(world: World) -> None:
    page = await world.page()
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, meta=Meta(title="T", description="D")))
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, meta=Meta(title="", description="")))
    assert (await Editor(world).look_at(page.id)).meta is None


async def test_a_page_can_be_renamed_but_not_to_a_slug_that_is_taken(world: World) -> None:
    page, _ = await world.page("About"), await world.page("Contact")
    renamed = await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, slug="about-us"))
    assert renamed.page.slug == "about-us"
    again = await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, slug="about-us"))
    assert again.page.slug == "about-us"
    with pytest.raises(AlreadyExistsError, match="'Contact'"):
        await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, slug="contact"))


async def test_the_refusal_of_a_slug_holds_no_words_that_could_be_taken_for_one(world: World) -> None:
    await world.page("About")
    with pytest.raises(AlreadyExistsError) as raised:
        await world.pages.create_page(world.call(), CreatePage(title="About"))
    assert "slug '" not in raised.value.message
    assert "another slug" not in raised.value.message


async def test_an_update_to_what_is_there_already_makes_no_revision(world: World) -> None:
    page = await world.page("About", HERO)
    before = await world.rows()
    payload = UpdatePage(page_id=page.id, title="About", slug="about", indexing=True, meta=Meta(title=""))
    reply = await world.pages.update_page(world.call(), payload)
    assert (reply.changed, reply.message) == ([], "Page 'About' (/about) is like that already")
    assert await Editor(world).look_at(page.id) == page
    assert {**before, "remit_effects": before["remit_effects"] + 1} == await world.rows()


def test_an_update_that_changes_nothing_is_refused() -> None:
    with pytest.raises(ValidationError, match="nothing to change"):
        UpdatePage(page_id="about")


async def test_an_update_with_a_token_of_an_earlier_state_is_refused_with_the_difference(world: World) -> None:
    page, token = await world.page(), await world.token("about")
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Two", if_unchanged=token))
    before = await world.rows()
    with pytest.raises(ConflictError, match="since it was read, last by ann: title: 'About' is now 'Two'"):
        await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Three", if_unchanged=token))
    assert await world.rows() == before


async def test_an_unconfirmed_delete_deletes_nothing_and_says_what_would_be_lost(world: World) -> None:
    page = await world.page("About", HERO, ("text", {"content": "x"}))
    before = await world.rows()
    reply = await world.pages.delete_page(world.call(), DeletePage(page_id=page.id))
    assert json.loads(reply.model_dump_json(by_alias=True)) == {
        "success": False,
        "requiresConfirmation": True,
        "pageId": page.id,
        "message": "This would delete the page 'About' (/about) with 2 sections (hero, text). "
        "Nothing is deleted until the person agrees. Call it again with confirmed true: a person is asked then.",
    }
    assert await world.rows() == before


async def test_a_confirmed_delete_takes_the_page_its_sections_and_its_words(world: World) -> None:
    page, kept = await world.page("About", HERO), await world.page("Kept", HERO)
    reply = await world.pages.delete_page(world.call(), DeletePage(page_id=page.id, confirmed=True))
    assert json.loads(reply.model_dump_json(by_alias=True)) == {
        "success": True,
        "pageId": page.id,
        "changeSetId": "set_1",
        "message": "Deleted page 'About' (/about) with 1 section",
    }
    rows = await world.rows()
    assert (rows["pages"], rows["page_sections"], rows["page_section_contents"], rows["page_search"]) == (1, 1, 1, 1)
    found = await world.search.search_pages(world.call(), SearchPages(query="bread"))
    assert [match.id for match in found.matches] == [kept.id]


async def test_an_empty_page_can_be_asked_about_too(world: World) -> None:
    page = await world.page("About")
    reply = await world.pages.delete_page(world.call(), DeletePage(page_id=page.id))
    assert "'About' (/about) with no sections" in reply.message


@pytest.mark.parametrize("confirmed", [False, True])
async def test_a_delete_wants_the_id_and_names_it_when_given_the_slug(world: World, *, confirmed: bool) -> None:
    page = await world.page("About")
    with pytest.raises(NotFoundError, match=f"The page with that slug is 'About', id {page.id}"):
        await world.pages.delete_page(world.call(), DeletePage(page_id="about", confirmed=confirmed))
    assert (await world.rows())["pages"] == 1


@pytest.mark.parametrize("confirmed", [False, True])
async def test_a_stale_delete_is_refused(world: World, *, confirmed: bool) -> None:
    page, token = await world.page(), await world.token("about")
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Two"))
    payload = DeletePage(page_id=page.id, confirmed=confirmed, if_unchanged=token)
    with pytest.raises(ConflictError, match="title: 'About' is now 'Two'"):
        await world.pages.delete_page(world.call(), payload)
    assert (await world.rows())["pages"] == 1


async def test_a_new_page_takes_what_search_engines_are_told(world: World) -> None:
    payload = CreatePage.model_validate({"name": "About", "indexing": False, "meta": {"description": "Us."}})
    page = await Editor(world).look_at((await world.pages.create_page(world.call(), payload)).page.id)
    assert (page.title, page.indexing, page.meta and page.meta.description) == ("About", False, "Us.")


async def test_a_page_is_not_copied_from_a_page_that_its_copy_would_be(world: World) -> None:
    payload = CopyPage(page_id="new", title="Team", slug="new")
    with pytest.raises(NotFoundError, match="There is no page 'new'"):
        await world.pages.copy_page(world.call(), payload)
