"""The site as files: what visitors see, and what a server of files needs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from zipfile import ZipFile

import pytest

from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import World
from remit.errors import ConflictError
from remit_cms.pages.payloads import UpdatePage
from remit_cms.publishing.payloads import PublishPage, UnpublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.site.asgi import Response, Site
from remit_cms.site.payloads import ExportSite
from remit_cms.storage.scope import Scope


def files_in(folder: Path) -> set[str]:
    """The paths of the files in a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_files_are_what_visitors_see(world: World, tmp_path: Path) -> None:
    image = await world.image()
    page = await publish(world, "About", ("hero", {"heading": "Hi", "image": {"imageId": image.id}}))
    await world.page("Draft")
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, slug="us"))
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    reply = await world.exports.export_site(world.call(), ExportSite())
    folder = Path(reply.path)
    assert folder == tmp_path / "exports" / "local-site" / "main"
    files = files_in(folder)
    images = {name for name in files if name.startswith("images/")}
    assert files - images == {
        *("index.html", "us/index.html", "de/index.html", "de/us/index.html"),
        *("about/index.html", "de/about/index.html", "robots.txt", "sitemap.xml", "404.html"),
    }
    assert (reply.pages, reply.images, len(images)) == (1, 2, 2)
    assert (folder / "us/index.html").read_bytes() == (await visit(make_site(world), "/us")).body
    assert 'content="0; url=/us"' in (folder / "about/index.html").read_text()


async def test_a_second_export_replaces_the_first_and_a_zip_holds_the_same(world: World) -> None:
    page = await publish(world, "About")
    first = await world.exports.export_site(world.call(run="a"), ExportSite())
    zipped = await world.exports.export_site(world.call(run="a"), ExportSite(zip=True))
    with ZipFile(zipped.path) as file:
        names = set(file.namelist())
    assert names == files_in(Path(first.path))
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="x"))
    await Publishing(world.database).unpublish_page(world.call(), UnpublishPage(page_id=page.id))
    await world.exports.export_site(world.call(run="b"), ExportSite())
    last = ["404.html", "robots.txt", "sitemap.xml"]
    assert sorted(files_in(Path(zipped.path).parent)) == ["main.zip", *(f"main/{name}" for name in last)]


async def test_a_page_with_the_slug_404_is_not_what_is_shown_for_addresses_that_do_not_exist(world: World) -> None:
    page = await world.page("Lost")
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, slug="404"))
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    folder = Path((await world.exports.export_site(world.call(), ExportSite())).path)
    assert "Page not found" in (folder / "404.html").read_text()
    assert "<title>Lost" in (folder / "404/index.html").read_text()


async def test_what_a_killed_export_left_is_removed_by_the_next_one(world: World, tmp_path: Path) -> None:
    await publish(world, "About")
    folder = tmp_path / "exports" / "local-site" / "main"
    left = folder.with_name(".main-abcd1234") / "site"
    left.mkdir(parents=True)
    await world.exports.export_site(world.call(), ExportSite())
    assert names_in(folder.parent) == ["main"]


@pytest.mark.every_store
async def test_exports_at_once_are_whole_and_leave_nothing_else(world: World) -> None:
    await publish(world, "About")
    payloads = [ExportSite(zip=zipped) for zipped in (False, True, False, True, False)]
    replies = await asyncio.gather(*(world.exports.export_site(world.call(run="a"), each) for each in payloads))
    folder, zipped = Path(replies[0].path), Path(replies[1].path)
    assert names_in(folder.parent) == ["main", "main.zip"]
    with ZipFile(zipped) as file:
        assert set(file.namelist()) == files_in(folder) >= {"index.html", "about/index.html", "404.html"}
    assert {(reply.pages, reply.images) for reply in replies} == {(1, 0)}


async def test_an_export_is_one_state_of_the_site(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    hidden, moved = await publish(world, "Hidden"), await publish(world, "Moved")
    render, publishing, begun = Site.render, Publishing(world.database), list[str]()

    async def change_first(site: Site, scope: Scope, path: str) -> Response:
        if not begun:
            begun.append(path)
            await publishing.unpublish_page(world.call(), UnpublishPage(page_id=hidden.id))
            await world.pages.update_page(world.call(), UpdatePage(page_id=moved.id, slug="new"))
            await publishing.publish_page(world.call(), PublishPage(page_id=moved.id))
        return await render(site, scope, path)

    monkeypatch.setattr(Site, "render", change_first)
    folder = Path((await world.exports.export_site(world.call(), ExportSite())).path)
    for name in ("hidden", "moved"):
        assert f"<title>{name.title()}" in (folder / name / "index.html").read_text()
    assert not (folder / "new").exists()


async def test_a_picture_that_goes_while_the_site_is_written_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = await world.image()
    await publish(world, "About", ("hero", {"heading": "Hi", "image": {"imageId": image.id}}))

    async def gone(_site: Site, _path: str) -> Response:
        return Response(404, b"the page that says so")

    monkeypatch.setattr(Site, "respond", gone)
    with pytest.raises(ConflictError, match="while the site was written"):
        await world.exports.export_site(world.call(), ExportSite())
