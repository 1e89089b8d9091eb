"""Links to previews: they show what they name until they expire, to whoever has one, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.site.visitor import KEY, make_site, publish, visit
from apps.cms.tests.world import ELSEWHERE, HOME, PREVIEW_KEY, START, Ctx, World, make_direct
from remit.errors import ConflictError, ExternalError, NotFoundError, SetupError
from remit.secrets import EnvSecrets, Secret
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.pages.payloads import CreatePage, DeletePage, UpdatePage
from remit_cms.posts.payloads import CreatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import (
    DiscardChangeSet,
    PublishChangeSet,
    PublishPage,
    PurgePage,
)
from remit_cms.publishing.publishing import Publishing
from remit_cms.publishing.trash import Trash
from remit_cms.sections.payloads import SectionInput
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.site.links import Preview, read_preview, sign_preview
from remit_cms.site.payloads import CreatePreviewLink
from remit_cms.site.preview_key import KEY_VARIABLE, PreviewKey
from remit_cms.storage.pins import PagePin, SetPin
from remit_cms.viewing.previewing import Previews


def path_of(url: str) -> str:
    """The path of a link."""
    return url.removeprefix("https://bakery.example")


def root_of(path: str) -> str:
    """The home page of the preview that a path is in."""
    return "/".join(path.split("/")[:3]) + "/"


async def link_to(world: World, **names: Any) -> str:
    """The path of a new link."""
    payload = CreatePreviewLink(**names)
    return path_of((await Previews(world.database, PREVIEW_KEY).create_preview_link(world.call(), payload)).url)


async def test_a_link_shows_the_revision_that_it_names_also_after_further_edits(world: World) -> None:
    page = await world.page("About", ("hero", {"heading": "We bake bread"}))
    await world.page("Other")
    previews, call = Previews(world.database, PREVIEW_KEY), world.call()
    reply = await previews.create_preview_link(call, CreatePreviewLink(page_id=page.id))
    assert isinstance(call, Ctx)
    assert call.said == [f"preview: {reply.url} {{}}"]  # the person gets it from no model
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Changed", slug="changed"))
    site = make_site(world, clock=START.timestamp)
    shown = await visit(site, path_of(reply.url))
    assert (shown.status, reply.pages, "We bake bread" in shown.text) == (200, ["About"], True)
    assert ": visitors do not see this." in shown.text
    assert (shown.headers["cache-control"], shown.headers["x-robots-tag"]) == ("private, no-store", "noindex")
    root = root_of(path_of(reply.url))
    assert path_of(reply.url) == f"{root}about"
    assert (await visit(site, f"{root}other")).status == 404
    assert (await visit(site, "/about")).status == 404


async def test_a_preview_of_what_has_been_published_since_says_that_visitors_see_it(world: World) -> None:
    page = await world.page("About")
    link, site = await link_to(world, page_id=page.id), make_site(world, clock=START.timestamp)
    assert ": visitors do not see this." in (await visit(site, link)).text
    await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=page.id))
    assert "UTC, as visitors see it now." in (await visit(site, link)).text
    await world.pages.update_page(world.call(), UpdatePage(page_id=page.id, title="Changed"))
    newer = await link_to(world, page_id=page.id)
    assert ": visitors do not see this." in (await visit(site, newer)).text


async def test_a_link_to_a_change_set_shows_its_pages_beside_those_that_are_live(world: World) -> None:
    await publish(world, "Live", ("hero", {"heading": "Here already"}))
    call = world.call(conversation="c")
    section = SectionInput(definition_id="hero", content={"heading": "New"})
    await world.pages.create_page(call, CreatePage(title="New", sections=[section]))
    await world.pages.update_page(world.call(conversation="c"), UpdatePage(page_id="live", slug="lively"))
    reply = await Previews(world.database, PREVIEW_KEY).create_preview_link(
        world.call(), CreatePreviewLink(change_set_id=await world.find_open_set())
    )
    site = make_site(world, clock=START.timestamp)
    found = {path: (await visit(site, path_of(reply.url) + path)).status for path in ("new", "lively", "live", "gone")}
    assert found == {"new": 200, "lively": 200, "live": 404, "gone": 404}
    found_set = await world.find_open_set()
    await ChangeSets(world.database).discard_change_set(world.call(), DiscardChangeSet(change_set_id=found_set))
    again = CreatePreviewLink(change_set_id=found_set)
    with pytest.raises(ConflictError, match="no unpublished edits to show"):
        await Previews(world.database, PREVIEW_KEY).create_preview_link(world.call(), again)


async def test_a_link_to_a_change_set_shows_the_site_without_what_goes_with_it(world: World) -> None:
    ann = Editor(world, "ann", "monday")
    await ann.create("Prices")
    await ann.create("Home", ("text", {"content": "See [prices](/prices)."}))
    await ann.publish()
    posts = Posts(world.database)
    for title in ("Old news", "News"):
        await posts.create_post(ann.call(), CreatePost(title=title))
    await Navigation(world.database).add_navigation_item(ann.call(), AddNavigationItem(label="All", href="prices"))
    await ann.publish()
    site = make_site(world, clock=START.timestamp)
    await ann.remove("prices")
    await ann.remove("posts/old-news", "hide")
    reply = await Previews(world.database, PREVIEW_KEY).create_preview_link(ann.call(), CreatePreviewLink())
    assert reply.pages == ["Old news", "Prices"]
    assert reply.message == "The link shows the site without 2 pages for 24 hours"
    root = path_of(reply.url)
    home, listed = await visit(site, root), await visit(site, f"{root}posts")
    assert "Visitors no longer see “Old news” and “Prices”." in home.text
    assert (">All<" in home.text, "See prices." in home.text) == (False, True)
    assert ("Old news</a>" in listed.text, "News</a>" in listed.text) == (False, True)
    for path in ("prices", "posts/old-news"):
        assert (await visit(site, f"{root}{path}")).status == 404
    await ann.update("home", title="Start")
    assert (await visit(site, root)).status == 200
    await ann.publish()
    assert "as visitors see it now." in (await visit(site, root)).text


async def test_a_link_to_a_change_set_ends_when_something_else_goes_with_it(world: World) -> None:
    ann = Editor(world, "ann", "monday")
    for title in ("Home", "Prices"):
        await ann.create(title)
    await ann.publish()
    await ann.update("home", title="Start")
    site, link = make_site(world, clock=START.timestamp), await link_to(world, change_set_id=(await ann.look()).id)
    assert (await visit(site, link)).status == 200
    await ann.remove("prices")
    assert (await visit(site, link)).status == 404


async def test_a_link_shows_the_open_set_of_its_conversation(world: World) -> None:
    with pytest.raises(NotFoundError, match="This conversation has no unpublished edits"):
        await Previews(world.database, PREVIEW_KEY).create_preview_link(world.call(), CreatePreviewLink())
    call = world.call(conversation="c")
    await world.pages.create_page(call, CreatePage(title="New"))
    reply = await Previews(world.database, PREVIEW_KEY).create_preview_link(call, CreatePreviewLink())
    assert reply.pages == ["New"]


async def test_a_link_has_one_signature_and_shows_no_page_that_was_deleted(world: World) -> None:
    page = await world.page("About")
    path, site = path_of(await link_to(world, page_id=page.id)), make_site(world, clock=START.timestamp)
    root, rest = root_of(path).rstrip("/"), path.removeprefix(root_of(path))
    for more in ("=", "!!!", "\u00e9"):
        assert (await visit(site, f"{root}{more}/{rest}")).status == 404
    assert (await visit(site, path)).status == 200
    await world.pages.delete_page(world.call(), DeletePage(page_id=page.id, confirmed=True))
    assert (await visit(site, path)).status == 404


async def test_links_of_a_preview_stay_in_it_and_lead_where_they_will_lead(world: World) -> None:
    for title in ("Home", "Moves"):
        await publish(world, title)
    text = "[new](/target), [moved](/moves), [live](/home) and [other](https://a.example/)"
    await world.pages.create_page(world.call(conversation="c"), CreatePage(title="Target"))
    section = SectionInput(definition_id="text", content={"content": text})
    await world.pages.create_page(world.call(conversation="c"), CreatePage(title="Linking", sections=[section]))
    await world.pages.update_page(world.call(conversation="c"), UpdatePage(page_id="moves", slug="moved"))
    link, site = (
        await link_to(world, change_set_id=await world.find_open_set()),
        make_site(world, clock=START.timestamp),
    )

    async def hrefs(path: str) -> tuple[list[str], list[str]]:
        """The links of the menu of a page, and those of its texts."""
        menu, _, body = (await visit(site, path)).text.partition("<main")
        both = [re.findall(r'<a href="([^"]*)', part.partition("</main>")[0]) for part in (menu, body)]
        return both[0], both[1]

    menu, texts = await hrefs(f"{link}linking")
    assert texts == [f"{link}target", f"{link}moved", link, "https://a.example/"]
    assert {f"{link}target", f"{link}moved", link, f"{link}linking"} <= {*menu}
    assert (await hrefs(f"{link}de/linking"))[1][:2] == [f"{link}de/target", f"{link}de/moved"]
    await ChangeSets(world.database).publish_change_set(world.call(conversation="c"), PublishChangeSet())
    public = await hrefs("/linking")
    notice = 3  # the links to what the preview changes
    assert [[each.replace(link, "/") for each in part] for part in (menu[notice:], texts)] == [*public]


async def test_the_navigation_of_a_preview_leads_to_its_pages(world: World) -> None:
    await publish(world, "Moves")
    item = AddNavigationItem(label="There", href="moves", location="header")
    await Navigation(world.database).add_navigation_item(world.call(conversation="n"), item)
    await ChangeSets(world.database).publish_change_set(world.call(conversation="n"), PublishChangeSet())
    await world.pages.update_page(world.call(), UpdatePage(page_id="moves", slug="moved"))
    link, site = await link_to(world, page_id="moves"), make_site(world, clock=START.timestamp)
    assert link.endswith("/moved")
    assert f'<a href="{link}" aria-current="page">There</a>' in (await visit(site, link)).text


async def test_a_preview_of_a_change_set_shows_its_settings_navigation_and_posts(world: World) -> None:
    await publish(world, "Live")
    call = world.call(conversation="c")
    await Settings(world.database).update_site_settings(call, UpdateSiteSettings(name="Bakery", theme={"ink": "navy"}))
    item = AddNavigationItem(label="Who we are", href="live", location="footer")
    await Navigation(world.database).add_navigation_item(world.call(conversation="c"), item)
    post = CreatePost(title="We open", body="On Monday.")
    await Posts(world.database).create_post(world.call(conversation="c"), post)
    link, site = (
        await link_to(world, change_set_id=await world.find_open_set()),
        make_site(world, clock=START.timestamp),
    )
    await Settings(world.database).update_site_settings(world.call(conversation="c"), UpdateSiteSettings(name="Later"))
    shown = (await visit(site, f"{link}live")).text
    assert f'<p><a href="{link}">Bakery</a></p>' in shown
    assert "--ink:navy" in shown
    assert f'<a href="{link}live" aria-current="page">Who we are</a>' in shown
    assert "On Monday." in (await visit(site, f"{link}posts/we-open")).text
    visitors = (await visit(site, "/live")).text
    assert not any(text in visitors for text in ("Bakery", "navy", "Who we are"))


async def test_a_change_set_with_settings_or_navigation_alone_can_be_previewed(world: World) -> None:
    await publish(world, "Live", ("hero", {"heading": "Here already"}))
    site = make_site(world, clock=START.timestamp)
    changes = UpdateSiteSettings(tagline="Daily bread")
    await Settings(world.database).update_site_settings(world.call(conversation="c"), changes)
    shown = (await visit(site, await link_to(world, change_set_id=await world.find_open_set()))).text
    assert ("Daily bread" in shown, "Here already" in shown) == (True, True)
    item = AddNavigationItem(label="Elsewhere", href="https://a.example/", location="header")
    await Navigation(world.database).add_navigation_item(world.call(conversation="d"), item)
    for link in (
        await link_to(world, change_set_id=await world.find_open_set()),
        await link_to(world, page_id="Navigation"),
    ):
        assert ">Elsewhere</a>" in (await visit(site, link)).text


async def test_a_link_that_a_person_makes_is_told_once(world: World) -> None:
    page, call = await world.page("About"), make_direct(world.call())
    await Previews(world.database, PREVIEW_KEY).create_preview_link(call, CreatePreviewLink(page_id=page.id))
    assert call.said == []


async def test_a_preview_says_when_it_ends_and_that_it_changes_settings(world: World) -> None:
    await publish(world, "Home")
    call, settings = world.call(conversation="c"), Settings(world.database)
    await settings.update_site_settings(call, UpdateSiteSettings(tagline="Bread", time_zone="Europe/Vienna"))
    item = AddNavigationItem(label="Home", href="home")
    await Navigation(world.database).add_navigation_item(world.call(conversation="c"), item)
    link, site = (
        await link_to(world, change_set_id=await world.find_open_set()),
        make_site(world, clock=START.timestamp),
    )
    notices = [
        re.findall(r'<div class="notice">\s*<p>(.*?)</p>', (await visit(site, each)).text)[0]
        for each in (link, f"{link}de")
    ]
    assert notices == [
        (
            "Preview until 2 January 2026, 01:04 CET: visitors do not see this. "
            "It changes the settings of the site and the navigation too."
        ),
        (
            "Vorschau bis 2. Januar 2026, 01:04 CET: Besucher sehen das nicht. "
            "Sie ändert auch die Einstellungen der Website und die Navigation."
        ),
    ]


async def test_a_preview_opens_the_home_page_that_its_settings_name_and_links_to_what_it_changes(world: World) -> None:
    for title in ("Home", "Live"):
        await publish(world, title, ("hero", {"heading": f"This is {title}"}))
    call = world.call(conversation="c")
    section = SectionInput(definition_id="hero", content={"heading": "This is new"})
    await world.pages.create_page(call, CreatePage(title="A new one", sections=[section]))
    link, site = (
        await link_to(world, change_set_id=await world.find_open_set()),
        make_site(world, clock=START.timestamp),
    )
    shown = (await visit(site, link)).text
    assert "This is Home" in shown
    notice = shown.partition("<header")[0]
    assert f'<a href="{link}a-new-one">A new one</a>' in notice
    assert re.findall("<p>(.*?)</p>", notice) == ["Preview until 2 January 2026, 00:05 UTC: visitors do not see this."]
    await Settings(world.database).update_site_settings(
        world.call(conversation="c"), UpdateSiteSettings(home_page="a-new-one")
    )
    link = await link_to(world, change_set_id=await world.find_open_set())
    assert "This is new" in (await visit(site, link)).text
    assert "This is Home" in (await visit(site, f"{link}home")).text


async def test_a_link_to_a_change_set_of_many_pages_is_short(world: World) -> None:
    links: list[str] = []
    for number in range(6):
        await world.pages.create_page(world.call(conversation="c"), CreatePage(title=f"Page number {number}"))
        links.append(await link_to(world, change_set_id=await world.find_open_set()))
    assert {len(link) for link in links} == {len(links[0])}
    site = make_site(world, clock=START.timestamp)
    for last, shown in ((5, 200), (0, 404)):
        assert [(await visit(site, f"{links[last]}page-number-{number}")).status for number in (0, 5)] == [200, shown]


async def test_a_link_to_a_change_set_shows_it_as_it_was_and_of_what_was_published_since_the_live_page(
    world: World,
) -> None:
    call = world.call(conversation="c")
    await world.pages.create_page(call, CreatePage(title="About"))
    link, site = (
        await link_to(world, change_set_id=await world.find_open_set()),
        make_site(world, clock=START.timestamp),
    )
    await world.pages.update_page(world.call(conversation="c"), UpdatePage(page_id="about", title="Changed"))
    await world.pages.create_page(world.call(conversation="c"), CreatePage(title="Later"))
    assert "<title>About" in (await visit(site, link)).text
    assert "Changed" not in (await visit(site, link)).text
    assert (await visit(site, f"{link}later")).status == 404
    await ChangeSets(world.database).publish_change_set(world.call(conversation="c"), PublishChangeSet())
    assert "<title>Changed" in (await visit(site, link)).text


async def test_a_link_shows_nothing_once_a_revision_that_it_names_is_gone(world: World) -> None:
    await publish(world, "Live")
    site = make_site(world, clock=START.timestamp)
    page = await world.pages.create_page(world.call(conversation="c"), CreatePage(title="Gone"))
    await world.pages.create_page(world.call(conversation="c"), CreatePage(title="Stays"))
    links = [await link_to(world, page_id="gone"), await link_to(world, change_set_id=await world.find_open_set())]
    await world.pages.delete_page(world.call(), DeletePage(page_id=page.page.id, confirmed=True))
    assert [(await visit(site, link)).status for link in links] == [404, 200]
    await Trash(world.database).purge_page(world.call(), PurgePage(page_id=page.page.id))
    nothing = await visit(site, "/preview/x/")
    for link in links:
        for path in (link, f"{link}live", f"{link}stays", f"{link}de"):
            found = await visit(site, path)
            assert (found.status, found.body) == (404, nothing.body), path


async def test_a_link_that_expired_or_was_changed_shows_nothing(world: World) -> None:
    page = await world.page("About")
    token = sign_preview(KEY, Preview(HOME, PagePin(page.id, 1), 1000))
    assert read_preview(KEY, token, HOME, 999) == Preview(HOME, PagePin(page.id, 1), 1000)
    of_set = Preview(HOME, SetPin("set_1", "2026-01-01T00:00:00+00:00", "0" * 32), 1000)
    assert read_preview(KEY, sign_preview(KEY, of_set), HOME, 999) == of_set
    assert read_preview(KEY, token, HOME, 1000) is None
    assert read_preview(KEY, token, ELSEWHERE, 999) is None
    assert read_preview(Secret("env:OTHER", "x" * 40), token, HOME, 999) is None
    later = sign_preview(Secret("env:OTHER", "x" * 40), Preview(HOME, PagePin(page.id, 1), 5000))
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


@pytest.mark.parametrize("text", ["short", "too-short", "x" * 31])
async def test_a_key_that_is_too_short_is_refused_by_the_tool_and_at_the_start_of_the_site(
    world: World, text: str
) -> None:
    page = await world.page("About")
    key = PreviewKey(secrets=EnvSecrets(KEY_VARIABLE, environ={KEY_VARIABLE: text}))
    with pytest.raises(ExternalError, match="the key for previews is too short; the operator sets REMIT_CMS_PREVIEW"):
        await Previews(world.database, key).create_preview_link(world.call(), CreatePreviewLink(page_id=page.id))
    with pytest.raises(SetupError, match=r"32 characters or more|at least 8"):
        await key.find()
    if len(text) >= 8:
        with pytest.raises(SetupError, match="give 32 characters or more"):
            make_site(world, preview_key=Secret("env:SHORT", text))


def test_a_link_shows_a_page_or_a_change_set() -> None:
    for wrong in ({"page_id": "a", "change_set_id": "b"}, {"change_set_id": "b", "revision": 1}):
        with pytest.raises(ValueError, match="give"):
            CreatePreviewLink.model_validate(wrong)
