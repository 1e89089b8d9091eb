"""The lists of collections, and the ways and menus that lead to pages below others."""

from __future__ import annotations

import json
import re
from typing import Any
from zipfile import ZipFile

from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import PREVIEW_KEY, START, World
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import MovePage, TranslatePage
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry, CreatePost, PublishPost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.site import Site
from remit_cms.site.payloads import CreatePreviewLink, ExportSite
from remit_cms.types.payloads import DefineType, FieldInput
from remit_cms.types.types import Types
from remit_cms.viewing.previewing import Previews


async def post(world: World, title: str, **fields: Any) -> None:
    posts = Posts(world.database)
    made = await posts.create_post(world.call(), CreatePost.model_validate({"title": title, "body": "x", **fields}))
    await posts.publish_post(world.call(), PublishPost(post_slug=made.post.id))


async def make_collection(world: World) -> Collections:
    collections = Collections(world.database)
    field = FieldInput(key="role", type="text")
    await Types(world.database).define_type(world.call(), DefineType(name="Team", fields=[field]))
    return collections


async def entry(world: World, title: str) -> None:
    made = CreateEntry(collection_id="team", title=title, content={"role": "Baker"})
    await Collections(world.database).create_entry(world.call(), made)
    await publish_it(world, f"team/{title.lower()}")


async def publish_it(world: World, page: str) -> None:
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page))


async def put_in_menu(world: World, *pages: str) -> None:
    for page in pages:
        item = AddNavigationItem(label=page.title(), href=page, location="header")
        await Navigation(world.database).add_navigation_item(world.call(), item)
    await publish_it(world, "Navigation")


async def texts(site: Site, path: str, pattern: str) -> list[Any]:
    reply = await visit(site, path)
    assert reply.status == 200, reply
    return re.findall(pattern, reply.text, re.DOTALL)


CARDS = r'<h2><a href="(.*?)">(.*?)</a></h2>'
TRAIL = r'<li>(?:<a href="(.*?)"|<span) ?[^>]*>(.*?)</'


async def trail(site: Site, path: str) -> list[Any]:
    found = await texts(site, path, r'<nav class="trail".*?</nav>')
    return re.findall(TRAIL, found[0]) if found else []


async def test_a_collection_with_live_entries_has_a_list_in_each_language(world: World) -> None:
    await publish(world, "Home")
    await make_collection(world)
    site = make_site(world)
    assert (await visit(site, "/team")).status == 404
    await entry(world, "Ann")
    await entry(world, "Bob")
    assert sorted(await texts(site, "/team", CARDS)) == [("/team/ann", "Ann"), ("/team/bob", "Bob")]
    german = (await visit(site, "/de/team")).text
    assert sorted(re.findall(CARDS, german)) == [("/de/team/ann", "Ann"), ("/de/team/bob", "Bob")]
    assert "<h1>Team</h1>" in german
    assert '<link rel="canonical" href="https://bakery.example/de/team">' in german
    assert '<a href="/team" lang="en" hreflang="en">' in german
    moved = await visit(site, "/team/")
    assert (moved.status, moved.headers["location"]) == (301, "/team")
    assert (await visit(site, "/team/page/1")).status == (await visit(site, "/team/page/2")).status == 404
    sitemap = (await visit(site, "/sitemap.xml")).text
    assert "<loc>https://bakery.example/team</loc><lastmod>2026-01-01</lastmod>" in sitemap


async def test_a_long_list_has_several_pages_that_lead_to_each_other(world: World) -> None:
    await publish(world, "Home")
    for number in range(50):
        await post(world, f"Post {number}")
    site = make_site(world)
    lengths = [len(await texts(site, f"/posts{path}", CARDS)) for path in ("", "/page/2", "/page/3")]
    assert lengths == [24, 24, 2]
    assert (await visit(site, "/posts/page/4")).status == 404
    pager = r'<nav aria-label="Pages">(.*?)</nav>'
    (middle,) = await texts(site, "/posts/page/2", pager)
    assert re.findall(r'href="(.*?)">(.*?)<', middle) == [("/posts", "Newer"), ("/posts/page/3", "Older")]
    (last,) = await texts(site, "/de/posts/page/3", r'<nav aria-label="Seiten">(.*?)</nav>')
    assert re.findall(r'href="(.*?)">(.*?)<', last) == [("/de/posts/page/2", "Neuere")]
    assert await texts(site, "/de/posts", "<h1>(.*?)</h1>") == ["Beitr\u00e4ge"]
    reply = await world.exports.export_site(world.call(), ExportSite(zip=True))
    with ZipFile(reply.path) as file:
        exported = [name for name in file.namelist() if re.fullmatch(r"(de/)?posts/(page/\d/)?index.html", name)]
    assert len(exported) == 6


async def test_a_page_of_the_menu_that_shows_all_entries_is_their_list(world: World) -> None:
    await post(world, "First")
    await post(world, "Second")
    shown: Any = ("entry-list", {"entries": {"collectionId": "posts", "limit": 2}})
    await publish(world, "Journal", shown)
    site = make_site(world)
    assert (await visit(site, "/posts")).status == 200
    await put_in_menu(world, "journal")
    moved = await visit(site, "/de/posts")
    assert (moved.status, moved.headers["location"]) == (301, "/de/journal")
    assert "/posts</loc>" not in (await visit(site, "/sitemap.xml")).text
    await post(world, "Third")
    assert len(await texts(site, "/posts", CARDS)) == 3


async def test_a_page_or_redirect_at_the_address_of_a_list_comes_first(world: World) -> None:
    await post(world, "First")
    await publish(world, "Posts", ("text", {"content": "By hand."}))
    assert "By hand." in (await visit(make_site(world), "/posts")).text


async def test_a_preview_has_the_lists_of_its_entries(world: World) -> None:
    await publish(world, "Home")
    call = world.call(conversation="c")
    await Posts(world.database).create_post(call, CreatePost(title="Soon", body="Later."))
    previews = Previews(world.database, PREVIEW_KEY)
    reply = await previews.create_preview_link(
        world.call(), CreatePreviewLink(change_set_id=await world.find_open_set())
    )
    root, site = reply.url.removeprefix("https://bakery.example"), make_site(world, clock=START.timestamp)
    root = root[: root.index("/", len("/preview/")) + 1]
    assert await texts(site, f"{root}posts", CARDS) == [(f"{root}posts/soon", "Soon")]
    assert [href for href, _ in await trail(site, f"{root}posts/soon")] == [root, f"{root}posts", ""]
    assert (await visit(site, "/posts")).status == 404


async def test_pages_below_others_show_the_way_to_them(world: World) -> None:
    for title in ("Home", "Visit", "Parking", "Lots"):
        await publish(world, title)
    await world.pages.translate_page(
        world.call(), TranslatePage(page_id="visit", locale_code="de", title="Besuch", slug="besuch")
    )
    for page, parent in (("parking", "visit"), ("lots", "visit/parking")):
        await world.pages.move_page(world.call(), MovePage(page_id=page, parent_id=parent))
    for page in ("visit", "visit/parking", "visit/parking/lots"):
        await publish_it(world, page)
    site = make_site(world)
    assert await trail(site, "/visit") == []
    assert await trail(site, "/") == []
    assert await trail(site, "/visit/parking") == [("/", "Home"), ("/visit", "Visit"), ("", "Parking")]
    way = [("/de", "Start"), ("/de/besuch", "Besuch"), ("/de/besuch/parking", "Parking"), ("", "Lots")]
    assert await trail(site, "/de/besuch/parking/lots") == way


async def test_entries_show_the_way_over_their_list(world: World) -> None:
    await publish(world, "Home")
    await post(world, "First")
    site = make_site(world)
    assert await trail(site, "/posts/first") == [("/", "Home"), ("/posts", "Posts"), ("", "First")]
    shown: Any = ("entry-list", {"entries": {"collectionId": "posts"}})
    await publish(world, "Journal", shown)
    await put_in_menu(world, "journal")
    assert await trail(site, "/posts/first") == [("/", "Home"), ("/journal", "Journal"), ("", "First")]


async def test_an_entry_leads_to_others_with_days_only_where_readers_look_for_them(world: World) -> None:
    await make_collection(world)
    for name in ("Ann", "Bob"):
        await entry(world, name)
        await post(world, name)
    site, others = make_site(world), r'id="more">See also(.*?)</ul>'
    (team,), (posts,) = [await texts(site, f"/{each}/ann", others) for each in ("team", "posts")]
    assert re.findall(r'<a href="(.*?)">Bob</a>(?: <time datetime="(.*?)">)?', team) == [("/team/bob", "")]
    assert re.findall(r'<a href="(.*?)">Bob</a>(?: <time datetime="(.*?)">)?', posts) == [("/posts/bob", "2026-01-01")]


async def test_a_menu_has_pages_below_others_at_a_second_level(world: World) -> None:
    for title in ("Home", "Visit", "Parking", "Lots", "Visitors"):
        await publish(world, title)
    await world.pages.move_page(world.call(), MovePage(page_id="parking", parent_id="visit"))
    await world.pages.move_page(world.call(), MovePage(page_id="lots", parent_id="visit/parking"))
    await publish_it(world, "visit/parking")
    await publish_it(world, "visit/parking/lots")
    await put_in_menu(world, "visit/parking/lots", "home", "visit", "visit/parking", "visitors")
    site = make_site(world)
    for path in ("/visit/parking", "/de/visit/parking"):
        prefix = path.removesuffix("/visit/parking")
        (menu,) = await texts(site, path, r'<header class="site">.*?<nav[^>]*>(.*?)</nav>')
        (details,) = re.findall(r"<details.*?</details>", menu, re.DOTALL)
        inside = [f"{prefix}/visit", f"{prefix}/visit/parking/lots", f"{prefix}/visit/parking"]
        assert re.findall(r'href="(.*?)"', details) == inside
        outside = re.findall(r'href="(.*?)"', menu.replace(details, ""))
        assert outside == [prefix or "/", f"{prefix}/visitors"]
        assert '<summary class="current">' in details
        assert f'<a href="{prefix}/visit/parking" aria-current="page">' in details
    assert '<summary class="current">' not in (await visit(site, "/visitors")).text


async def test_search_engines_get_data_about_posts_and_the_way_to_them(world: World) -> None:
    image = (await world.image()).id
    await publish(world, "Home")
    await post(world, "A </script> sign", slug="sign", author="Ann", excerpt="Short.", cover={"imageId": image})
    site = make_site(world)
    (text,) = await texts(site, "/posts/sign", r'<script type="application/ld\+json">(.*?)</script>')
    website, found, crumbs = json.loads(text)["@graph"]
    assert (website["@type"], website["url"]) == ("WebSite", "https://bakery.example/")
    assert found["@type"] == "BlogPosting"
    said = (found["headline"], found["author"]["name"], found["datePublished"])
    assert said == ("A </script> sign", "Ann", "2026-01-01")
    assert (found["description"], found["url"]) == ("Short.", "https://bakery.example/posts/sign")
    assert found["image"].startswith("https://bakery.example/images/")
    items = [each["item"] for each in crumbs["itemListElement"]]
    assert items == [f"https://bakery.example/{path}" for path in ("", "posts", "posts/sign")]
    assert "application/ld+json" not in (await visit(site, "/nothing")).text
    head = (await visit(site, "/posts/sign")).text
    assert '<meta property="article:published_time" content="2026-01-01">' in head
