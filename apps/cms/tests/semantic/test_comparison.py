"""Vectors are compared in memory, or by Postgres with pgvector, and both find the same."""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import make_url, update

from apps.cms.tests.semantic.embedding import Topics
from apps.cms.tests.world import ELSEWHERE, HOME, World
from remit_cms.pages.payloads import SearchPages
from remit_cms.pages.search import Search
from remit_cms.semantic.comparison import Comparison, Near
from remit_cms.semantic.floats import to_rows
from remit_cms.semantic.index import SemanticIndex
from remit_cms.semantic.matrix import MatrixComparison
from remit_cms.semantic.pgvector import PgvectorComparison, find_pgvector
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.tables import Environment
from remit_cms.storage.vectors import Vector, load_counts
from tests.postgres import PASSWORD, Postgres

KINDS, LOCALES = ("page", "entry", "image"), ("en", "de", "")
Way = tuple[Database, Comparison]


@pytest.fixture
def postgres_location(postgres: Postgres, fresh_postgres: str) -> Iterator[str]:
    name = postgres.make(fresh_postgres)
    yield postgres.url(name)
    postgres.drop(name)


@pytest.fixture
async def ways(sqlite_location: Path, postgres_location: str) -> AsyncIterator[tuple[Way, Way]]:
    """Each kind of database, with the comparison that it has."""
    async with AsyncExitStack() as stack:
        sqlite, postgres = Database(sqlite_location), Database(postgres_location)
        for database in (sqlite, postgres):
            stack.push_async_callback(database.close)
        schema = await find_pgvector(postgres)
        assert schema == "public"
        yield (
            (sqlite, MatrixComparison(sqlite, "model")),
            (postgres, PgvectorComparison(postgres, "model", schema)),
        )


@dataclass(frozen=True)
class Row:
    """The vectors of an object in one language."""

    name: str
    vectors: Sequence[Sequence[float] | None]
    locale: str = "en"
    kind: str = "page"
    target: Target = HOME
    model: str = "model"


async def store(database: Database, *rows: Row) -> None:
    async with database.write() as session:
        counted = update(Environment).values(vectors=Environment.vectors + 1).returning(Environment.vectors)
        version = (await session.scalars(counted)).first()
        for row in rows:
            place = {"site": row.target.site, "environment": row.target.environment, "locale": row.locale}
            made = {"kind": row.kind, "object": row.name, "model": row.model, "digest": "", "version": version}
            for part, vector in enumerate(row.vectors):
                content = None if vector is None else to_rows([vector])[0].tobytes()
                session.add(Vector(**place, **made, part=part, vector=content))


async def find(
    way: Way,
    query: Sequence[float],
    kinds: Sequence[str] = KINDS,
    locales: Sequence[str] = LOCALES,
    *,
    target: Target = HOME,
    limit: int = 20,
) -> list[Near]:
    database, comparison = way
    async with database.read() as session:
        _, version = await load_counts(Scope(session, target, ()))
    return [*await comparison.find_near(target, version, to_rows([query])[0], kinds, locales, limit)]


@pytest.mark.process
async def test_both_ways_find_the_same_in_the_same_order(ways: tuple[Way, Way]) -> None:
    chosen = random.Random(1)  # noqa: S311 - no secret
    # Few directions, so that many objects are equally good; and some in between.
    near = [[float(chosen.choice((0, 0, 1, 2))) for _ in range(4)] for _ in range(60)]
    spread = [[chosen.gauss(0, 1) for _ in range(4)] for _ in range(60)]
    rows = [
        Row(
            f"{chosen.choice('abcz')}{number}",
            [near[chosen.randrange(60)], spread[chosen.randrange(60)], None][: chosen.randint(1, 3)],
            locale,
            chosen.choice(KINDS),
            chosen.choice((HOME, HOME, ELSEWHERE)),
            chosen.choice(("model", "model", "another")),
        )
        for number in range(120)
        for locale in ("en", "de")
    ]
    for database, _ in ways:
        await store(database, *rows)
        await store(database, Row("last", [[1, 0, 0, 0]], locale=""))
    for query, kinds, locales, limit in product(
        ([1, 0, 0, 0], [1, 1, 2, 0], [-1, 0, 1, 0], spread[0]), (KINDS, ("page",)), (LOCALES, ("de",)), (1, 5, 200)
    ):
        for target in (HOME, ELSEWHERE):
            memory, database = [await find(way, query, kinds, locales, target=target, limit=limit) for way in ways]
            assert memory == database
            assert len({each.id for each in memory}) == len(memory) <= limit
    assert len(await find(ways[0], [1, 1, 1, 1], limit=200)) > 20


@pytest.mark.process
async def test_the_best_vector_of_an_object_counts_and_what_is_far_below_the_best_is_left_out(
    ways: tuple[Way, Way],
) -> None:
    for way in ways:
        await store(
            way[0],
            Row("both", [[0, 1, 0], [1, 0, 0]]),
            Row("close", [[0.9, 0.4358899, 0]]),
            Row("far", [[0.8, 0.6, 0]]),
            Row("languages", [[0.95, 0.3122499, 0]]),
            Row("languages", [[0.97, 0.2431049, 0]], "de"),
        )
        assert await find(way, [1, 0, 0]) == [Near("both", "en"), Near("languages", "de"), Near("close", "en")]
        assert await find(way, [0.5, 0.8660254, 0], limit=1) == [Near("far", "en")]
        assert await find(way, [0.11, 0, 0.9939316]) == []
        assert await find(way, [0.13, 0, 0.9915140], limit=1) == [Near("both", "en")]


@pytest.mark.process
async def test_equally_good_objects_are_in_the_order_of_their_ids_and_the_first_language_counts(
    ways: tuple[Way, Way],
) -> None:
    for way in ways:
        names = ("c", "a2", "a10", "b", "a-1")
        await store(way[0], *(Row(name, [[1, 0]], locale) for name in names for locale in ("en", "de")))
        found = await find(way, [1, 0])
        assert found == [Near(name, "de") for name in ("a-1", "a10", "a2", "b", "c")]


@pytest.mark.process
async def test_rows_of_another_site_another_model_or_another_width_are_never_compared(ways: tuple[Way, Way]) -> None:
    for way in ways:
        foreign, former = Row("foreign", [[1, 0]], target=ELSEWHERE), Row("former", [[1, 0]], model="former")
        await store(way[0], foreign, former, Row("wide", [[1, 0, 0]]), Row("empty", [None]))
        assert await find(way, [1, 0]) == []
        await store(way[0], Row("mine", [[1, 0]]))
        assert await find(way, [1, 0]) == [Near("mine", "en")]
        assert await find(way, [1, 0, 0]) == [Near("wide", "en")]
        assert await find(way, [0, 0]) == []
        assert await find(way, [1, 0, 0, 0]) == []


async def search(world: World, word: str) -> list[str]:
    search = Search(world.database, SemanticIndex(world.database, Topics().embeddings))
    reply = await search.search_pages(world.call(), SearchPages(query=word))
    return [match.slug for match in reply.matches]


@pytest.fixture(params=("the server does not have it", "the role may not create it"))
def location_without(request: pytest.FixtureRequest, postgres: Postgres) -> Iterator[str]:
    """A new database where the CMS cannot have pgvector."""
    name = postgres.make()
    url = postgres.url(name)
    if "server" in request.param:
        postgres.do(f"ALTER DATABASE {name} SET extension_control_path = '/nowhere'")
        yield url
    else:
        postgres.do(f"CREATE ROLE humble LOGIN PASSWORD '{PASSWORD}'")
        postgres.do("CREATE SCHEMA cms AUTHORIZATION humble", database=name)
        yield make_url(url).set(username="humble").render_as_string(hide_password=False)
    postgres.drop(name)
    postgres.do("DROP ROLE IF EXISTS humble")


@pytest.mark.process
async def test_without_pgvector_vectors_are_compared_in_memory_until_an_administrator_adds_it(
    location_without: str, postgres: Postgres, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    world = World(tmp_path, location_without)
    await world.page("Van", ("text", {"content": "Wheels."}))
    assert await search(world, "bicycle") == ["van"]
    (said,) = [each for each in caplog.messages if "pgvector" in each]
    await world.database.close()
    caplog.clear()
    mend = re.search("`(.+)`", said)
    assert mend
    name = make_url(location_without).database or ""
    postgres.do(f"ALTER DATABASE {name} RESET extension_control_path")
    postgres.do(*mend[1].split("; "), database=name)
    assert await find_pgvector(world.database) == "public"
    assert await search(world, "bicycle") == ["van"]
    await world.page("Second", ("text", {"content": "A bicycle."}))
    assert await search(world, "delivery") == ["van", "second"]
    assert not caplog.messages
    await world.database.close()


@pytest.mark.process
async def test_pgvector_is_used_in_whichever_schema_it_is(postgres: Postgres, tmp_path: Path) -> None:
    name = postgres.make()
    postgres.do('CREATE SCHEMA "Odd one"', 'CREATE EXTENSION vector SCHEMA "Odd one"', database=name)
    world = World(tmp_path, postgres.url(name))
    await world.page("Van", ("text", {"content": "Wheels."}))
    assert await search(world, "bicycle") == ["van"]
    assert await find_pgvector(world.database) == '"Odd one"'
    await world.database.close()
    postgres.drop(name)


def test_numbers_that_are_none_count_as_nothing() -> None:
    (row,) = to_rows([[float("nan"), float("inf"), 3.0]])
    assert np.array_equal(row, [0, 0, 1])
