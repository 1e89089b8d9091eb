"""Redirects: whatever was renamed, moved, deleted or published, an old address leads to a live page or nowhere."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from apps.cms.tests.site.visitor import make_site, visit
from apps.cms.tests.world import HOME, World
from remit.errors import CallError
from remit_cms.pages.payloads import CreatePage, DeletePage, MovePage, TranslatePage, UpdatePage
from remit_cms.publishing.history import History
from remit_cms.publishing.payloads import PublishPage, PurgePage, RestorePage, RevertPage, UnpublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.publishing.trash import Trash
from remit_cms.storage.tables import LivePath, Redirect
from remit_cms.storage.transactions import open_view

SLUGS = ("a", "b", "c")
Step = tuple[str, int, str]

steps = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "create",
                "rename",
                "translate",
                "move",
                "top",
                "publish",
                "unpublish",
                "delete",
                "restore",
                "purge",
                "revert",
            ]
        ),
        st.integers(0, 3),
        st.sampled_from(SLUGS),
    ),
    max_size=25,
)


async def take(world: World, step: Step) -> None:
    """One operation on one of the pages; what the CMS refuses changes nothing."""
    verb, number, slug = step
    page, call = f"page_{number + 1}", world.call()
    publishing, trash = Publishing(world.database), Trash(world.database)
    works: dict[str, Callable[[], Awaitable[object]]] = {
        "create": lambda: world.pages.create_page(call, CreatePage(title=slug, slug=slug)),
        "rename": lambda: world.pages.update_page(call, UpdatePage(page_id=page, slug=slug)),
        "translate": lambda: world.pages.translate_page(call, TranslatePage(page_id=page, locale_code="de", slug=slug)),
        "move": lambda: world.pages.move_page(call, MovePage(page_id=page, parent_id=slug)),
        "top": lambda: world.pages.move_page(call, MovePage(page_id=page, parent_id="/")),
        "publish": lambda: publishing.publish_page(call, PublishPage(page_id=page)),
        "unpublish": lambda: publishing.unpublish_page(call, UnpublishPage(page_id=page)),
        "delete": lambda: world.pages.delete_page(call, DeletePage(page_id=page, confirmed=True)),
        "restore": lambda: trash.restore_page(call, RestorePage(page_id=page)),
        "purge": lambda: trash.purge_page(call, PurgePage(page_id=page)),
        "revert": lambda: History(world.database).revert_page(call, RevertPage(page_id=page, revision=1)),
    }
    try:
        await works[verb]()
    except CallError:
        return


async def check(world: World) -> None:
    """Every live page is at its addresses, and every other answer is a page, one redirect to one, or 404."""
    site = make_site(world)
    async with open_view(world.database, HOME) as scope:
        live = [*await scope.session.scalars(select(LivePath))]
        gone = [*await scope.session.scalars(select(Redirect))]
    for row in live:
        path = f"/{row.path}" if row.locale == "en" else f"/{row.locale}/{row.path}"
        assert (await visit(site, path)).status == 200, path
    for row in gone:
        path = f"/{row.path}" if row.locale == "en" else f"/{row.locale}/{row.path}"
        reply = await visit(site, path)
        assert reply.status in (301, 404), path
        if reply.status == 301:
            assert (await visit(site, reply.headers["location"])).status == 200, (path, reply.headers["location"])


@given(steps)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_old_address_leads_to_a_live_page_at_once_or_nowhere(fresh: Path, steps: list[Step]) -> None:
    async def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            world = World(Path(folder), shutil.copy(fresh, Path(folder) / "cms.db"))
            world.ids.counts["template"], world.clock.looks = 100, 100
            for number, slug in enumerate(SLUGS):
                await take(world, ("create", number, slug))
                await take(world, ("publish", number, slug))
            for step in steps:
                await take(world, step)
            await check(world)
            await world.database.close()

    asyncio.run(run())
