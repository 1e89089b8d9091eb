"""Redirects of the owner: from addresses without a page, to pages that exist, or to other servers."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.pages.payloads import GetLinksHere, TranslatePage
from remit_cms.publishing.payloads import PublishPage, PurgePage
from remit_cms.redirects.items import read_redirects
from remit_cms.redirects.payloads import (
    AddRedirect,
    ListRedirects,
    RedirectReply,
    RedirectsReply,
    RemoveRedirect,
    UpdateRedirect,
)
from remit_cms.storage.documents import load_document
from remit_cms.storage.tables import Kind
from remit_cms.storage.transactions import open_view


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


async def add(editor: Editor, path: str, href: str, **more: Any) -> RedirectReply:
    return await editor.world.redirects.add_redirect(editor.call(), AddRedirect(path=path, href=href, **more))


async def update(editor: Editor, redirect: str, **changes: Any) -> RedirectReply:
    payload = UpdateRedirect(path=redirect, **changes)
    return await editor.world.redirects.update_redirect(editor.call(), payload)


async def listed(editor: Editor, **more: Any) -> RedirectsReply:
    return await editor.world.redirects.list_redirects(editor.call(), ListRedirects(**more))


@pytest.mark.parametrize(
    ("href", "leads_to"),
    [
        ("page_1", "/about"),
        ("about", "/about"),
        ("/about", "/about"),
        ("About us", "/about"),
        ("/de/ueber-uns", "/de/ueber-uns"),
        ("/DE/ueber-uns", "/de/ueber-uns"),
        ("/about?locale=de", "/de/ueber-uns"),
        ("https://bakery.example/about", "/about"),
        ("https://bakery.example/de/ueber-uns", "/de/ueber-uns"),
    ],
)
async def test_a_page_is_named_by_id_address_or_title_and_an_address_of_the_site_is_one(
    ann: Editor, href: str, leads_to: str
) -> None:
    await ann.update((await ann.create("About us")).id, slug="about")
    german = TranslatePage(page_id="page_1", locale_code="de", title="Über uns", slug="ueber-uns")
    await ann.world.pages.translate_page(ann.call(), german)
    await add(ann, "/old", href)
    (redirect,) = (await listed(ann)).redirects
    assert (redirect.path, redirect.href, redirect.page_id) == ("/old", leads_to, "page_1")


@pytest.mark.parametrize(
    ("href", "error", "message"),
    [
        ("abuot", NotFoundError, "There is no page or entry 'abuot'"),
        ("http://example.com", InvalidArgumentsError, "begins with https://"),
        ("javascript:alert(1)", InvalidArgumentsError, "begins with https://"),
        ("//example.com", InvalidArgumentsError, "begins with https://"),
        ("https://example.com/a b", InvalidArgumentsError, "begins with https://"),
        ("https://example.com\\@evil.example", InvalidArgumentsError, "begins with https://"),
        ("about#team", InvalidArgumentsError, "leads to a whole page, without '#team'. Give 'about'"),
        ("https://bakery.example/", InvalidArgumentsError, "home page of this site. Name the page itself"),
        ("https://bakery.example/de?a=1", InvalidArgumentsError, "home page of this site. Name the page itself"),
        ("https://.", InvalidArgumentsError, "begins with https:// and a valid host"),
        ("https://example.com:99999/", InvalidArgumentsError, "begins with https:// and a valid host"),
        ("https://BAKERY.example:443/old", NotFoundError, "There is no page or entry '/old'"),
    ],
)
async def test_a_target_that_does_not_exist_or_is_not_safe_is_refused(
    ann: Editor, href: str, error: type[Exception], message: str
) -> None:
    await ann.create("About")
    with pytest.raises(error, match=message):
        await add(ann, "/old", href)


def test_an_address_with_the_end_of_a_line_is_refused() -> None:
    with pytest.raises(ValidationError, match="control character"):
        AddRedirect(path="/old", href="https://example.com/\x00")


async def test_a_header_cannot_be_added_by_an_address(ann: Editor) -> None:
    with pytest.raises(InvalidArgumentsError, match="begins with https://"):
        await add(ann, "/old", "https://example.com/\r\nset-cookie: a=b")


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("old-menu", "/old-menu"),
        (" /Old-Menu/ ", "/old-menu"),
        ("/2019/05/menu_1.html", "/2019/05/menu_1.html"),
        ("/~ann/index.php", "/~ann/index.php"),
        ("/de/alte-karte", "/de/alte-karte"),
        ("/DE/Alte-Karte", "/de/alte-karte"),
        ("/en/old-menu", "/old-menu"),
    ],
)
async def test_a_path_is_written_in_one_way(ann: Editor, given: str, path: str) -> None:
    await ann.create("About")
    assert (await add(ann, given, "about")).path == path


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/", "is a home page"),
        ("/de/", "is a home page"),
        ("/old menu", "'/old-menu' would do"),
        ("/old?id=3", "'/old' would do"),
        ("/old#part", "'/old' would do"),
        ("https://bakery.example/old", "'/old' would do"),
        ("//evil.example", "such as /old-menu"),
        ("/old//menu", "'/old/menu' would do"),
        ("/../../etc/passwd", "'/etc/passwd' would do"),
        ("/.htaccess", "'/htaccess' would do"),
        ("/karte-für-2025", "'/karte-f-r-2025' would do"),
        ("/%3Cscript%3E", "'/script' would do"),
        ("/%%%", "such as /old-menu.$"),
        ("http://[", "such as /old-menu.$"),
        ("/" + "a" * 200, "at most 200 of a-z"),
        ("/images/loaf.png", "the site keeps 'images' for itself"),
        ("/de/preview/x", "the site keeps 'preview' for itself"),
        ("/about/index.html", "the site keeps 'index.html' for itself"),
        ("/robots.txt", "the site keeps 'robots.txt' for itself"),
        ("/posts/feed.xml", "the site keeps 'feed.xml' for itself"),
    ],
)
async def test_a_path_that_cannot_redirect_is_refused_with_one_that_can(ann: Editor, path: str, message: str) -> None:
    await ann.create("About")
    with pytest.raises(InvalidArgumentsError, match=message):
        await add(ann, path, "about")


async def test_the_address_of_a_page_is_refused_with_the_page_that_has_it(ann: Editor, world: World) -> None:
    for title in ("About", "Menu"):
        await ann.create(title)
    german = TranslatePage(page_id="page_2", locale_code="de", title="Karte", slug="karte")
    await world.pages.translate_page(ann.call(), german)
    await ann.publish_page("menu")
    await ann.update("page_2", slug="food")
    for path in ("/menu", "/food", "/de/karte"):
        with pytest.raises(AlreadyExistsError, match=rf"{path} is the address of the page 'Menu', id page_2"):
            await add(ann, path, "about")
    assert (await add(ann, "/karte", "about")).path == "/karte"
    assert (await add(ann, "/de/essen", "about")).href == "/de/about"


async def test_a_page_is_shown_in_the_language_of_the_path_or_in_another_one(ann: Editor) -> None:
    await ann.create("About")
    await add(ann, "/speisekarte", "about", locale_code="de")
    await add(ann, "/de/alte-karte", "about")
    assert [each.href for each in (await listed(ann)).redirects] == ["/de/about", "/de/about"]
    assert (await update(ann, "redirect_2", locale_code="en")).href == "/about"
    await ann.create("Menu")
    assert (await update(ann, "redirect_1", new_href="menu")).href == "/de/menu"
    elsewhere = await update(ann, "redirect_1", new_href="https://shop.example.com/?a=1&b=2")
    assert elsewhere.href == "https://shop.example.com/?a=1&b=2"
    assert (await update(ann, "redirect_1", new_href="menu")).href == "/menu"
    for refused in (
        lambda: add(ann, "/shop", "https://shop.example.com", locale_code="de"),
        lambda: update(ann, "redirect_2", new_href="https://shop.example.com", locale_code="de"),
    ):
        with pytest.raises(InvalidArgumentsError, match="localeCode: an address on another server"):
            await refused()
    with pytest.raises(InvalidArgumentsError, match="No locale 'fr'"):
        await add(ann, "/carte", "about", locale_code="fr")


async def test_a_redirect_is_not_made_twice(ann: Editor) -> None:
    await ann.create("About")
    await add(ann, "/old", "about")
    with pytest.raises(AlreadyExistsError, match=r"from /old already, id redirect_1\. cms_updateRedirect"):
        await add(ann, "OLD/", "https://example.com")


async def test_a_redirect_to_a_page_that_is_not_live_is_told(ann: Editor) -> None:
    await ann.create("About")
    reply = await add(ann, "/old", "about")
    assert reply.message == "Added the redirect from /old to /about"
    assert reply.remarks == ["its page is not live, so visitors do not get there yet"]
    await ann.publish_page("about")
    (shown,) = (await listed(ann)).redirects
    assert (shown.note, shown.broken) == (None, None)


async def test_an_address_is_changed_and_what_changes_nothing_makes_no_revision(ann: Editor) -> None:
    await ann.create("About")
    await add(ann, "/old", "about")
    reply = await update(ann, "redirect_1", new_href="page_1")
    assert (reply.changed, reply.message) == ([], "Like that already: the redirect from /old to /about")
    assert (await listed(ann)).revision == 1
    with pytest.raises(ValidationError, match="nothing to change"):
        UpdateRedirect(path="redirect_1")
    await add(ann, "/older", "about")
    assert (await update(ann, "redirect_1", new_path="OLD-1", locale_code="de")).path == "/old-1"
    for path, has_it in (("/about", "page 'About'"), ("/older", "redirect from /older already, id redirect_2")):
        with pytest.raises(AlreadyExistsError, match=has_it):
            await update(ann, "redirect_1", new_path=path)
    with pytest.raises(NotFoundError, match=r"There is no redirect 'redirect_9'\. cms_listRedirects"):
        await update(ann, "redirect_9", new_href="about")


async def test_a_redirect_is_found_by_its_address_however_it_is_written(ann: Editor, world: World) -> None:
    await ann.create("About")
    await add(ann, "/old-menu", "about")
    for text in ("/old-menu", "Old-Menu", "old-menu/", "/EN/old-menu"):
        (candidate,) = await world.references["redirect"](ann.call(), text)
        assert (candidate.id, candidate.name) == ("redirect_1", "/old-menu")
        assert text in (candidate.name, *candidate.aliases)


async def test_a_redirect_is_removed_after_its_preview(ann: Editor, world: World) -> None:
    await ann.create("About")
    await add(ann, "/old", "about")
    await add(ann, "/shop", "https://shop.example.com/")
    preview = await world.redirects.preview_removal(ann.call(), RemoveRedirect(path="redirect_2"))
    assert preview.summary == "the redirect from /shop to https://shop.example.com/"
    removed = await world.redirects.remove_redirect(ann.call(), RemoveRedirect(path="redirect_2"))
    assert (removed.id, removed.message) == (
        "redirect_2",
        "Removed the redirect from /shop to https://shop.example.com/",
    )
    assert [each.path for each in (await listed(ann)).redirects] == ["/old"]
    with pytest.raises(NotFoundError, match="There is no redirect 'redirect_2'"):
        await world.redirects.remove_redirect(ann.call(), RemoveRedirect(path="redirect_2"))


async def test_a_redirect_is_a_link_to_its_page_and_broken_once_that_is_deleted(ann: Editor, world: World) -> None:
    await ann.create("About")
    await add(ann, "/old", "about")
    links = await world.pages.get_links_here(ann.call(), GetLinksHere(page_id="about"))
    assert [(each.title, each.place) for each in links.links] == [("Redirects", "'/old' / target (en)")]
    await ann.delete("page_1")
    (shown,) = (await listed(ann)).redirects
    assert (shown.broken, shown.href, shown.note) == (True, None, "its page was deleted, so it leads nowhere")
    preview = await world.redirects.preview_removal(ann.call(), RemoveRedirect(path="redirect_1"))
    assert preview.summary == "the redirect from /old, which leads nowhere"
    with pytest.raises(ConflictError, match="cannot be purged, to which 'Redirects' links"):
        await ann.trash.purge_page(ann.call(), PurgePage(page_id="page_1"))


async def test_redirects_that_the_cms_made_are_listed_beside_those_of_the_owner(ann: Editor) -> None:
    await ann.create("Menu")
    await ann.publish_page("menu")
    await ann.update("page_1", slug="food")
    await ann.publish_page("page_1")
    reply = await listed(ann)
    assert [(each.path, each.href, each.note) for each in reply.redirects if each.automatic] == [
        ("/de/menu", "/de/food", None),
        ("/menu", "/food", None),
    ]
    assert reply.message == "The site has 0 redirects, and the CMS made 2 by itself"
    await ann.create("About")
    added = await add(ann, "/menu", "about")
    assert added.remarks == [
        "its page is not live, so visitors do not get there yet; it comes before the one that the CMS made to 'Menu'"
    ]
    assert [each.note for each in (await listed(ann)).redirects[1:]] == [
        None,
        "another redirect from this address comes first",
    ]
    await ann.unpublish_page("page_1")
    assert "is not live" in ((await listed(ann)).redirects[1].note or "")


async def test_all_redirects_are_listed_in_parts_by_one_cursor(ann: Editor) -> None:
    await ann.create("Menu")
    await ann.publish_page("menu")
    await ann.update("page_1", slug="food")
    await ann.publish_page("page_1")
    for number in range(3):
        await add(ann, f"/old-{number}", "food")
    found, cursor = list[str](), None
    for _ in range(3):
        reply = await listed(ann, limit=2, cursor=cursor)
        found += [each.path for each in reply.redirects]
        assert reply.total == 5
        cursor = reply.next_cursor
    assert (found, cursor) == (["/old-0", "/old-1", "/old-2", "/de/menu", "/menu"], None)
    with pytest.raises(InvalidArgumentsError, match="cursor: '3' is not the nextCursor"):
        await listed(ann, cursor="3")


async def test_redirects_have_change_sets_differences_and_undo_as_pages_have(ann: Editor) -> None:
    await ann.create("About")
    await add(ann, "/old", "about")
    (differences,) = [each.differences for each in (await ann.look()).pages if each.title == "Redirects"]
    assert [(each.where, each.after) for each in differences] == [
        ("'/old'", "redirect"),
        ("'/old' / path (en)", "/old"),
        ("'/old' / target (en)", '{"page": "page_1"}'),
    ]
    set_id = (await ann.publish()).change_set.id
    await update(ann, "redirect_1", new_href="https://example.com/")
    assert await ann.differences("Redirects") == [
        ("'/old' / target (en)", '{"page": "page_1"}', '{"url": "https://example.com/"}')
    ]
    await ann.discard()
    assert [each.href for each in (await listed(ann)).redirects] == ["/about"]
    await add(ann, "/older", "about")
    assert ("'/older'", "", "redirect") in await ann.differences("Redirects")
    await ann.discard()
    await ann.revert(set_id)
    async with open_view(ann.world.database, HOME) as scope:
        assert read_redirects(scope, await load_document(scope, Kind.REDIRECTS, live=True)) == []


async def test_the_question_and_the_reply_say_that_a_page_takes_the_address_of_a_redirect(ann: Editor) -> None:
    await ann.create("About")
    await add(ann, "/menu", "about")
    await ann.publish()
    await ann.create("Menu")
    told = "; visitors see a page at /menu, and no redirect is followed there"
    preview = await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="menu"))
    assert preview.summary == f"the page 'Menu' (/menu), which is new{told}"
    assert (await ann.publish()).message.endswith(told)
    assert (await listed(ann)).redirects[0].note == "visitors see the page 'Menu' at this address"
    await ann.update("page_2", title="Our menu")
    assert "redirect" not in (await ann.publish()).message
    await add(ann, "/other", "about")
    assert (await ann.publish()).message.endswith(told)


async def test_another_editors_change_is_not_overwritten(ann: Editor, world: World) -> None:
    await ann.create("About")
    await add(ann, "/old", "about")
    bob = Editor(world, "bob", "tuesday")
    await listed(bob)
    await update(bob, "redirect_1", new_href="https://bob.example/")
    with pytest.raises(ConflictError, match="last by bob: '/old' / target"):
        await update(ann, "redirect_1", new_href="https://ann.example/")
    with pytest.raises(ConflictError, match=r"last by bob"):
        await ann.world.redirects.preview_removal(
            Editor(world, "cyd", "").call(), RemoveRedirect(path="redirect_1", if_unchanged=await _old_token(ann))
        )


async def _old_token(ann: Editor) -> str:
    """The token of the redirects before one more was added by another."""
    token = (await listed(ann, with_token=True)).token or ""
    await add(Editor(ann.world, "bob", "tuesday"), "/bob", "about")
    return token


async def test_a_token_of_an_earlier_state_is_refused(ann: Editor, world: World) -> None:
    await ann.create("About")
    editor = Editor(world, "cyd")
    first = await add(editor, "/old", "about", with_token=True)
    second = await update(editor, "redirect_1", new_href="https://example.com/", with_token=True)
    for refused in (
        lambda: add(editor, "/new", "about", if_unchanged=first.token),
        lambda: update(editor, "redirect_1", new_href="about", if_unchanged=first.token),
        lambda: world.redirects.remove_redirect(
            editor.call(), RemoveRedirect(path="redirect_1", if_unchanged=first.token)
        ),
    ):
        with pytest.raises(ConflictError, match="'Redirects' has changed"):
            await refused()
    assert (await listed(editor, with_token=True)).token == second.token
    await add(editor, "/new", "about", if_unchanged=second.token)


async def test_redirects_of_another_tenant_do_not_exist(ann: Editor, world: World) -> None:
    await ann.create("About")
    await add(ann, "/old", "about")
    call = world.call(tenant="other")
    assert (await world.redirects.list_redirects(call, ListRedirects())).redirects == []
    with pytest.raises(NotFoundError, match="There is no redirect '/old'"):
        await world.references["redirect"](call, "/old")
    with pytest.raises(NotFoundError, match="There is no redirect 'redirect_1'"):
        await world.redirects.remove_redirect(call, RemoveRedirect(path="redirect_1"))
    with pytest.raises(NotFoundError):
        await world.redirects.add_redirect(call, AddRedirect(path="/old", href="page_1"))
