"""Finding pages by name and by what stands in them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from apps.cms.tests.world import HOME, START, World
from remit.errors import NotFoundError
from remit_cms.pages.payloads import DeletePage, FindResource, GetPage, SearchPages, UpdatePage
from remit_cms.pages.stop_words import leave_out_stop_words
from remit_cms.sections.payloads import DeletePageSection, UpdateSectionContent
from remit_cms.storage.names import index_names, trigrams_of
from remit_cms.storage.tables import Kind, Page

pytestmark = pytest.mark.every_store


async def found(world: World, query: str, *, limit: int = 5, tenant: str = "local-site") -> list[str]:
    payload = SearchPages(query=query, limit=limit)
    return [match.slug for match in (await world.search.search_pages(world.call(tenant=tenant), payload)).matches]


async def find_slugs(world: World, query: str, *, limit: int = 5) -> list[str]:
    payload = FindResource(query=query, limit=limit)
    return [match.slug for match in (await world.search.find_resource(world.call(), payload)).matches]


async def test_a_page_is_found_by_a_misspelled_name(world: World) -> None:
    for title in ("About us", "Contact", "Opening hours"):
        await world.page(title)
    assert (await find_slugs(world, "abuot us"))[0] == "about-us"
    assert (await find_slugs(world, "CONTCAT"))[0] == "contact"
    assert (await find_slugs(world, "hours"))[0] == "opening-hours"
    assert await find_slugs(world, "qqqqqqq") == []


async def add_many(world: World, number: int) -> None:
    """Pages with names that have nothing in common with those of other tests."""
    async with world.database.write() as session:
        for each in range(number):
            name = f"aaa{each}"
            texts = {"title": name, "slug": name, "locale": "en", "kind": Kind.PAGE.value, "status": "draft"}
            state = {"indexing": True, "revision": 1, "created_at": START, "updated_at": START}
            page = Page(id=f"many{each}", site=HOME.site, environment=HOME.environment, **texts, **state)
            session.add(page)
            await session.flush()
            await index_names(session, page, [name])


async def test_a_page_among_many_is_found_and_suggested_by_a_misspelled_name(world: World) -> None:
    await add_many(world, 51)
    page = await world.page("Opening hours")
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Öffnungszeiten", locale_code="de"))
    assert await find_slugs(world, "opneing huors", limit=1) == ["opening-hours"]
    assert await find_slugs(world, "offnungszeit", limit=1) == ["opening-hours"]
    with pytest.raises(NotFoundError, match=r"Did you mean 'Opening hours' \(/opening-hours, "):
        await world.pages.get_page(world.call(), GetPage(page_id="opening-huors"))
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Directions", slug="directions"))
    with pytest.raises(NotFoundError, match=r"Did you mean '[^(]*' \(/directions, "):
        await world.pages.get_page(world.call(), GetPage(page_id="dirrections"))
    assert "opening-hours" not in await find_slugs(world, "opening hours")
    await world.pages.delete_page(world.call(), DeletePage(page_id=page.id, confirmed=True))
    assert await find_slugs(world, "directions") == []


def test_names_share_trigrams_whatever_their_case_and_accents() -> None:
    assert trigrams_of("Über uns", None) == {"  u", " ub", "ube", "ber", "er ", " un", "uns", "ns "}
    assert trigrams_of("~~~", "") == set()


async def test_matches_have_the_uniform_shape(world: World) -> None:
    await world.page("About")
    reply = await world.search.find_resource(world.call(), FindResource(query="about"))
    assert reply.model_dump(by_alias=True) == {
        "success": True,
        "message": "Found 1 matching page",
        "matches": [{"id": "page_1", "title": "About", "slug": "about", "score": 1.0}],
    }
    nothing = await world.search.search_pages(world.call(), SearchPages(query="zebra"))
    assert nothing.model_dump(by_alias=True) == {"success": True, "message": "No page matches", "matches": []}


async def test_pages_are_found_by_their_words_and_the_title_weighs_more(world: World) -> None:
    await world.page("Contact", ("text", {"content": "Ask us about bread."}))
    await world.page("Bread", ("text", {"content": "Rye."}))
    await world.page("Jobs", ("text", {"content": "We look for a baker."}))
    assert await found(world, "bread") == ["bread", "contact"]
    assert await found(world, "bread", limit=1) == ["bread"]
    assert await found(world, "bak") == ["jobs"]


async def test_scores_fall_from_one(world: World) -> None:
    await world.page("Bread", ("text", {"content": "bread"}))
    await world.page("Contact", ("text", {"content": "bread " + "and other words " * 20}))
    reply = await world.search.search_pages(world.call(), SearchPages(query="bread"))
    assert reply.matches[0].score == 1.0
    assert 0 <= reply.matches[1].score < 1.0


async def test_scores_do_not_depend_on_the_pages_of_other_tenants(world: World) -> None:
    await world.page("Bread", ("text", {"content": "rye"}))
    await world.page("Zebra", ("text", {"content": "our bread"}))
    query = SearchPages(query="zebra bread")
    alone = await world.search.search_pages(world.call(), query)
    for number in range(5):
        await world.page(f"Bread {number}", ("text", {"content": "bread and bread"}), tenant="other")
    assert await world.search.search_pages(world.call(), query) == alone


async def test_accents_and_case_do_not_matter(world: World) -> None:
    await world.page("Über uns", ("text", {"content": "Crème brûlée"}))
    assert await found(world, "CREME") == ["uber-uns"]
    assert await found(world, "uber") == ["uber-uns"]


async def test_the_index_follows_every_write(world: World) -> None:
    page = await world.page("About", ("text", {"content": "rye"}), ("text", {"content": "spelt"}))
    first, second = (section.id for section in page.sections)
    await world.sections.update_section_content(
        world.call(), UpdateSectionContent(page_section_id=first, content={"content": "oats"})
    )
    await world.sections.update_section_content(
        world.call(), UpdateSectionContent(page_section_id=first, content={"content": "Hafer"}, locale_code="de")
    )
    await world.sections.delete_page_section(world.call(), DeletePageSection(page_section_id=second, confirmed=True))
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Grain"))
    hits = [await found(world, word) for word in ("rye", "spelt", "about", "oats", "hafer", "grain")]
    assert hits == [[], [], [], ["about"], ["about"], ["about"]]


async def test_addresses_are_not_words(world: World) -> None:
    cta = {"text": "Go", "url": "https://example.com/secret"}
    await world.page("About", ("hero", {"heading": "Hi", "cta": dict(cta)}))
    assert await found(world, "secret") == []


@pytest.mark.parametrize(
    "query", ['"', "a AND", "NOT", "title:bread", "bread*", "( OR", "' OR 1=1 --", "-bread", "^bread", "~~~"]
)
async def test_a_query_is_words_and_never_syntax(world: World, query: str) -> None:
    await world.page("Bread")
    assert await found(world, query) in ([], ["bread"])


async def test_other_tenants_pages_are_never_found(world: World) -> None:
    await world.page("Bread", tenant="other")
    assert await found(world, "bread") == []
    assert await find_slugs(world, "bread") == []
    assert await found(world, "bread", tenant="other") == ["bread"]


@pytest.mark.parametrize("limit", [0, 21])
def test_limits_are_from_1_to_20(limit: int) -> None:
    with pytest.raises(ValidationError, match="limit"):
        SearchPages(query="x", limit=limit)


async def test_words_that_say_nothing_are_left_out_of_a_question_unless_it_has_no_others(world: World) -> None:
    await world.page("Who we are", ("text", {"content": "When you are here, you are with us."}))
    await world.page("Hours", ("text", {"content": "We open at seven."}))
    assert await found(world, "When are you open?") == ["hours"]
    assert await found(world, "Who are you?") == ["who-we-are"]


def test_stop_words_are_those_of_the_languages_of_the_site() -> None:
    assert leave_out_stop_words("When are die Brötchen fresh?", ["en", "de-AT"]) == "Brötchen fresh"
    assert leave_out_stop_words("When are die Brötchen fresh?", ["sv"]) == "When are die Brötchen fresh"
    assert leave_out_stop_words("Wann haben SIE auf?", ["de"]) == ""
