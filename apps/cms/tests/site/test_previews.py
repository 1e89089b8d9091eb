"""Links to previews: they show what they name until they expire, to whoever has one, and nothing else."""

from __future__ import annotations

import pytest

from apps.cms.tests.site.visitor import KEY, make_site, publish, visit
from apps.cms.tests.world import ELSEWHERE, HOME, PREVIEW_KEY, START, World
from remit.errors import ConflictError, ExternalError, SetupError
from remit.secrets import EnvSecrets, Secret
from remit_cms.pages.payloads import CreatePage, UpdatePage
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import DiscardChangeSet
from remit_cms.sections.payloads import SectionInput
from remit_cms.site.links import Preview, read_preview, sign_preview
from remit_cms.site.payloads import CreatePreviewLink
from remit_cms.site.previewing import KEY_VARIABLE, PreviewKey, Previews


def path_of(url: str) -> str:
    """The path of a link."""
    return url.removeprefix("https://bakery.example")


async def test_a_link_shows_the_revision_that_it_names_also_after_further_edits(world: World) -> None:
    page = await world.page("About", ("hero", {"heading": "We bake bread"}))
    await world.page("Other")
    previews = Previews(world.database, PREVIEW_KEY)
    reply = await previews.create_preview_link(world.call(), CreatePreviewLink(page_id=page.id))
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Changed", slug="changed"))
    site = make_site(world, clock=START.timestamp)
    shown = await visit(site, path_of(reply.url))
    assert (shown.status, reply.pages, "We bake bread" in shown.text) == (200, ["About"], True)
    assert "Preview: visitors do not see this." in shown.text
    assert (shown.headers["cache-control"], shown.headers["x-robots-tag"]) == ("private, no-store", "noindex")
    assert (await visit(site, f"{path_of(reply.url)}about")).status == 200
    assert (await visit(site, f"{path_of(reply.url)}other")).status == 404
    assert (await visit(site, "/about")).status == 404


async def test_a_link_to_a_change_set_shows_its_pages_beside_those_that_are_live(world: World) -> None:
    await publish(world, "Live", ("hero", {"heading": "Here already"}))
    call = world.call(conversation="c")
    section = SectionInput(definition_id="hero", content={"heading": "New"})
    await world.pages.create_page(call, CreatePage(title="New", sections=[section]))
    await world.pages.update_page(world.call(conversation="c"), UpdatePage(page_id="live", slug="lively"))
    reply = await Previews(world.database, PREVIEW_KEY).create_preview_link(
        world.call(), CreatePreviewLink(change_set_id="set_1")
    )
    site = make_site(world, clock=START.timestamp)
    found = {path: (await visit(site, path_of(reply.url) + path)).status for path in ("new", "lively", "live", "gone")}
    assert found == {"new": 200, "lively": 200, "live": 404, "gone": 404}
    await ChangeSets(world.database).discard_change_set(world.call(), DiscardChangeSet(change_set_id="set_1"))
    again = CreatePreviewLink(change_set_id="set_1")
    with pytest.raises(ConflictError, match="no unpublished edits of pages"):
        await Previews(world.database, PREVIEW_KEY).create_preview_link(world.call(), again)


async def test_a_link_that_expired_or_was_changed_shows_nothing(world: World) -> None:
    page = await world.page("About")
    token = sign_preview(KEY, Preview(HOME, {page.id: 1}, 1000))
    assert read_preview(KEY, token, HOME, 999) == Preview(HOME, {page.id: 1}, 1000)
    assert read_preview(KEY, token, HOME, 1000) is None
    assert read_preview(KEY, token, ELSEWHERE, 999) is None
    assert read_preview(Secret("env:OTHER", "x" * 40), token, HOME, 999) is None
    later = sign_preview(Secret("env:OTHER", "x" * 40), Preview(HOME, {page.id: 1}, 5000))
    forged = f"{later.partition('.')[0]}.{token.partition('.')[2]}"
    for bad in (forged, token[:-2], token + "A", "", ".", "a.b", "ü.ü", "x" * 30_000, f"{token}.x"):
        assert read_preview(KEY, bad, HOME, 999) is None, bad
    site = make_site(world, clock=lambda: 999.0)
    assert (await visit(site, f"/preview/{token}/")).status == 200
    assert (await visit(make_site(world, clock=lambda: 1000.0), f"/preview/{token}/")).status == 404
    assert (await visit(make_site(world, preview_key=None, clock=lambda: 999.0), f"/preview/{token}/")).status == 404


async def test_without_a_key_there_are_no_links(world: World) -> None:
    page = await world.page("About")
    none = PreviewKey(secrets=EnvSecrets(KEY_VARIABLE, environ={}))
    with pytest.raises(ExternalError, match="the operator sets REMIT_CMS_PREVIEW_KEY"):
        await Previews(world.database, none).create_preview_link(world.call(), CreatePreviewLink(page_id=page.id))
    with pytest.raises(SetupError, match="give 32 characters or more"):
        sign_preview(Secret("env:SHORT", "too-short"), Preview(HOME, {}, 1))


def test_a_link_shows_a_page_or_a_change_set() -> None:
    for wrong in ({}, {"page_id": "a", "change_set_id": "b"}, {"change_set_id": "b", "revision": 1}):
        with pytest.raises(ValueError, match="give"):
            CreatePreviewLink.model_validate(wrong)
