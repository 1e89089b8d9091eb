"""The languages of a site: what visitors see of a new one, and what goes with one that is removed."""

from __future__ import annotations

import pytest

from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import World
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError
from remit.tools import Change
from remit_cms.languages.languages import Languages
from remit_cms.languages.payloads import AddLanguage, RemoveLanguage
from remit_cms.pages.payloads import TranslatePage, UpdatePage
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.sites.payloads import ExportContent


@pytest.fixture
def languages(world: World) -> Languages:
    return Languages(world.database)


async def translate(world: World, page: str, title: str, slug: str, code: str = "de") -> None:
    texts = TranslatePage(page_id=page, locale_code=code, title=title, slug=slug)
    await world.pages.translate_page(world.call(), texts)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page))


async def test_live_pages_are_at_addresses_of_a_new_language_at_once(world: World, languages: Languages) -> None:
    await publish(world, "About", ("text", {"content": "We bake."}))
    site = make_site(world)
    assert (await visit(site, "/fr/about")).status == 404
    preview = await languages.preview_addition(world.call(), AddLanguage(locale_code="fr"))
    assert preview.summary == (
        "the language Français (fr): 1 live page is shown below /fr too, in the words of 'en' until there are others"
    )
    reply = await languages.add_language(world.call(), AddLanguage(locale_code="fr"))
    assert reply.languages == ["en", "de", "fr"]
    assert reply.message == "Added the language Français (fr): 1 live page below /fr"
    assert "We bake." in (await visit(site, "/fr/about")).text
    assert '<a href="/fr/about" lang="fr"' in (await visit(site, "/about")).text
    await translate(world, "about", "Chez nous", "chez-nous", "fr")
    assert "<h1>Chez nous</h1>" in (await visit(site, "/fr/chez-nous")).text


async def test_a_language_with_a_region_stands_on_that_without_one(world: World, languages: Languages) -> None:
    page = await publish(world, "About")
    await translate(world, page.id, "Wir", "wir")
    await languages.add_language(world.call(), AddLanguage(locale_code="de-AT", name="Österreichisch"))
    assert "<h1>Wir</h1>" in (await visit(make_site(world), "/de-AT/wir")).text


async def test_a_language_goes_with_its_addresses_and_comes_back_with_its_texts(
    world: World, languages: Languages
) -> None:
    page = await publish(world, "About", ("text", {"content": "We bake."}))
    await translate(world, page.id, "Wir", "wir")
    await translate(world, page.id, "Über uns", "ueber-uns")
    preview = await languages.preview_removal(world.call(), RemoveLanguage(locale_code="de"))
    assert preview.summary.startswith("the language 'de', with 1 live page and 2 redirects below /de.")
    assert preview.changes == (Change("documents with texts in de", "1 document: About", "not shown"),)
    await languages.remove_language(world.call(), RemoveLanguage(locale_code="de"))
    site = make_site(world)
    assert [(await visit(site, path)).status for path in ("/about", "/de/ueber-uns", "/de/wir")] == [200, 404, 404]
    await world.pages.update_page(world.call(), UpdatePage(page_id="about", title="About us"))
    reply = await world.sites.export_content(world.call(), ExportContent())
    assert reply.success
    await languages.add_language(world.call(), AddLanguage(locale_code="de"))
    assert "<h1>Über uns</h1>" in (await visit(make_site(world), "/de/ueber-uns")).text


async def test_languages_that_the_site_cannot_get_or_lose_are_refused(world: World, languages: Languages) -> None:
    with pytest.raises(AlreadyExistsError, match="has the language 'de' already"):
        await languages.preview_addition(world.call(), AddLanguage(locale_code="de"))
    with pytest.raises(ConflictError, match="'en' is the language of the site"):
        await languages.preview_removal(world.call(), RemoveLanguage(locale_code="en"))
    with pytest.raises(InvalidArgumentsError, match="No locale 'fr' on this site"):
        await languages.remove_language(world.call(), RemoveLanguage(locale_code="fr"))
    await publish(world, "Fr")
    with pytest.raises(ConflictError, match="below /fr, where the site has /fr already"):
        await languages.add_language(world.call(), AddLanguage(locale_code="fr"))


async def test_texts_of_earlier_that_would_share_an_address_are_refused_with_their_pages(
    world: World, languages: Languages
) -> None:
    page = await publish(world, "About")
    await translate(world, page.id, "Wir", "wir")
    await languages.remove_language(world.call(), RemoveLanguage(locale_code="de"))
    await publish(world, "Wir")
    with pytest.raises(ConflictError, match="'About' and 'Wir' would both be at /de/wir"):
        await languages.add_language(world.call(), AddLanguage(locale_code="de"))
