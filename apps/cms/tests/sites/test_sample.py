"""The sample site as visitors see it: seeded once for all of these tests."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest
from sqlalchemy import func, select

from apps.cms.tests.site.visitor import make_site, visit
from apps.cms.tests.world import World
from remit.errors import ConflictError, SetupError
from remit_cms.app import app
from remit_cms.sites.payloads import SeedSite
from remit_cms.sites.sample.building import build_sample, outline_sample
from remit_cms.sites.sample.filling import fill_with_sample
from remit_cms.sites.sample.pictures import draw_picture
from remit_cms.storage.database import Database
from remit_cms.storage.tables import Kind, Page, Revision


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The documents of all pages by address, and those of all links on them."""

    async def load() -> dict[str, str]:
        world = World(tmp_path_factory.mktemp("sample"))
        await world.sites.seed_site(world.call(), SeedSite())
        with pytest.raises(ConflictError, match="into an empty one only"):
            await world.sites.seed_site(world.call(), SeedSite())
        site, waiting, found = make_site(world, look_every=3600.0), ["/", "/de", "/sitemap.xml"], dict[str, str]()
        while waiting:
            reply = await visit(site, path := waiting.pop())
            assert reply.status == 200, path
            found[path] = reply.text
            linked = re.findall(r'(?:href="|<loc>https://bakery\.example)(/[^"#<]*)', reply.text)
            waiting += sorted({*linked} - {*found, *waiting})
        for path, new in (("/work-with-us", "/jobs"), ("/de/mitarbeiten", "/de/arbeiten-bei-uns")):
            moved = await visit(site, path)
            assert (moved.status, moved.headers["location"]) == (301, new)
        await world.database.close()
        return {path: text for path, text in found.items() if text.startswith("<!doctype html>")}

    return asyncio.run(load())


def test_every_page_is_there_in_both_languages_and_every_link_leads_somewhere(pages: dict[str, str]) -> None:
    languages = [re.findall(r'<html lang="(\w+)"', text) for text in pages.values()]
    assert languages.count(["en"]) == languages.count(["de"]) >= 16 + 12
    assert not any(re.search(r"(page|entry):\w", text) for text in pages.values())
    assert "Twelve seats" in pages["/"]
    assert "Zwölf Plätze" in pages["/de"]


def test_every_page_has_one_heading_its_landmarks_and_alternative_texts(pages: dict[str, str]) -> None:
    for path, text in pages.items():
        assert len(re.findall("<h1", text)) == 1, path
        for landmark in ("header", "main", "footer", "nav"):
            assert f"<{landmark}" in text, (path, landmark)
        read_aloud = re.sub(r'<a [^>]*aria-hidden="true">.*?</a>', "", text, flags=re.DOTALL)
        for image in re.findall(r"<img[^>]*>", read_aloud):
            assert re.search(r'alt="[^"]{10,}"', image), path
            assert re.search(r'width="\d+" height="\d+"', image), path


def test_the_sample_is_the_same_each_time_and_holds_what_the_guide_says() -> None:
    package, contents = build_sample()
    (image, *_) = package.images
    assert draw_picture(image.id).content == contents[image.digest]
    entries = [part.draft.slug for part in package.documents if part.draft.kind == Kind.ENTRY]
    assert (package.count(Kind.PAGE), len(package.images)) == (16, 15)
    assert sum(slug.startswith("posts/") for slug in entries) == 8
    used = {section.definition for part in package.documents for section in part.draft.sections}
    assert {each.key for each in package.templates if each.structure.lists} <= used
    assert all({*part.draft.texts} == {"en", "de"} for part in package.documents if part.draft.kind == Kind.PAGE)


def test_the_outline_for_previews_has_all_but_the_pictures() -> None:
    package, _ = build_sample()
    outline = outline_sample()
    assert [each.id for each in outline.images] == [each.id for each in package.images]
    assert outline.model_copy(update={"images": package.images}) == package


async def test_who_approves_the_sample_reads_where_visitors_are_led_before_the_menu(world: World) -> None:
    preview = await world.sites.preview_seeding(world.call(tenant="other"), SeedSite())
    kinds = [change.where.partition(":")[0] for change in preview.changes]
    assert kinds.index("Redirects") < kinds.index("Navigation")


async def test_a_new_database_can_begin_with_the_sample_and_is_filled_once(tmp_path: Path) -> None:
    for _ in range(2):
        database = Database(tmp_path / "cms.db", fill=fill_with_sample)
        async with database.read() as session:
            live = select(func.count()).select_from(Page).where(Page.live.is_not(None), Page.kind == Kind.PAGE)
            authors = (await session.scalars(select(Revision.author).distinct())).all()
            assert (await session.scalar(live), authors) == (16, ["sample"])
        await database.close()


async def test_a_database_that_has_a_site_is_not_filled(tmp_path: Path) -> None:
    for fill in (None, fill_with_sample):
        database = Database(tmp_path / "cms.db", fill=fill)
        async with database.read() as session:
            assert await session.scalar(select(func.count()).select_from(Page)) == 0
        await database.close()


def test_the_environment_asks_for_the_sample_with_1(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REMIT_HOME", str(tmp_path))
    monkeypatch.setenv("REMIT_CMS_SAMPLE", "yes")
    with pytest.raises(SetupError, match="REMIT_CMS_SAMPLE holds 'yes'; give 1 for a new site with the sample, or 0"):
        app()
    monkeypatch.setenv("REMIT_CMS_SAMPLE", "1")
    assert app().name == "cms"
