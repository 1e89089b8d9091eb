"""Pages in several languages: what falls back, what stays apart, and where visitors find it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError
from remit_cms.models import Content
from remit_cms.pages.payloads import FindResource, GetPage, GetPages, SearchPages, TranslatePage, UpdatePage
from remit_cms.publishing.payloads import GetLivePage, PublishPage, RevertPage
from remit_cms.sections.payloads import GetPageSections
from remit_cms.sections.slices import SMALL_PAGE
from remit_cms.storage.snapshots import load_snapshot
from remit_cms.storage.tables import Locale
from remit_cms.storage.transactions import open_view

Texts = dict[tuple[str, str], Any]


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor of a site with a third language, Austrian German."""
    async with world.database.write() as session:
        session.add(Locale(site="local-site", code="de-AT", name="Österreich", is_default=False))
    return Editor(world)


async def translate(ann: Editor, page: str, locale: str, **texts: Any) -> None:
    payload = TranslatePage(page_id=page, locale_code=locale, **texts)
    await ann.world.pages.translate_page(ann.call(), payload)


async def get(ann: Editor, page: str, locale: str | None = None, *, content: bool = False) -> dict[str, Any]:
    payload = GetPage(page_id=page, locale_code=locale, include_content=content)
    return (await ann.world.pages.get_page(ann.call(), payload)).page.model_dump(by_alias=True)


async def live(ann: Editor, address: str, locale: str | None = None) -> tuple[str, str, str | None]:
    payload = GetLivePage(page_id=address, locale_code=locale)
    page = (await ann.publishing.get_live_page(ann.call(), payload)).page
    return page.title, page.live_path, page.redirected_from


async def stored(ann: Editor, page: str, number: int) -> Texts:
    """All texts of a revision, by locale and field."""
    async with open_view(ann.world.database, HOME) as scope:
        snapshot = await load_snapshot(scope, page, number)
    texts = {
        (locale, field): value for locale, each in snapshot.texts.items() for field, value in each.model_dump().items()
    }
    contents = {(locale, "content"): each for locale, each in snapshot.sections[0].contents.items()}
    return {key: value for key, value in {**texts, **contents}.items() if value}


async def test_writing_one_language_never_touches_another(ann: Editor) -> None:
    page = await ann.create("About", ("text", {"content": "Us."}))
    expected: Texts = {("en", "title"): "About", ("en", "slug"): "about", ("en", "content"): {"content": "Us."}}
    rng = random.Random(4)  # noqa: S311 - the same in every run
    for number in range(2, 18):
        locale, field = rng.choice(["en", "de", "de-AT"]), rng.choice(["title", "slug", "meta", "content"])
        value = f"text-{number}"
        if field == "content":
            await ann.write(page.sections[0].id, locale, content=value)
        elif field == "meta":
            await translate(ann, page.id, locale, meta={"description": value})
        elif number % 2:
            await translate(ann, page.id, locale, **{field: value})
        else:
            payload = UpdatePage.model_validate({"pageId": page.id, "localeCode": locale, field: value})
            await ann.world.pages.update_page(ann.call(), payload)
        key = (locale, "meta_description" if field == "meta" else field)
        expected[key] = {"content": value} if field == "content" else value
        assert await stored(ann, page.id, number) == expected


async def test_a_text_falls_back_to_the_language_and_then_to_the_default_and_says_where_it_is_from(ann: Editor) -> None:
    page = await ann.create("About", ("hero", {"heading": "Bread", "subheading": "Daily"}))
    await translate(ann, page.id, "de", title="Über uns")
    await ann.write(page.sections[0].id, "de", heading="Brot")
    austrian = await get(ann, page.id, "de-AT", content=True)
    assert (austrian["title"], austrian["slug"], austrian["localeCode"]) == ("Über uns", "about", "de-AT")
    assert austrian["untranslated"] == {"title": "de", "slug": "en"}
    (section,) = austrian["sections"]
    assert section["content"] == {"heading": "Brot", "subheading": "Daily"}
    assert section["untranslated"] == {"heading": "de", "subheading": "en"}
    assert "untranslated" not in await get(ann, page.id, content=True)


async def test_what_is_not_translated_is_told_without_content(ann: Editor) -> None:
    long: Content = {"content": "x" * SMALL_PAGE}
    page = await ann.create("About", ("hero", {"heading": "Bread", "subheading": "Daily"}), ("text", long))
    await ann.write(page.sections[0].id, "de", heading="Brot")
    section, _ = (await get(ann, page.id, "de"))["sections"]
    listed_sections = GetPageSections(page_id=page.id, locale_code="de")
    same, _ = (await ann.world.sections.get_page_sections(ann.call(), listed_sections)).sections
    assert same.untranslated == {"subheading": "en"}
    assert (section["untranslated"], "content" in section) == ({"subheading": "en"}, False)
    listed = await ann.world.pages.get_pages(ann.call(), GetPages(locale_code="de"))
    assert [each.untranslated for each in listed.pages] == [{"title": "en", "slug": "en"}]
    assert (await ann.world.pages.get_pages(ann.call(), GetPages())).pages[0].untranslated is None


async def test_a_translation_to_nothing_or_to_an_unknown_language_is_refused(ann: Editor) -> None:
    page = await ann.create("About")
    with pytest.raises(InvalidArgumentsError, match=r"No locale 'fr' on this site\. Its locales: en, de, de-AT"):
        await translate(ann, page.id, "fr", title="À propos")
    with pytest.raises(ValueError, match="nothing to translate"):
        TranslatePage(page_id=page.id, locale_code="de")


async def test_a_slug_is_free_in_each_language_by_itself(ann: Editor) -> None:
    gift, poison = await ann.create("Gift"), await ann.create("Poison")
    with pytest.raises(AlreadyExistsError, match=r"this slug already in de: 'Gift', id page_1"):
        await translate(ann, poison.id, "de", slug="gift")
    await translate(ann, gift.id, "de", slug="geschenk")
    await translate(ann, poison.id, "de", slug="gift")
    assert [(await get(ann, each.id, "de"))["slug"] for each in (gift, poison)] == ["geschenk", "gift"]
    with pytest.raises(AlreadyExistsError, match=r"this slug already in de: 'Poison'"):
        await translate(ann, gift.id, "de", slug="gift")


async def test_visitors_find_a_page_at_an_address_in_each_language(ann: Editor) -> None:
    page = await ann.create("About")
    await translate(ann, page.id, "de", title="Über uns", slug="ueber-uns")
    await ann.publish_page(page.id)
    assert await live(ann, "/about") == ("About", "about", None)
    assert await live(ann, "/de/ueber-uns", "de") == ("Über uns", "ueber-uns", None)
    assert await live(ann, "ueber-uns", "de-AT") == ("Über uns", "ueber-uns", None)
    await translate(ann, page.id, "de", slug="wir")
    await ann.publish_page(page.id)
    assert await live(ann, "/de/ueber-uns", "de") == ("Über uns", "wir", "de/ueber-uns")
    await translate(ann, page.id, "de", slug="ueber-uns")
    await ann.publish_page(page.id)
    assert await live(ann, "/de/wir", "de") == ("Über uns", "ueber-uns", "de/wir")
    assert await live(ann, "/de/ueber-uns", "de") == ("Über uns", "ueber-uns", None)
    assert await live(ann, "about") == ("About", "about", None)


async def test_an_address_in_one_language_is_not_taken_by_two_pages(ann: Editor) -> None:
    first, second = await ann.create("First"), await ann.create("Second")
    await translate(ann, first.id, "de", slug="eins")
    await ann.publish_page(first.id)
    await translate(ann, first.id, "de", slug="zwei")
    await translate(ann, second.id, "de", slug="eins")
    with pytest.raises(ConflictError, match=r"cannot go live at /de/eins, where 'First' \(id page_1\) is live"):
        await ann.publishing.preview_publication(ann.call(), PublishPage(page_id=second.id))


async def test_a_translation_is_shown_to_the_approver_and_undone_with_its_revision(ann: Editor) -> None:
    page = await ann.create("About")
    await translate(ann, page.id, "de", title="Über uns", slug="ueber-uns")
    assert await ann.differences(page.id, before=1) == [
        ("title (de)", "", "Über uns"),
        ("slug (de)", "", "ueber-uns"),
    ]
    await ann.history.revert_page(ann.call(), RevertPage(page_id=page.id, revision=1))
    assert (await get(ann, page.id, "de"))["title"] == "About"
    await ann.history.revert_page(ann.call(), RevertPage(page_id=page.id, revision=2))
    assert (await get(ann, page.id, "de"))["slug"] == "ueber-uns"


async def test_a_translated_page_comes_back_from_the_trash_whole(ann: Editor) -> None:
    page = await ann.create("About")
    await translate(ann, page.id, "de", title="Über uns", slug="ueber-uns")
    await ann.delete(page.id)
    other = await ann.create("Other")
    await translate(ann, other.id, "de", slug="ueber-uns")
    await ann.restore(page.id)
    german = await get(ann, page.id, "de")
    assert (german["title"], german["slug"]) == ("Über uns", "about")
    assert (await get(ann, other.id, "de"))["slug"] == "ueber-uns"


async def test_a_page_is_named_and_found_in_each_language(ann: Editor) -> None:
    page = await ann.create("Prices", ("text", {"content": "Bread is cheap."}))
    await translate(ann, page.id, "de", title="Kosten", slug="kosten")
    await ann.write(page.sections[0].id, "de", content="Brot ist billig.")
    for name in ("Kosten", "kosten", "/de/kosten"):
        assert (await get(ann, name))["id"] == page.id
        assert any(each.id == page.id for each in await ann.world.references["page"](ann.call(), name))
    search = ann.world.search
    (match,) = (await search.search_pages(ann.call(), SearchPages(query="billig"))).matches
    assert (match.title, match.slug, match.locale_code) == ("Kosten", "kosten", "de")
    assert (await search.search_pages(ann.call(), SearchPages(query="billig", locale_code="en"))).matches == []
    (match,) = (await search.search_pages(ann.call(), SearchPages(query="cheap", locale_code="de"))).matches
    assert (match.title, match.locale_code) == ("Kosten", None)
    (match,) = (await search.find_resource(ann.call(), FindResource(query="kostne"))).matches
    assert (match.title, match.locale_code) == ("Kosten", "de")
    await ann.delete(page.id)
    assert (await ann.world.rows())["page_search"] == 0


async def test_a_page_is_found_by_stems_in_the_language_of_each_text(ann: Editor) -> None:
    page = await ann.create("Rolls", ("text", {"content": "We were baking."}))
    await translate(ann, page.id, "de", title="Brötchen")
    await ann.write(page.sections[0].id, "de", content="Zwei Häuser weiter.")

    async def find(query: str, locale: str | None = None) -> list[tuple[str, str | None]]:
        payload = SearchPages(query=query, locale_code=locale)
        matches = (await ann.world.search.search_pages(ann.call(), payload)).matches
        return [(match.id, match.locale_code) for match in matches]

    assert await find("bakes") == await find("bakes", "en") == [(page.id, None)]
    assert await find("Hauses") == await find("Brötchens", "de") == [(page.id, "de")]
    assert await find("Hauses", "en") == []
    await ann.delete(page.id)
    assert await find("bakes") == []


async def test_a_page_is_rendered_with_the_texts_of_its_language(ann: Editor) -> None:
    page = await ann.create("About")
    await translate(ann, page.id, "de", title="Über uns", slug="ueber-uns", meta={"title": "Wir"})
    path = await ann.world.rendering.write(HOME, page.id, "de")
    assert (path.parent.name, path.name) == ("de", "ueber-uns.html")
    assert "<title>Wir</title>" in path.read_text()
    assert "<h1>Über uns</h1>" in path.read_text()
