"""Search by meaning: what is found, when texts are embedded, and of whom nothing is found."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from sqlalchemy import func, select

from apps.cms.tests.images.files import picture_file
from apps.cms.tests.semantic.embedding import Topics
from apps.cms.tests.world import HOME, World
from remit import App, Principal, Runtime
from remit.embeddings import Embeddings
from remit.errors import ConflictError, ExternalError
from remit.tools import Arguments
from remit_cms.images.library import Images
from remit_cms.images.payloads import DeleteImage, FindImage, SearchImages, UpdateImage
from remit_cms.pages.payloads import CreatePage, DeletePage, FindResource, Meta, SearchPages, UpdatePage
from remit_cms.pages.search import Search
from remit_cms.posts.payloads import CreatePost
from remit_cms.posts.posts import Posts
from remit_cms.sections.payloads import UpdateSectionContent
from remit_cms.semantic.index import SemanticIndex
from remit_cms.semantic.rebuilding import Rebuilding, RebuildSearch
from remit_cms.sites.payloads import AddSite
from remit_cms.sites.sites import Sites
from remit_cms.storage.vectors import Embedded, Vector
from remit_cms.tools import sites_operations


def index_of(world: World, model: Topics, *, delay: float = 0) -> SemanticIndex:
    return SemanticIndex(world.database, model.embeddings, delay=delay)


async def find(
    world: World,
    index: SemanticIndex | None,
    query: str,
    *,
    tenant: str = "local-site",
    target: str = "",
    **given: object,
) -> list[str]:
    payload = SearchPages.model_validate({"query": query, **given})
    reply = await Search(world.database, index).search_pages(world.call(tenant=tenant, target=target), payload)
    return [match.slug for match in reply.matches]


async def find_images(world: World, index: SemanticIndex, query: str, *, tenant: str = "local-site") -> list[str]:
    images = Images(world.database, world.files, world.renditions, index)
    reply = await images.search_images(world.call(tenant=tenant), SearchImages(query=query))
    return [match.alt_text for match in reply.matches]


async def count(world: World, table: type[Vector | Embedded]) -> int:
    async with world.database.read() as session:
        return await session.scalar(select(func.count()).select_from(table)) or 0


async def test_pages_are_found_by_words_and_by_meaning_and_the_best_of_both_is_first(world: World) -> None:
    await world.page("Fresh", ("text", {"content": "Our loaf."}))
    await world.page("Van", ("text", {"content": "Wheels."}))
    await world.page("Bread", ("text", {"content": "Rye."}))
    index = index_of(world, Topics())
    assert await find(world, index, "bread") == ["bread", "fresh"]
    assert await find(world, None, "bread") == ["bread"]
    assert await find(world, index, "bicycle") == ["van"]
    assert await find(world, index, "zebra") == []
    assert await find(world, index, "bread", limit=1) == ["bread"]


async def test_posts_are_found_by_words_and_by_meaning_and_are_told_apart_from_pages(world: World) -> None:
    await world.page("Van", ("text", {"content": "Wheels."}))
    post = CreatePost(title="Morning", body="We ride a bicycle.")
    await Posts(world.database).create_post(world.call(), post)
    for index in (None, index_of(world, Topics())):
        reply = await Search(world.database, index).search_pages(world.call(), SearchPages(query="bicycle"))
        assert (reply.matches[0].slug, reply.matches[0].kind) == ("posts/morning", "entry")
    assert [(match.slug, match.kind) for match in reply.matches[1:]] == [("van", None)]
    similar = await world.search.find_resource(world.call(), FindResource(query="mornign"))
    assert [(match.slug, match.kind) for match in similar.matches] == [("posts/morning", "entry")]


async def test_a_page_is_found_in_the_language_that_is_asked_for_or_one_that_stands_in_for_it(world: World) -> None:
    page = await world.page("Van", ("text", {"content": "Wheels."}))
    index = index_of(world, Topics())
    section = UpdateSectionContent(page_section_id=page.sections[0].id, content={"content": "Brot"}, locale_code="de")
    await world.sections.update_section_content(world.call(), section)
    assert await find(world, index, "loaf", locale_code="en") == []
    assert await find(world, index, "loaf", locale_code="de") == ["van"]
    assert await find(world, index, "loaf") == ["van"]
    assert await find(world, index, "delivery", locale_code="de") == ["van"]


async def test_images_are_found_by_meaning(world: World) -> None:
    loaf = await world.image("A loaf")
    cake = await world.image("A cake", picture_file(colour="pink"), name="cake.png")
    index = index_of(world, Topics())
    images = Images(world.database, world.files, world.renditions, index)
    assert await find_images(world, index, "baguette") == ["A loaf"]
    assert (await images.find_image(world.call(), FindImage(description="baguette"))).image.id == loaf.id
    assert await find_images(world, index, "cake") == ["A cake"]
    await images.update_image(world.call(), UpdateImage(image_id=cake.id, alt_text="A bicycle"))
    assert await find_images(world, index, "delivery") == ["A bicycle"]
    await images.delete_image(world.call(), DeleteImage(image_id=loaf.id))
    assert await find_images(world, index, "baguette") == []
    assert await count(world, Embedded) == 1


async def test_search_follows_every_edit_and_embeds_only_texts_that_changed(world: World) -> None:
    page = await world.page("About", ("text", {"content": "Our loaf."}))
    await world.page("Other", ("text", {"content": "Wheels."}))
    model = Topics()
    index = index_of(world, model)
    assert await find(world, index, "baguette") == ["about"]
    model.asked.clear()
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, indexing=False))
    assert await find(world, index, "baguette") == ["about"]
    assert model.asked == ["baguette"]
    await world.sections.update_section_content(
        world.call(), UpdateSectionContent(page_section_id=page.sections[0].id, content={"content": "A vacancy."})
    )
    assert await find(world, index, "baguette") == []
    assert await find(world, index, "career") == ["about"]
    assert model.asked == ["baguette", "About\nA vacancy.", "baguette", "career"]
    await world.pages.delete_page(world.call(), DeletePage(page_id=page.id, confirmed=True))
    assert await find(world, index, "career") == []
    assert await count(world, Embedded) == 1


async def test_a_text_that_is_gone_is_not_found_any_more(world: World) -> None:
    page = await world.page("Van", ("text", {"content": "Wheels."}))
    index = index_of(world, Topics())
    for content, found in (("Brot", ["van"]), ("", [])):
        section = UpdateSectionContent(
            page_section_id=page.sections[0].id, content={"heading": content or None}, locale_code="de"
        )
        await world.sections.update_section_content(world.call(), section)
        assert await find(world, index, "loaf") == found


async def test_edits_of_another_process_are_found_and_so_is_what_a_process_left_that_died(world: World) -> None:
    await world.page("About", ("text", {"content": "Our loaf."}))

    class Dying(Topics):
        async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await find(world, index_of(world, Dying()), "baguette")
    first, second = index_of(world, Topics()), index_of(world, Topics())
    assert await find(world, first, "baguette") == ["about"]
    await world.page("Van", ("text", {"content": "Wheels."}))
    assert await find(world, second, "bicycle") == ["van"]
    assert await find(world, first, "bicycle") == ["van"]


async def test_a_page_that_another_process_deleted_does_not_hide_others_that_are_less_like_the_query(
    world: World,
) -> None:
    best = await world.page("Loaf", ("text", {"content": "Our loaf."}))
    await world.page("Mixed", ("text", {"content": "Wheels and a bicycle, and bread."}))
    first, second = index_of(world, Topics()), index_of(world, Topics())
    for index in (first, second):
        assert await find(world, index, "baguette") == ["loaf"]
    await world.pages.delete_page(world.call(), DeletePage(page_id=best.id, confirmed=True))
    for index in (first, second):
        assert await find(world, index, "baguette") == ["mixed"]


async def test_texts_are_embedded_after_an_edit_in_the_background_while_others_write(world: World) -> None:
    gate = asyncio.Event()

    class Waiting(Topics):
        async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
            await gate.wait()
            return await super().__call__(texts)

    model = Waiting()
    index = index_of(world, model)
    index.follow_edits()
    await world.page("About", ("text", {"content": "Our loaf."}))
    await world.page("Van", ("text", {"content": "Wheels."}))
    assert await count(world, Embedded) == 0
    gate.set()
    await index.settle()
    assert sorted(model.asked) == ["About\nOur loaf.", "Van\nWheels."]
    assert await count(world, Embedded) == 2


async def test_a_large_site_is_searched_by_what_is_embedded_so_far_and_the_rest_follows(world: World) -> None:
    for number in range(34):
        await world.page(f"Loaf {number}")
    model = Topics()
    index = index_of(world, model)
    assert await find(world, index, "baguette") == []
    await index.settle()
    assert len(await find(world, index, "baguette", limit=20)) == 20


async def test_nothing_of_another_tenant_or_site_is_ever_found(world: World) -> None:
    world.ids.counts["template"] = 100  # beyond those of the sites that are there
    await world.sites.add_site(world.call(), AddSite(key="second", name="Second"))
    index = index_of(world, Topics())
    for tenant, target, word in (("local-site", "", "loaf"), ("other", "", "bread"), ("local-site", "second", "brot")):
        page = CreatePage(title=f"{word} {tenant} {target}".strip())
        await world.pages.create_page(world.call(tenant=tenant, target=target), page)
    await world.image("A loaf", tenant="other")
    assert await find(world, index, "baguette") == ["loaf-local-site"]
    assert await find(world, index, "baguette", target="second") == ["brot-local-site-second"]
    assert await find(world, index, "baguette", tenant="other") == ["bread-other"]
    assert await find_images(world, index, "baguette") == []
    assert await find_images(world, index, "baguette", tenant="other") == ["A loaf"]


async def test_another_model_embeds_everything_anew_and_vectors_of_the_former_are_not_compared(world: World) -> None:
    await world.page("About", ("text", {"content": "Our loaf."}))
    assert await find(world, index_of(world, Topics()), "baguette") == ["about"]

    class Reversed(Topics):
        async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
            return [[*reversed(vector), 0.0] for vector in await super().__call__(texts)]

    model = Reversed("reversed")
    assert await find(world, index_of(world, model), "baguette") == ["about"]
    assert model.asked == ["About\nOur loaf.", "baguette"]


async def test_a_model_that_fails_leaves_the_search_to_words(world: World, caplog: pytest.LogCaptureFixture) -> None:
    await world.page("Bread")

    async def fail(texts: Sequence[str]) -> list[list[float]]:
        raise ExternalError("no answer")

    async def forget(texts: Sequence[str]) -> list[list[float]]:
        return []

    for embed, said in ((fail, "no answer"), (forget, "gave 0 vectors for 1 texts")):
        index = SemanticIndex(world.database, Embeddings("failing", embed), delay=0)
        assert await find(world, index, "bread") == ["bread"]
        index.start(HOME)
        await index.settle()
        assert said in caplog.text
        caplog.clear()


async def test_a_rebuild_embeds_everything_anew_and_tells_how_far_it_is(world: World) -> None:
    for number in range(20):
        await world.page(f"Loaf {number}")
    await world.image("A loaf")
    model = Topics()
    index = index_of(world, model)
    await index.update(HOME)
    model.asked.clear()
    call = world.call()
    reply = await Rebuilding(world.database, index).rebuild_search(call, RebuildSearch())
    assert (reply.embedded, reply.model, len(model.asked)) == (21, "topics", 21)
    assert call.said == [  # type: ignore[attr-defined]
        "progress {'done': 16, 'total': 21}",
        "progress {'done': 21, 'total': 21}",
    ]


async def test_a_rebuild_that_is_cancelled_is_gone_on_with_by_the_next_search(world: World) -> None:
    await world.page("About", ("text", {"content": "Our loaf."}))
    started = asyncio.Event()

    class Hanging(Topics):
        async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
            started.set()
            await asyncio.get_running_loop().create_future()
            return []

    operations = sites_operations(
        Sites(world.database, world.files), Rebuilding(world.database, index_of(world, Hanging()))
    )
    runtime = Runtime(App(name="cms", tools=operations.callees), make_run_id=lambda: "run-1")
    ann = Principal("ann", "local-site", frozenset({"cms:sites", "cms:write"}))
    call = asyncio.create_task(runtime.call_by_name("cms_rebuildSearch", Arguments("{}", {}), by=ann))
    await started.wait()
    await runtime.cancel("run-1", by=ann)
    assert (await call).status == "cancelled"
    assert await find(world, index_of(world, Topics()), "baguette") == ["about"]


async def test_without_a_model_words_are_searched_and_a_rebuild_says_what_to_install(world: World) -> None:
    await world.page("Bread")
    assert await find(world, None, "bread") == ["bread"]
    with pytest.raises(ConflictError, match=r"pip install '\./apps/cms\[semantic\]'"):
        await Rebuilding(world.database, None).rebuild_search(world.call(), RebuildSearch())


async def test_a_page_is_found_by_its_description_alone_whatever_its_texts_are_about(world: World) -> None:
    await world.page("Van", ("text", {"content": "Wheels, a bicycle, delivery. " * 20 + "Bread."}))
    index = index_of(world, Topics())
    assert await find(world, index, "baguette") == []
    described = UpdatePage(page_id="van", meta=Meta(description="Our loaf."))
    await world.pages.update_page(world.call(), described)
    assert await find(world, index, "baguette") == ["van"]
    assert await find(world, index, "fahrrad") == ["van"]
