"""The feeds of a site: live entries only, in each language, well-formed whatever the texts."""

from __future__ import annotations

import json
from typing import Any
from xml.etree.ElementTree import Element, fromstring
from zipfile import ZipFile

import pytest

from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import ELSEWHERE, World
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry, CreatePost, UpdatePost
from remit_cms.posts.payloads import PublishPost as Publish
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.site.payloads import ExportSite
from remit_cms.types.payloads import DefineType, FieldInput
from remit_cms.types.types import Types

ATOM = "{http://www.w3.org/2005/Atom}"


async def publish_post(world: World, title: str, **fields: Any) -> str:
    posts = Posts(world.database)
    made = await posts.create_post(world.call(), CreatePost.model_validate({"title": title, **fields}))
    await posts.publish_post(world.call(), Publish(post_slug=made.post.id))
    return made.post.id


def entries(text: str) -> list[Element]:
    return fromstring(text).findall(f"{ATOM}entry")  # noqa: S314 - made by the code under test


def text_of(parent: Element, path: str) -> str | None:
    return parent.findtext("/".join(f"{ATOM}{name}" for name in path.split("/")))


async def test_a_feed_has_the_live_posts_newest_first_and_no_drafts(world: World) -> None:
    await publish(world, "About")
    first = await publish_post(
        world, "We open", body="See [us](/about).", author="Ann", category="News", tags=["a", "b"]
    )
    await publish_post(world, "We bake", excerpt="Bread & cake.", body="Daily.")
    posts = Posts(world.database)
    await posts.create_post(world.call(), CreatePost(title="Draft", body="Secret."))
    await posts.update_post(world.call(), UpdatePost(post_slug=first, title="Not live yet"))
    reply = await visit(make_site(world), "/posts/feed.xml")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/atom+xml; charset=utf-8")
    assert text_of(fromstring(reply.text), "title") == "Local site · Posts"  # noqa: S314 - as above
    newest, oldest = entries(reply.text)
    assert [text_of(each, "title") for each in (newest, oldest)] == ["We bake", "We open"]
    assert text_of(newest, "summary") == "Bread & cake."
    assert text_of(oldest, "author/name") == "Ann"
    assert [each.get("term") for each in oldest.findall(f"{ATOM}category")] == ["News", "a", "b"]
    link = oldest.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href") == "https://bakery.example/posts/we-open"
    assert '<a href="https://bakery.example/about"' in (text_of(oldest, "content") or "")
    assert text_of(oldest, "id") == f"tag:bakery.example,2026-01-01:{first}"
    assert (text_of(oldest, "published") or "").endswith("+00:00")


async def test_the_json_feed_says_the_same(world: World) -> None:
    await publish_post(world, "We bake", excerpt="Bread.", body="Daily.", author="Ann", tags=["a"])
    reply = await visit(make_site(world), "/de/posts/feed.json")
    feed = json.loads(reply.text)
    assert reply.headers["content-type"] == "application/feed+json; charset=utf-8"
    assert (feed["version"], feed["language"]) == ("https://jsonfeed.org/version/1.1", "de")
    assert (feed["home_page_url"], feed["feed_url"]) == (
        "https://bakery.example/de",
        "https://bakery.example/de/posts/feed.json",
    )
    (item,) = feed["items"]
    assert (item["title"], item["url"], item["content_html"], item["tags"], item["authors"]) == (
        "We bake",
        "https://bakery.example/de/posts/we-bake",
        "<p>Daily.</p>\n",
        ["a"],
        [{"name": "Ann"}],
    )


async def test_a_feed_is_in_its_language(world: World) -> None:
    post = await publish_post(world, "We bake", body="Daily.")
    update = UpdatePost(post_slug=post, title="Wir backen", body="Täglich.", slug="wir-backen", locale_code="de")
    await Posts(world.database).update_post(world.call(), update)
    await Posts(world.database).publish_post(world.call(), Publish(post_slug=post))
    site = make_site(world)
    for path, title in (("/posts/feed.xml", "We bake"), ("/de/posts/feed.xml", "Wir backen")):
        (entry,) = entries((await visit(site, path)).text)
        assert text_of(entry, "title") == title
    assert (await visit(site, "/en/posts/feed.xml")).headers["location"] == "/posts/feed.xml"


async def test_feeds_are_kept_until_something_is_published_and_named_in_the_heads_of_pages(world: World) -> None:
    await publish(world, "About")
    site = make_site(world)
    assert "atom+xml" not in (await visit(site, "/about")).text
    assert (await visit(site, "/posts/feed.xml")).status == 404
    await publish_post(world, "We bake", body="Daily.")
    link = '<link rel="alternate" type="application/atom+xml" title="{}" href="{}">'
    assert link.format("Posts", "/posts/feed.xml") in (await visit(site, "/about")).text
    assert link.format("Beitr\u00e4ge", "/de/posts/feed.xml") in (await visit(site, "/de/about")).text
    reply = await visit(site, "/posts/feed.xml")
    assert len(entries(reply.text)) == 1
    again = await visit(site, "/posts/feed.xml", if_none_match=reply.headers["etag"])
    assert (again.status, again.body, again.headers["cache-control"]) == (304, b"", reply.headers["cache-control"])


@pytest.mark.parametrize("path", ["/team/feed.xml", "/feed.xml", "/posts/feed.rss", "/hero/feed.xml"])
async def test_what_has_no_feed_is_not_found(world: World, path: str) -> None:
    await publish(world, "About")
    assert (await visit(make_site(world), path)).status == 404


async def test_a_collection_of_one_site_has_no_feed_on_another_and_one_without_text_has_titles(world: World) -> None:
    fields, collections = [FieldInput(key="role", type="text")], Collections(world.database)
    await Types(world.database).define_type(world.call(), DefineType(name="Team", fields=fields))
    payload = CreateEntry(collection_id="team", title="Ann", content={"role": "Baker"})
    entry = (await collections.create_entry(world.call(), payload)).entry
    feeds = ("/team/feed.xml", "/team/feed.json")
    assert [(await visit(make_site(world), path)).status for path in feeds] == [404, 404], "nobody approved its name"
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=entry.id))
    assert (await visit(make_site(world, ELSEWHERE), "/team/feed.xml")).status == 404
    assert [(await visit(make_site(world), path)).status for path in feeds] == [200, 200]


@pytest.mark.parametrize("text", ["]]>", "a\ufffe", "</title><x>&amp;", '"><script>x</script>'])
async def test_no_text_breaks_a_feed(world: World, text: str) -> None:
    fields = {"excerpt": f"E{text}", "author": f"A{text}", "category": text}
    await publish_post(world, f"T{text}", slug="te", body=text, **fields)
    site = make_site(world)
    (entry,) = entries((await visit(site, "/posts/feed.xml")).text)
    assert "<script" not in (text_of(entry, "content") or "")
    assert len(json.loads((await visit(site, "/posts/feed.json")).text)["items"]) == 1


async def test_an_export_has_the_feeds(world: World) -> None:
    await publish(world, "About")
    await publish_post(world, "We bake", body="Daily.")
    reply = await world.exports.export_site(world.call(), ExportSite(zip=True))
    with ZipFile(reply.path) as file:
        feeds = {name for name in file.namelist() if "/feed." in name}
    assert feeds == {f"{prefix}posts/feed.{kind}" for prefix in ("", "de/") for kind in ("xml", "json")}
