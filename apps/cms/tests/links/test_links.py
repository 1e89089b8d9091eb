"""Links between pages: as they are written, stored, shown to visitors, listed, and minded before a page goes."""

from __future__ import annotations

from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World
from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.pages.payloads import CopyPage, DeletePage, GetLinksHere, TranslatePage
from remit_cms.publishing.payloads import PurgePage, UnpublishPage
from remit_cms.sections.links import resolve_links
from remit_cms.storage.transactions import open_view


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor of a site with the page About, page_1, which is "Über uns" in German."""
    ann = Editor(world)
    about = await ann.create("About us", ("text", {"content": "Bread."}))
    payload = TranslatePage(page_id=about.id, locale_code="de", title="Über uns", slug="ueber-uns")
    await world.pages.translate_page(ann.call(), payload)
    return ann


async def stored(ann: Editor, content: dict[str, Any], template: str = "text") -> Any:
    """What becomes of content that is written."""
    page = await ann.create("Other", (template, content))
    return (await ann.draft(page.id)).sections[0].content


async def links_here(ann: Editor, page: str) -> list[tuple[str, str, bool, bool]]:
    reply = await ann.world.pages.get_links_here(ann.call(), GetLinksHere(page_id=page))
    assert reply.total == len(reply.links)
    return [(each.title, each.place, each.draft, each.live) for each in reply.links]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("[us](/about-us)", "[us](page:page_1)"),
        ("[us](about-us#team) and [us](/About_us)", "[us](page:page_1#team) and [us](page:page_1)"),
        ("[wir](/de/ueber-uns), [wir](</ueber-uns>)", "[wir](page:page_1), [wir](page:page_1)"),
        ("[us](About us), [wir](Über uns)", "[us](page:page_1), [wir](page:page_1)"),
        ('[us](/about-us "Our team")', '[us](page:page_1 "Our team")'),
        ("[us][1]\n\n[1]: /about-us", "[us][1]\n\n[1]: page:page_1"),
        ("[us](page:about-us)", "[us](page:page_1)"),
        ("[x](https://example.com/about-us), [y](mailto:a@example.com), [z](#about-us)", None),
        ("[x](/nowhere), [y](/), [z](/about-us?x=1)", None),
        ("`[us](/about-us)` and\n```\n[us](/about-us)\n```\n", None),
        ("A [note] and a page: about-us (about-us).", None),
    ],
)
async def test_a_link_to_an_address_or_a_title_becomes_a_reference_to_the_page(
    ann: Editor, written: str, expected: str | None
) -> None:
    assert await stored(ann, {"content": written}) == {"text": expected or written}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ({"text": "Us", "url": "/about-us"}, "page:page_1"),
        ({"text": "Us", "url": "About us"}, "page:page_1"),
        ({"text": "Us", "page": "about-us"}, "page:page_1"),
        ({"text": "Us", "page": "page_1"}, "page:page_1"),
        ({"text": "Us", "url": "page:page_1#team"}, "page:page_1#team"),
        ({"text": "Us", "url": "/nowhere"}, "/nowhere"),
    ],
)
async def test_a_link_slot_names_a_page_in_the_same_form(ann: Editor, written: dict[str, str], expected: str) -> None:
    content = await stored(ann, {"heading": "Hi", "cta": written}, "call-to-action")
    assert content["cta"] == {"text": "Us", "url": expected}


async def test_a_reference_to_no_page_or_to_one_of_another_tenant_is_not_found(ann: Editor) -> None:
    foreign = await ann.world.page("Theirs", tenant="other")
    for name in ("nope", foreign.id):
        with pytest.raises(NotFoundError, match=f"There is no page '{name}' to link to"):
            await ann.create("More", ("text", {"content": f"[x](page:{name})"}))
    with pytest.raises(InvalidArgumentsError, match="an address begins with"):
        await ann.create("More", ("call-to-action", {"heading": "Hi", "cta": {"text": "x", "url": "No such page"}}))


async def test_a_title_that_two_pages_have_stays_what_it_is(ann: Editor) -> None:
    await ann.create("Twin", ("text", {"content": "1"}))
    twin = await ann.create("Twin two")
    await ann.update(twin.id, title="Twin", slug="second")
    assert await stored(ann, {"content": "[x](</Twin>) [y](Twin )"}) == {"text": "[x](page:page_2) [y](page:page_2)"}
    await ann.update("page_2", slug="first")
    await ann.write("section_2", content="[y](Twin)")
    assert (await ann.draft("page_2")).sections[0].content == {"text": "[y](Twin)"}


async def test_a_link_is_rendered_to_the_present_address_in_each_language(ann: Editor) -> None:
    page = await ann.create("Home", ("text", {"content": "[us](/about-us#team)"}))
    await ann.update("page_1", slug="we")
    assert 'href="/we#team"' in await ann.world.rendering.render(HOME, page.id)
    assert 'href="/de/ueber-uns#team"' in await ann.world.rendering.render(HOME, page.id, "de")
    content: Content = {"content": "[us](page:page_1)", "cta": {"text": "Us", "url": "page:page_1"}}
    async with open_view(ann.world.database, HOME) as scope:
        assert await resolve_links(scope, content, "en", live=True) == content
    await ann.publish_page("page_1")
    async with open_view(ann.world.database, HOME) as scope:
        resolved = await resolve_links(scope, content, "en", live=True)
    assert resolved == {"content": "[us](/we)", "cta": {"text": "Us", "url": "/we"}}


async def test_a_link_to_a_deleted_page_is_rendered_as_text(ann: Editor) -> None:
    button: tuple[str, Content] = ("call-to-action", {"heading": "Hi", "cta": {"text": "Button", "url": "/about-us"}})
    page = await ann.create("Home", ("text", {"content": "[our team](/about-us)"}), button)
    await ann.delete("page_1")
    html = await ann.world.rendering.render(HOME, page.id)
    assert "our team" in html
    assert "page:" not in html
    assert "Button" not in html
    assert "call-to-action" not in html.partition("<body>")[2]  # it would be a heading with nothing below


async def test_a_call_to_action_with_a_text_stays_without_its_button(ann: Editor) -> None:
    content: Content = {"heading": "Hi", "content": "Ask us.", "cta": {"text": "Button", "url": "/about-us"}}
    page = await ann.create("Home", ("call-to-action", content))
    await ann.delete("page_1")
    html = await ann.world.rendering.render(HOME, page.id)
    assert ("Ask us." in html, "Button" in html) == (True, False)


async def test_what_links_to_a_page_is_listed_for_drafts_and_for_visitors(ann: Editor) -> None:
    home = await ann.create("Home", ("text", {"content": "[us](/about-us)"}))
    assert await links_here(ann, "about-us") == [("Home", "text / text (en)", True, False)]
    await ann.publish_page(home.id)
    await ann.write(home.sections[0].id, content="Nothing.")
    await ann.write(home.sections[0].id, "de", content="[wir](/de/ueber-uns)")
    assert await links_here(ann, "about-us") == [
        ("Home", "text / text (de)", True, False),
        ("Home", "text / text (en)", False, True),
    ]
    await ann.delete(home.id)
    assert await links_here(ann, "about-us") == []
    await ann.restore(home.id)
    assert await links_here(ann, "about-us") == [("Home", "text / text (de)", True, False)]


async def test_a_page_does_not_stand_in_its_own_way(ann: Editor) -> None:
    await ann.write("section_1", content="[us](/about-us)")
    assert await links_here(ann, "about-us") == []


async def test_approvers_are_told_who_links_to_a_page_and_asked_anew_about_another(ann: Editor) -> None:
    await ann.publish_page("page_1")
    delete = DeletePage(page_id="page_1", confirmed=True)
    before = await ann.world.pages.preview_deletion(ann.call(), delete)
    await ann.create("Home", ("text", {"content": "[us](/about-us)"}))
    after = await ann.world.pages.preview_deletion(ann.call(), delete)
    german = ", in other languages at /de/ueber-uns"
    assert after.summary == f"{before.summary.removesuffix(german)}, to which 'Home' links{german}"
    assert after.state != before.state
    await ann.create("Team", ("text", {"content": "[us](/about-us)"}))
    hidden = await ann.publishing.preview_unpublication(ann.call(), UnpublishPage(page_id="page_1"))
    assert hidden.summary == "the live page 'About us' (/about-us), to which 'Home', 'Team' link" + german


async def test_a_page_is_not_purged_while_others_link_to_it(ann: Editor) -> None:
    home = await ann.create("Home", ("text", {"content": "[us](/about-us)"}))
    await ann.delete("page_1")
    assert await links_here(ann, "page_1") == [("Home", "text / text (en)", True, False)]
    purge = PurgePage(page_id="page_1")
    for attempt in (ann.trash.preview_purge, ann.trash.purge_page):
        with pytest.raises(ConflictError, match="'About us' cannot be purged, to which 'Home' links"):
            await attempt(ann.call(), purge)
    await ann.write(home.sections[0].id, content="Nothing.")
    await ann.trash.purge_page(ann.call(), purge)


async def test_drafts_of_others_that_link_to_a_page_have_no_name_in_questions_and_refusals(ann: Editor) -> None:
    await ann.publish_page("page_1")
    before = await ann.world.pages.preview_deletion(ann.call(), DeletePage(page_id="page_1", confirmed=True))
    bob = Editor(ann.world, "bob", "tuesday")
    await bob.create("Secret party", ("text", {"content": "[us](/about-us)"}))
    after = await ann.world.pages.preview_deletion(ann.call(), DeletePage(page_id="page_1", confirmed=True))
    assert "to which" not in before.summary
    assert "to which a draft of others links" in after.summary
    own = await ann.world.pages.preview_deletion(bob.call(), DeletePage(page_id="page_1", confirmed=True))
    assert "to which 'Secret party' links" in own.summary
    await ann.delete("page_1")
    with pytest.raises(ConflictError, match="cannot be purged, to which a draft of others links"):
        await ann.trash.purge_page(ann.call(), PurgePage(page_id="page_1"))


async def test_a_page_is_not_purged_while_an_open_change_set_links_to_it(world: World, ann: Editor) -> None:
    bob = Editor(world, "bob", "b")
    home = await Editor(world, "ann", "a").create("Home", ("text", {"content": "[us](/about-us)"}))
    await bob.write(home.sections[0].id, content="Nothing.")
    await ann.delete("page_1")
    ((title, place, is_draft, is_live),) = await links_here(ann, "page_1")
    assert (title, is_draft, is_live) == ("Home", True, False)
    assert place.startswith("text / text (en), in the change set 'Edits by ann")
    purge = PurgePage(page_id="page_1")
    for attempt in (ann.trash.preview_purge, ann.trash.purge_page):
        with pytest.raises(ConflictError, match="'About us' cannot be purged, to which a draft of others links"):
            await attempt(ann.call(), purge)


async def test_a_copy_has_the_sections_in_all_languages_and_an_address_of_its_own(ann: Editor) -> None:
    await ann.write("section_1", "de", content="Brot.")
    await ann.publish_page("page_1")
    reply = await ann.world.pages.copy_page(ann.call(), CopyPage(page_id="about-us", title="About them"))
    assert (reply.page.slug, reply.page.status) == ("about-them", "draft")
    (section,) = reply.sections or []
    assert section.id == "section_2"
    await ann.write(section.id, content="Cake.")
    assert (await ann.draft("page_1")).sections[0].content == {"text": "Bread."}
    assert "Brot." in await ann.world.rendering.render(HOME, reply.page.id, "de")
