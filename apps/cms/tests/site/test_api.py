"""The read API: what visitors see, as data, whose answers fit the OpenAPI document of the site."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from apps.cms.tests.site.test_feeds import publish_post
from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import ELSEWHERE, World
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import UpdatePage
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry, UpdatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import PublishPage, UnpublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.site import Site
from remit_cms.sites.payloads import SeedSite
from remit_cms.types.payloads import DefineType, FieldInput
from remit_cms.types.types import Types

HERO: Any = ("hero", {"heading": "We bake bread", "text": "See [us](/about), <b>now</b>."})
URL = "https://bakery.example"


async def ask(site: Site, path: str, status: int = 200, **headers: str) -> Any:
    """The answer of the API, which has this status."""
    reply = await visit(site, path, **headers)
    assert (reply.status, reply.headers["content-type"]) == (status, "application/json; charset=utf-8"), reply.text
    return json.loads(reply.body)


async def test_a_page_has_its_sections_with_all_fields_of_their_types(world: World) -> None:
    page = await publish(world, "About", HERO)
    found = await ask(make_site(world), f"/api/pages/{page.id}")
    (section,) = found.pop("sections")
    assert found.pop("publishedAt") == found.pop("updatedAt")
    assert found == {
        "id": page.id,
        "type": "page",
        "title": "About",
        "path": "/about",
        "url": f"{URL}/about",
        "locale": "en",
        "languages": {"en": f"{URL}/about", "de": f"{URL}/de/about"},
        "untranslated": {},
        "meta": {"title": None, "description": None, "indexing": True},
        "revision": 1,
    }
    assert section == {
        "id": page.sections[0].id,
        "type": "hero",
        "untranslated": {},
        "fields": {
            "heading": "We bake bread",
            "subheading": None,
            "text": f'<p>See <a href="{URL}/about" rel="noopener noreferrer">us</a>, &lt;b&gt;now&lt;/b&gt;.</p>\n',
            "image": None,
            "cta": None,
        },
    }


async def test_a_draft_and_what_was_hidden_are_in_no_answer(world: World) -> None:
    page = await publish(world, "About", HERO)
    hidden = await publish(world, "Hidden")
    draft = await world.page("Draft", ("hero", {"heading": "Secret"}))
    await publish(world, "Theirs", tenant="other")
    await Publishing(world.database).unpublish_page(world.call(), UnpublishPage(page_id=hidden.id))
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Secret"))
    fields = [FieldInput(key="secret", type="text")]
    await Types(world.database).define_type(world.call(), DefineType(name="Secrets", fields=fields))
    item = AddNavigationItem(label="Secret", href="draft", location="header")
    await Navigation(world.database).add_navigation_item(world.call(), item)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id="Navigation"))
    site = make_site(world)
    paths = ("", "/openapi.json", "/settings", "/navigation", "/types", "/pages?content=true", "/address?path=/about")
    answers = [await ask(site, f"/api{path}") for path in paths]
    assert "secret" not in json.dumps(answers).lower()
    assert [each["title"] for each in answers[5]["items"]] == ["About"]
    for name in (hidden.id, draft.id, "about", "x"):
        await ask(site, f"/api/pages/{name}", 404)
    for path in ("/entries/secrets", f"/entries/posts/{page.id}", "/address?path=/draft", "/address?path=/hidden"):
        await ask(site, f"/api{path}", 404)
    await ask(make_site(world, ELSEWHERE), f"/api/pages/{page.id}", 404)


async def test_entries_have_the_fields_of_their_collection(world: World) -> None:
    fields = [FieldInput(key="place", type="text"), FieldInput(key="kind", type="option", options=["fair", "talk"])]
    await Types(world.database).define_type(world.call(), DefineType(name="Events", fields=fields))
    made = await world_entry(world, "events", "Bread day", {"place": "Yard", "kind": "fair"})
    site = make_site(world)
    answer = await ask(site, "/api/entries/events?content=true")
    assert [(each["id"], each["type"], each["fields"], each["path"]) for each in answer["items"]] == [
        (made, "events", {"place": "Yard", "kind": "fair"}, "/events/bread-day")
    ]
    assert (await ask(site, f"/api/entries/events/{made}"))["fields"] == {"place": "Yard", "kind": "fair"}
    types = {each["key"]: each for each in (await ask(site, "/api/types"))["items"]}
    assert (types["events"]["kind"], types["hero"]["kind"], "posts" in types) == ("entry", "section", False)
    assert [each["key"] for each in types["events"]["fields"]] == ["place", "kind"]
    paths = (await ask(site, "/api/openapi.json"))["paths"]
    assert "/api/entries/events/{id}" in paths
    assert "/api/entries/posts" not in paths


async def test_a_collection_whose_key_is_page_has_its_entries(world: World) -> None:
    await publish(world, "About")
    fields = [FieldInput(key="place", type="text")]
    await Types(world.database).define_type(world.call(), DefineType(name="Page", fields=fields))
    made = await world_entry(world, "page", "First", {"place": "Yard"})
    answer = await ask(make_site(world), "/api/entries/page")
    assert [each["id"] for each in answer["items"]] == [made]


async def world_entry(world: World, collection: str, title: str, content: dict[str, Any]) -> str:
    """The id of a live entry."""

    entry = CreateEntry(collection_id=collection, title=title, content=content)
    made = await Collections(world.database).create_entry(world.call(), entry)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=made.entry.id))
    return made.entry.id


async def test_each_language_has_its_texts_and_says_which_fell_back(world: World) -> None:
    post = await publish_post(world, "We bake", body="Daily.", excerpt="Bread.")
    update = UpdatePost(post_slug=post, title="Wir backen", body="Täglich.", slug="wir-backen", locale_code="de")
    await Posts(world.database).update_post(world.call(), update)
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=post))
    site = make_site(world)
    german = await ask(site, f"/api/entries/posts/{post}?locale=de")
    assert (german["title"], german["path"], german["fields"]["body"]) == (
        "Wir backen",
        "/de/posts/wir-backen",
        "<p>Täglich.</p>\n",
    )
    assert (german["fields"]["excerpt"], german["untranslated"]) == ("Bread.", {"excerpt": "en"})
    assert (await ask(site, "/api/address?path=/de/posts/wir-backen"))["document"] == german
    assert (await ask(site, "/api/settings?locale=de"))["locale"] == "de"
    refused = await ask(site, "/api/pages?locale=fr", 400)
    assert refused == {"error": "No locale 'fr' on this site. Its locales: en, de.", "errorCode": "VALIDATION_ERROR"}


async def test_an_address_that_moved_says_where_it_leads(world: World) -> None:
    page = await publish(world, "About")
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, slug="we"))
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    site = make_site(world)
    assert await ask(site, "/api/address?path=/about") == {"document": None, "redirect": "/we"}
    assert (await ask(site, "/api/address"))["document"]["id"] == page.id
    assert await ask(site, "/api/address?path=about") == {"document": None, "redirect": "/we"}


async def test_images_have_their_renditions_and_links_their_whole_address(world: World) -> None:
    image = await world.image("A loaf")
    await publish(world, "About")
    draft = await world.page("Draft")
    cta = {"text": "Read", "url": "page:" + draft.id}
    page = await publish(world, "Home", ("hero", {"heading": "x", "image": {"imageId": image.id}, "cta": cta}))
    site = make_site(world)
    fields = (await ask(site, f"/api/pages/{page.id}"))["sections"][0]["fields"]
    assert fields["cta"] is None  # it leads to a draft, whose id is told to nobody
    shown = fields["image"]
    assert (shown["imageId"], shown["alt"], shown["focalX"]) == (image.id, "A loaf", 50)
    for each in shown["renditions"]:
        served = await visit(site, each["url"].removeprefix(URL))
        assert (served.status, served.headers["content-type"]) == (200, each["type"])
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=draft.id))
    fields = (await ask(site, f"/api/pages/{page.id}"))["sections"][0]["fields"]
    assert fields["cta"] == {"text": "Read", "url": f"{URL}/draft"}


async def test_a_list_goes_on_at_its_cursor_whatever_is_published_meanwhile(world: World) -> None:
    posts = [await publish_post(world, f"Post {number}") for number in range(5)]
    site = make_site(world)
    answer = await ask(site, "/api/entries/posts?limit=2")
    found = [each["id"] for each in answer["items"]]
    while cursor := answer["nextCursor"]:
        await publish_post(world, f"Later {len(found)}")
        answer = await ask(site, f"/api/entries/posts?limit=2&cursor={cursor}")
        found += [each["id"] for each in answer["items"]]
    assert found == posts[::-1]
    assert answer["total"] == 7
    page = await publish(world, "About")
    assert [each["id"] for each in (await ask(site, "/api/pages"))["items"]] == [page.id]


async def test_a_cursor_of_another_list_and_an_invented_one_are_refused(world: World) -> None:
    for number in range(2):
        await publish_post(world, f"Post {number}")
        await publish(world, f"Page {number}")
    site = make_site(world)
    cursor = (await ask(site, "/api/entries/posts?limit=1"))["nextCursor"]
    for each in (cursor, cursor[:-1], cursor + "=", "x", "", "%00", "posts", cursor[::-1]):
        refused = await ask(site, f"/api/pages?cursor={each}", 400)
        assert refused["errorCode"] == "VALIDATION_ERROR"


async def test_a_list_with_contents_ends_before_it_is_too_long(world: World) -> None:
    for number in range(6):  # each takes 250 kB, since a character becomes &amp;
        await publish_post(world, f"Post {number}", body="&" * 49_999)
    site, sizes, query = make_site(world), list[int](), "content=true"
    while query:
        answer = await ask(site, f"/api/entries/posts?{query}")
        sizes.append(len(answer["items"]))
        query = f"content=true&cursor={answer['nextCursor']}" if answer["nextCursor"] else ""
    assert sizes == [3, 3]
    assert len((await ask(site, "/api/entries/posts"))["items"]) == 6


async def test_settings_and_navigation_are_those_that_visitors_see(world: World) -> None:
    page = await publish(world, "About")
    operations = Settings(world.database)
    changed = UpdateSiteSettings.model_validate(
        {
            "tagline": "Daily",
            "instructions": "Be brief.",
            "postHosts": ["hooks.example.com"],
            "theme": {"accent": "#a33000"},
        }
    )
    await operations.update_site_settings(world.call(), changed)
    for label, href in (("Us", "about"), ("Shop", "https://shop.example.com/")):
        item = AddNavigationItem(label=label, href=href, location="header")
        await Navigation(world.database).add_navigation_item(world.call(), item)
    site = make_site(world)
    assert (await ask(site, "/api/settings"))["tagline"] is None
    assert (await ask(site, "/api/navigation")) == {"items": []}
    for title in ("Site settings", "Navigation"):
        await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=title))
    settings = await ask(site, "/api/settings")
    assert (settings["tagline"], settings["homePage"], settings["theme"]) == ("Daily", page.id, {"accent": "#a33000"})
    assert not {"instructions", "postHosts"} & settings.keys()
    items = (await ask(site, "/api/navigation?locale=de"))["items"]
    assert [(each["label"], each["url"], each["page"]) for each in items] == [
        ("Us", f"{URL}/de/about", page.id),
        ("Shop", "https://shop.example.com/", None),
    ]


def check_against(document: Any, path: str, answer: Any) -> None:
    """Compare an answer with the schema that the OpenAPI document has for its path."""
    schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    validator = jsonschema_rs.Draft202012Validator({**schema, "components": document["components"]})
    assert validator.is_valid(answer), path


@pytest.mark.slow
async def test_all_answers_about_the_sample_site_fit_its_openapi_document(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.sites.seed_site(world.call(), SeedSite())
    site = make_site(world)
    document = await ask(site, "/api/openapi.json")
    assert document["openapi"] == "3.1.0"
    for locale in ("en", "de"):
        for path, operation in document["paths"].items():
            names = {each["name"] for each in operation["get"]["parameters"]}
            query = f"?locale={locale}" if "locale" in names else ""
            if "{id}" in path:
                items = (await ask(site, path.partition("/{id}")[0] + "?limit=100"))["items"]
                for each in items:
                    check_against(document, path, await ask(site, path.replace("{id}", each["id"]) + query))
            elif path != "/api/openapi.json":
                check_against(document, path, await ask(site, path + query))
            if "content" in names:
                check_against(document, path, await ask(site, f"{path}{query}&content=true"))
    await world.database.close()
