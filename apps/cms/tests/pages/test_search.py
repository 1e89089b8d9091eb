"""Finding pages by name and by what stands in them."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from apps.cms.tests.world import World
from remit_cms.pages.payloads import FindResource, SearchPages, UpdatePage
from remit_cms.sections.payloads import DeletePageSection, UpdateSectionContent


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


async def test_a_page_with_a_control_character_in_its_title_is_found_as_others_are(world: World) -> None:
    await world.page("About\x1fus")
    await world.page("Contact")
    assert await find_slugs(world, "contact") == ["contact"]
    assert await find_slugs(world, "about us") == ["about-us"]


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
    "query", ['"', "a AND", "NOT", "title:bread", "bread*", "( OR", "' OR 1=1 --", "-bread", "^bread", "\x00", "~~~"]
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
