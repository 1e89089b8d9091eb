"""A name that no object has is refused in one way: what was looked for, what is like it, and what lists all."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.cms.tests.world import World
from remit.errors import NotFoundError
from remit.tools import Candidate
from remit_cms.storage.missing import IMAGE, PAGE, Named, not_found, with_not_found
from tests.postgres import Postgres

PAGES = [
    Named("We open", "/we-open", "p1", ("we-open",)),
    Named("Opening hours", "/visit", "p2", ("visit", "Öffnungszeiten")),
    Named("Team 2024", "/team-2024", "p3", ("team-2024",)),
    Named("Team 2025", "/team-2025", "p4", ("team-2025",)),
]


@pytest.mark.parametrize(
    ("name", "similar"),
    [
        ("nope", ""),
        ("", ""),
        ("!?", ""),
        ("opening-hour", " Did you mean 'Opening hours' (/visit, id p2)?"),
        ("hours", " Did you mean 'Opening hours' (/visit, id p2)?"),
        ("öffnungszeit", " Did you mean 'Opening hours' (/visit, id p2)?"),
        ("Team 2026", " Did you mean 'Team 2024' (/team-2024, id p3) or 'Team 2025' (/team-2025, id p4)?"),
    ],
)
def test_the_most_similar_names_are_suggested(name: str, similar: str) -> None:
    assert str(not_found(PAGE, name, PAGES)) == f"There is no page '{name}'.{similar} cms_getPages lists the pages."


@pytest.fixture(scope="module", params=("sqlite", pytest.param("postgres", marks=pytest.mark.process)))
def populated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path | str]:
    """A site with an object of each kind, of which all tests only read; where its database is."""
    folder = tmp_path_factory.mktemp("populated")
    if request.param == "sqlite":
        location: Path | str = Path(shutil.copy(request.getfixturevalue("fresh"), folder / "cms.db"))
        asyncio.run(_populate(folder, location))
        yield location
        return
    postgres: Postgres = request.getfixturevalue("postgres")
    name = postgres.make(request.getfixturevalue("fresh_postgres"))
    asyncio.run(_populate(folder, postgres.url(name)))
    yield postgres.url(name)
    postgres.drop(name)


async def _populate(folder: Path, location: Path | str) -> None:
    world = World(folder, location)
    await world.populate()
    await world.database.close()


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        (
            "page",
            "abot",
            "There is no page 'abot'. Did you mean 'About' (/about, id page_1)? cms_getPages lists the pages.",
        ),
        ("document", "zzz", "There is no page or entry 'zzz'. cms_getPages lists the pages, cms_getPosts the posts."),
        ("entry", "new", r"There is no entry 'new'. Did you mean 'News' (/posts/news, id entry_2)? cms_getPosts lists"),
        ("section", "about/s9", "There is no section 'about/s9'. "),
        ("section", "about/hro", "There is no section 'about/hro'. Did you mean 'hero' (/about/hero, id "),
        ("navigation-item", "zzz", "There is no item 'zzz' in the navigation. cms_getNavigation lists them."),
        ("deleted-page", "zzz", "There is no page 'zzz' in the trash. cms_listTrash lists what is."),
        ("deleted-page", "about", "The page 'About' (/about) is not in the trash: it is not deleted. cms_deletePage"),
        (
            "change-set",
            "zzz",
            "There is no change set 'zzz'. Leave changeSetId out for that of this conversation; ",
        ),
        ("scheduled-action", "zzz", "There is no scheduled action 'zzz'. cms_listScheduledActions lists them."),
        ("image", "zzz", "There is no image 'zzz'. cms_searchImages finds images."),
    ],
)
async def test_each_kind_of_reference_says_what_does_not_exist(
    populated: Path | str, tmp_path: Path, kind: str, name: str, message: str
) -> None:
    world = World(tmp_path, populated)
    with pytest.raises(NotFoundError) as missing:
        await world.references[kind](world.call(), name)
    await world.database.close()
    assert str(missing.value).startswith(message)


@pytest.mark.parametrize("name", ["image_1", "IMAGE_1", " a loaf ", "loaf.png"])
async def test_a_name_that_a_candidate_has_is_left_to_the_runtime(world: World, name: str) -> None:
    found = [Candidate("image_1", "loaf.png", "1", ("A loaf",))]

    async def find(_ctx: object, _text: str) -> list[Candidate]:
        return found

    assert await with_not_found(find, IMAGE)(world.call(), name) == found
