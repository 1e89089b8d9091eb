"""Models of embeddings that answer badly, and several models at once on one database."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

import pytest

from apps.cms.tests.semantic.embedding import Topics
from apps.cms.tests.world import HOME, World
from remit.embeddings import Embeddings
from remit.errors import ConflictError
from remit_cms.pages.payloads import DeletePage, SearchPages, UpdatePage
from remit_cms.pages.search import Search
from remit_cms.semantic.index import SemanticIndex
from remit_cms.semantic.rebuilding import Rebuilding, RebuildSearch

RIVAL = "texts of local-site/main are embedded by another process with the model second"
KINDS = ("page", "entry", "image")


async def find(world: World, index: SemanticIndex, query: str) -> list[str]:
    reply = await Search(world.database, index).search_pages(world.call(), SearchPages(query=query))
    return [match.slug for match in reply.matches]


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.message for each in caplog.records if each.levelname == "WARNING"]


_NO_VECTORS: Final[list[tuple[Any, str]]] = [
    ([[1.0, 2.0], [1.0]], "are not lists of numbers of one length"),
    ([["a", "b"], ["c", "d"]], "are not lists of numbers of one length"),
    ([[10**400], [1]], "are not lists of numbers of one length"),
    ([[[1.0]], [[1.0]]], "are not lists of numbers of one length"),
    ([1.0, 2.0], "are not lists of numbers of one length"),
    (1.0, "are not lists of numbers of one length"),
    (None, "are not lists of numbers of one length"),
    ([[], []], "vectors of 0 numbers; 1 to 16,000 can be kept"),
    ([[1.0] * 16_001, [1.0] * 16_001], "vectors of 16,001 numbers; 1 to 16,000 can be kept"),
    ([[1.0], [1.0], [1.0]], "3 vectors for 2 texts"),
]


@pytest.mark.parametrize(("answer", "said"), _NO_VECTORS)
async def test_what_is_no_vector_for_each_text_leaves_the_search_to_words_until_the_model_is_well(
    world: World, caplog: pytest.LogCaptureFixture, answer: Any, said: str
) -> None:
    await world.page("Bread")
    await world.page("Loaf")

    async def answer_badly(texts: Sequence[str]) -> Any:
        return answer

    index = SemanticIndex(world.database, Embeddings("topics", answer_badly), delay=0)
    assert await find(world, index, "bread") == ["bread"]
    index.start(HOME)
    await index.settle()
    assert [said in each for each in warnings(caplog)] == [True, True]
    assert await find(world, SemanticIndex(world.database, Topics().embeddings), "bread") == ["bread", "loaf"]


async def test_vectors_as_wide_as_can_be_kept_are_found(world: World) -> None:
    await world.page("Loaf")

    async def widen(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0] * 16_000 for _ in texts]

    assert await find(world, SemanticIndex(world.database, Embeddings("wide", widen)), "bread") == ["loaf"]


@pytest.mark.parametrize("error", [ValueError("broke"), TimeoutError("broke"), KeyError("broke")])
async def test_an_error_of_the_model_leaves_the_search_to_words_and_is_logged_with_its_traceback(
    world: World, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    await world.page("Bread")

    async def fail(texts: Sequence[str]) -> list[list[float]]:
        raise error

    index = SemanticIndex(world.database, Embeddings("failing", fail), delay=0)
    assert await find(world, index, "bread") == ["bread"]
    index.start(HOME)
    await index.settle()
    assert [each.exc_info[1] for each in caplog.records if each.exc_info] == [error, error]


async def test_a_process_whose_model_another_has_replaced_finds_by_words_and_says_so_once(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    await world.page("Bread")
    loaf = await world.page("Loaf")
    first, second = Topics("first"), Topics("second")
    old, new = (SemanticIndex(world.database, model.embeddings, delay=0) for model in (first, second))
    for index in (old, new):
        assert await find(world, index, "bread") == ["bread", "loaf"]
    for model in (first, second):
        model.asked.clear()
    for _ in range(3):
        assert await find(world, old, "bread") == ["bread"]
        assert await find(world, new, "bread") == ["bread", "loaf"]
    await world.pages.update_page(world.call(), UpdatePage(page_id=loaf.id, title="Baguette"))
    old.start(HOME)
    await old.settle()
    assert await find(world, old, "bread") == ["bread"]
    assert await find(world, new, "bread") == ["bread", "loaf"]
    assert (first.asked, second.asked) == ([], ["bread"] * 3 + ["Baguette", "bread"])
    assert [RIVAL in each for each in warnings(caplog)] == [True]


async def test_a_rebuild_takes_the_search_back_and_what_was_deleted_meanwhile_is_gone(world: World) -> None:
    await world.page("Loaf")
    gone = await world.page("Baguette")
    old, new = (SemanticIndex(world.database, Topics(name).embeddings) for name in ("first", "second"))
    for index in (old, new, old):
        await find(world, index, "bread")
    await world.pages.delete_page(world.call(), DeletePage(page_id=gone.id, confirmed=True))
    await Rebuilding(world.database, old).rebuild_search(world.call(), RebuildSearch())
    near = await old.search(HOME, "bread", KINDS, ("en", "de"), 20)
    assert gone.id not in [each.id for each in near]
    assert await find(world, old, "bread") == ["loaf"]
    assert await find(world, new, "bread") == []


async def test_of_two_models_that_start_at_once_one_embeds_all_and_the_other_gives_up(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    for number in range(40):
        await world.page(f"Loaf {number}")

    class Yielding(Topics):
        async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
            await asyncio.sleep(0)
            return await super().__call__(texts)

    models = [Yielding("first"), Yielding("second")]
    indexes = [SemanticIndex(world.database, model.embeddings, delay=0) for model in models]
    for index in indexes:
        index.start(HOME)
    await asyncio.gather(*(index.settle() for index in indexes))
    found = [len(await index.search(HOME, "bread", KINDS, ("en", "de"), 50)) for index in indexes]
    assert sorted(found) == [0, 40]
    assert len(warnings(caplog)) == 1


async def test_an_update_that_another_model_overtakes_says_so(world: World) -> None:
    await world.page("Loaf")

    class Overtaken(Topics):
        async def __call__(self, texts: Sequence[str]) -> list[list[float]]:
            if len(self.asked) == 1:
                await SemanticIndex(world.database, Topics("second").embeddings).update(HOME)
            return await super().__call__(texts)

    index = SemanticIndex(world.database, Overtaken("first").embeddings)
    await index.update(HOME)
    second = SemanticIndex(world.database, Topics("second").embeddings)
    await world.page("Baguette")
    with pytest.raises(ConflictError, match=RIVAL):
        await index.update(HOME)
    assert sorted(await find(world, second, "bread")) == ["baguette", "loaf"]
