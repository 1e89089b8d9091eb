"""Lists of posts on pages, and what a visitor reads of a post besides its text."""

from __future__ import annotations

import re
from typing import Any

import pytest

from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import HOME, PREVIEW_KEY, START, World
from remit.errors import NotFoundError
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.posts.payloads import ArchivePost, CreatePost, PublishPost, UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.site.payloads import CreatePreviewLink
from remit_cms.viewing.previewing import Previews

LIST: Any = ("entry-list", {"heading": "News", "entries": {"collectionId": "posts", "limit": 2}})


async def post(world: World, title: str, **fields: Any) -> str:
    """A live post."""
    posts = Posts(world.database)
    made = await posts.create_post(world.call(), CreatePost.model_validate({"title": title, "body": "Text.", **fields}))
    await posts.publish_post(world.call(), PublishPost(post_slug=made.post.id))
    return made.post.id


def titles(text: str) -> list[str]:
    """The titles in the list of a page."""
    return re.findall(r"<h3><a [^>]*>(.*?)</a></h3>", text)


async def test_a_list_shows_the_newest_live_posts_with_picture_day_and_summary(world: World) -> None:
    image = await world.image()
    await post(world, "First")
    await post(world, "We open", excerpt="On Monday.", cover={"imageId": image.id})
    await post(world, "We bake")
    hidden = await post(world, "Gone")
    await Posts(world.database).archive_post(world.call(), ArchivePost(post_slug=hidden))
    await Posts(world.database).create_post(world.call(), CreatePost(title="Draft", body="Secret."))
    await publish(world, "Journal", LIST)
    shown = (await visit(make_site(world), "/journal")).text
    assert titles(shown) == ["We bake", "We open"]
    assert '<time datetime="2026-01-01">1 January 2026</time>' in shown
    assert re.search(r'<a href="/posts/we-open" tabindex="-1" aria-hidden="true"><figure>\s*<picture>', shown)
    assert "<p>On Monday.</p>" in shown


async def test_a_list_is_in_the_language_and_time_zone_of_its_reader(world: World) -> None:
    made = await post(world, "We bake")
    german = UpdatePost(post_slug=made, title="Wir backen", slug="wir-backen", locale_code="de")
    await Posts(world.database).update_post(world.call(), german)
    await Posts(world.database).publish_post(world.call(), PublishPost(post_slug=made))
    await Settings(world.database).update_site_settings(world.call(), UpdateSiteSettings(time_zone="America/New_York"))
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id="Site settings"))
    await publish(world, "Journal", LIST)
    shown = (await visit(make_site(world), "/de/journal")).text
    assert '<time datetime="2025-12-31">31. Dezember 2025</time>' in shown
    assert '<a href="/de/posts/wir-backen">Wir backen</a>' in shown


async def test_days_can_be_hidden_and_drafts_show_what_they_will_list(world: World) -> None:
    key, content = LIST
    await post(world, "We bake")
    await Posts(world.database).create_post(world.call(), CreatePost(title="Soon", body="Later."))
    await world.page("Journal", (key, {**content, "dates": "hidden"}))
    draft = await world.rendering.render(HOME, "journal")
    assert (titles(draft), "<time" in draft) == (["Soon", "We bake"], False)


async def test_a_preview_lists_the_posts_of_its_change_set(world: World) -> None:
    await post(world, "We bake")
    await publish(world, "Journal", LIST)
    call = world.call(conversation="c")
    await Posts(world.database).create_post(call, CreatePost(title="Soon", body="Later.", excerpt="Wait."))
    previews = Previews(world.database, PREVIEW_KEY)
    reply = await previews.create_preview_link(
        world.call(), CreatePreviewLink(change_set_id=await world.find_open_set())
    )
    root, site = reply.url.removeprefix("https://bakery.example"), make_site(world, clock=START.timestamp)
    shown = (await visit(site, f"{root}journal")).text
    assert titles(shown) == ["Soon", "We bake"]
    assert f'<a href="{root}posts/soon">Soon</a>' in shown
    assert titles((await visit(site, "/journal")).text) == ["We bake"]


async def test_a_list_of_a_collection_that_does_not_exist_is_refused(world: World) -> None:
    with pytest.raises(NotFoundError, match=r"There is no collection 'blog'\. Existing collections: posts"):
        await world.page("Journal", ("entry-list", {"entries": {"collectionId": "blog"}}))


async def test_a_post_shows_its_day_and_author_and_leads_to_others(world: World) -> None:
    await post(world, "First")
    await post(world, "We bake", author="Ann", category="News", tags=["shop"])
    shown = (await visit(make_site(world), "/posts/we-bake")).text
    assert '<time datetime="2026-01-01">1 January 2026</time> · Ann · News</p>' in shown
    more = shown.partition('id="more">See also')[2]
    assert re.findall(r'<a href="(.*?)">(.*?)</a> <time', more) == [("/posts/first", "First")]


async def test_a_post_marks_the_page_that_lists_it_in_the_menu(world: World) -> None:
    await post(world, "We bake")
    await publish(world, "About")
    await publish(world, "Journal", LIST)
    for page in ("about", "journal"):
        item = AddNavigationItem(label=page.title(), href=page)
        await Navigation(world.database).add_navigation_item(world.call(), item)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id="Navigation"))
    shown = (await visit(make_site(world), "/posts/we-bake")).text
    assert '<a href="/journal" aria-current="true">Journal</a>' in shown
    assert '<a href="/about">About</a>' in shown or '<a href="/">About</a>' in shown
    assert '<a href="/journal" aria-current="page">Journal</a>' in (await visit(make_site(world), "/journal")).text


@pytest.mark.parametrize(("heading", "levels"), [({"heading": "News"}, ["h1", "h2", "h3"]), ({}, ["h1", "h2"])])
async def test_a_list_skips_no_level_of_headings(world: World, heading: Any, levels: list[str]) -> None:
    await post(world, "We bake")
    await publish(world, "Journal", ("entry-list", {**heading, "entries": {"collectionId": "posts"}}))
    shown = (await visit(make_site(world), "/journal")).text
    assert re.findall(r"<(h[1-6])>", shown) == levels
