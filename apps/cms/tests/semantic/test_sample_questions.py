"""What people ask about the sample site, by the real model of the extra ``semantic``."""

from __future__ import annotations

import pytest

from apps.cms.tests.world import World
from remit.embeddings import local_embeddings
from remit_cms.pages.payloads import SearchPages
from remit_cms.pages.search import Search
from remit_cms.semantic.index import SemanticIndex
from remit_cms.sites.payloads import AddSite, SeedSite
from remit_cms.storage.scope import Target

ANSWERS = {
    "When are you open?": {"Visit us", "Besuch"},
    "Wann haben Sie auf?": {"Visit us", "Besuch"},
    "At what times is the shop open?": {"Visit us", "Besuch"},
    "opening hours": {"Visit us", "Besuch"},
    "Öffnungszeiten": {"Visit us", "Besuch"},
    "Can I order a cake?": {"Cakes", "Kuchen"},
    "How do I order?": {"Order", "Bestellen"},
}


@pytest.mark.slow
async def test_the_page_that_answers_a_question_is_among_the_first_five(world: World) -> None:
    world.ids.counts["template"] = 100  # the two sites of the prepared database have the first ones
    await world.sites.add_site(world.call(tenant="bakers"), AddSite(key="bakery", name="Bakery"))
    await world.sites.seed_site(world.call(tenant="bakers"), SeedSite())
    index = SemanticIndex(world.database, local_embeddings(), delay=0)
    await index.update(Target("bakery", "main"))
    search = Search(world.database, index)
    for query, pages in ANSWERS.items():
        found = await search.search_pages(world.call(tenant="bakers"), SearchPages(query=query))
        titles = [match.title for match in found.matches]
        assert pages & {*titles}, (query, titles)
