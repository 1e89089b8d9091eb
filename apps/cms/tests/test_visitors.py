"""No tool that runs without a person's yes changes what visitors see: everything is published first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from zipfile import ZipFile

import pytest
from pydantic import JsonValue

from apps.cms.tests.world import World
from figures.cms_arguments import FURTHER, NORMAL, WEB, Sample
from figures.cms_sweep import Sweep, open_sweep
from remit import Risk
from remit_cms.models import Content
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import UpdateNavigationItem
from remit_cms.pages.payloads import UpdatePage
from remit_cms.posts.payloads import UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.sections.payloads import UpdateSectionContent
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.site.payloads import ExportSite

_MORE: Final[dict[str, tuple[Sample, ...]]] = {
    "cms_updatePage": ({"pageId": "{about}", "indexing": False},),
    "cms_movePage": ({"pageId": "{about}", "parentId": "pictures"},),
    "cms_revertPage": ({"pageId": "{about}", "revision": 1},),
    "cms_updateNavigationItem": ({"label": "{item}", "visible": False, "newLocation": "footer"},),
    "cms_updateImage": ({"imageId": "{shown}", "focalX": 20, "focalY": 30},),
    "cms_updateEntry": ({"entryId": "{news}", "title": "Older", "content": {"body": "Cake"}},),
    "cms_updatePost": ({"postSlug": "{news}", "title": "Older", "body": "Cake"},),
}
"""Arguments that change something else than the usual ones."""

Call = tuple[str, Sample]
"""A tool and its arguments, with placeholders for ids."""

_APPROVED_BEFORE: Final = {"cms_runScheduledAction": "a person approved the publication when it was scheduled"}
"""The tools that change what visitors see without asking a person at that time, and why."""


async def publish_everything(world: World) -> None:
    """Let visitors see all that a site can show, and change each draft since."""
    call, publishing = world.call, Publishing(world.database)
    posts, navigation, settings = Posts(world.database), Navigation(world.database), Settings(world.database)
    cover: dict[str, JsonValue] = {"imageId": "image_2"}
    pictures: Content = {"pictures": [{"image": cover}]}
    entries: Content = {"entries": {"collectionId": "posts"}}
    shown = await world.page("Pictures", ("gallery", pictures), ("entry-list", entries))
    states = [
        {"title": "Who we are", "slug": "about", "heading": "We bake bread", "name": "Bakery", "label": "Who we are"},
        {"title": "Our people", "slug": "people", "heading": "We bake", "name": "Baker", "label": "People"},
        {"title": "Later", "slug": "later", "heading": "Soon", "name": "Later", "label": "Later"},
    ]
    for number, state in enumerate(states):
        title, slug, heading, name, label = state.values()
        for locale, prefix in (("en", ""), ("de", "x-")):
            page = UpdatePage(page_id="page_1", title=prefix + title, slug=prefix + slug, locale_code=locale)
            await world.pages.update_page(call(), page)
            section = UpdateSectionContent(
                page_section_id="section_1", content={"heading": prefix + heading}, locale_code=locale
            )
            await world.sections.update_section_content(call(), section)
        post = {"postSlug": "entry_2", "title": title, "excerpt": heading, "cover": cover}
        await posts.update_post(call(), UpdatePost.model_validate(post))
        change = UpdateSiteSettings(name=name, tagline=heading, theme={"ink": ("black", "#111", "#222")[number]})
        await settings.update_site_settings(call(), change)
        item = UpdateNavigationItem(label="item_1", new_label=label)
        await navigation.update_navigation_item(call(), item)
        if number < 2:
            for each in ("page_1", "entry_2", "Site settings", "Navigation"):
                await publishing.publish_page(call(), PublishPage(page_id=each))
    await publishing.publish_page(call(), PublishPage(page_id=shown.id))
    await world.pages.update_page(call(), UpdatePage(page_id=shown.id, title="Photographs"))


async def look(world: World) -> dict[str, bytes]:
    """All that visitors see: pages in each language, images, feeds, the sitemap, old addresses and what is missing."""
    reply = await world.exports.export_site(world.call(), ExportSite(zip=True))
    with ZipFile(reply.path) as file:
        return {name: file.read(name) for name in file.namelist()}


async def look_after(sweep: Sweep, world: World, calls: Sequence[Call]) -> tuple[dict[str, bytes], list[Call]]:
    """Make calls one after another in the prepared state: what visitors see then, and the calls that failed."""
    failed = list[Call]()
    with sweep.case("seen", "all"):
        for number, (name, sample) in enumerate(calls):
            result = await sweep.call(name, sweep.fill(sample), run=f"swept-{number}" if number else "swept")
            if '"success":true' not in result.text:
                failed.append((name, sample))
        return await look(world), failed


@pytest.mark.slow
async def test_no_tool_below_high_risk_changes_what_visitors_see() -> None:
    worlds = list[World]()

    async def prepare(world: World) -> None:
        worlds.append(world)
        await publish_everything(world)

    async with open_sweep(prepare=prepare) as sweep:
        (world,) = worlds
        before = await look(world)
        assert {"people/index.html", "de/x-people/index.html", "about/index.html", "posts/feed.xml"} <= before.keys()
        assert any(name.startswith("images/") for name in before)
        usual = {**NORMAL, **WEB}
        names = [name for name, tool in sweep.tools.items() if tool.facts.risk is not Risk.HIGH]
        calls = [(name, usual[name]) for name in names if name not in _APPROVED_BEFORE]
        calls += [(name, each) for name in names for each in (*FURTHER.get(name, ()), *_MORE.get(name, ()))]
        made = len(calls)
        while made:  # a call fails when an earlier one took what it is about: it is made again without those
            seen, failed = await look_after(sweep, world, calls)
            assert [name for name in before | seen if before.get(name) != seen.get(name)] == [], calls
            made, calls = len(calls) - len(failed), failed
        assert [name for name, sample in calls if sample is usual[name]] == []
        for name in _APPROVED_BEFORE:
            seen, failed = await look_after(sweep, world, [(name, usual[name])])
            assert (seen != before, failed) == (True, [])
