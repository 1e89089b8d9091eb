"""Live pages, addresses, history and trash of single pages."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import AlreadyExistsError, ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.pages.payloads import DeletePage, MovePage
from remit_cms.publishing.payloads import (
    GetLivePage,
    ListRevisions,
    ListTrash,
    PublishPage,
    PurgePage,
    RestorePage,
    RevertPage,
)
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings
from remit_cms.storage.differences import compare_snapshots
from remit_cms.storage.snapshots import SectionSnapshot, Snapshot


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world)


async def test_visitors_see_the_published_revision_until_the_next_publication(ann: Editor) -> None:
    page = await ann.create("About", ("hero", {"heading": "We bake bread"}))
    await ann.publish_page("about")
    assert (await ann.draft("about")).status == "published"
    await ann.write(page.sections[0].id, heading="We bake cake")
    assert (await ann.draft("about")).status == "changed"
    reply = await ann.publishing.get_live_page(ann.call(), GetLivePage(page_id="About"))
    assert (reply.page.revision, reply.page.sections[0].content) == (1, {"heading": "We bake bread"})
    await ann.publish_page("about")
    reply = await ann.publishing.get_live_page(ann.call(), GetLivePage(page_id="about", locale_code="de"))
    assert (reply.page.revision, reply.page.sections[0].content) == (2, {"heading": "We bake cake"})
    assert reply.page.sections[0].untranslated == {"heading": "en"}


async def test_an_edit_that_is_undone_by_hand_leaves_nothing_to_publish(ann: Editor) -> None:
    await ann.create("About")
    await ann.publish_page("about")
    await ann.update("about", title="Us")
    await ann.update("about", title="About")
    assert (await ann.draft("about")).status == "published"
    with pytest.raises(ConflictError, match="there is nothing to publish"):
        await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="about"))


async def test_an_unpublished_page_is_hidden_and_keeps_its_draft(ann: Editor) -> None:
    await ann.create("About")
    with pytest.raises(ConflictError, match="Page 'About' is not live"):
        await ann.unpublish_page("about")
    await ann.publish_page("about")
    await ann.unpublish_page("about")
    with pytest.raises(NotFoundError, match="Page 'About' is not live"):
        await ann.live_title("about")
    assert (await ann.draft("about")).status == "draft"


async def test_addresses_that_a_page_had_lead_to_it_without_loops(ann: Editor) -> None:
    await ann.create("About", ("text", {"content": "Us."}))
    await ann.publish_page("page_1")
    for slug in ("us", "them", "about"):
        await ann.update("page_1", slug=slug)
        await ann.publish_page("page_1")
    rows = [
        await ann.publishing.get_live_page(ann.call(), GetLivePage(page_id=path)) for path in ("us", "them", "about")
    ]
    assert [(row.page.live_path, row.page.redirected_from) for row in rows] == [
        ("about", "us"),
        ("about", "them"),
        ("about", None),
    ]
    assert (await ann.world.rows())["redirects"] == 4  # two in each language


async def test_a_new_page_takes_over_an_address_that_another_has_left(ann: Editor) -> None:
    await ann.create("About")
    await ann.publish_page("about")
    await ann.update("about", slug="us")
    await ann.create("About")
    with pytest.raises(ConflictError, match=r"'About' cannot go live at /about, where 'About' \(id page_1\) is live"):
        await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="page_2"))
    with pytest.raises(ConflictError, match="cannot go live at /about"):
        await ann.publish_page("page_2")
    await ann.publish_page("page_1")
    await ann.publish_page("page_2")
    reply = await ann.publishing.get_live_page(ann.call(), GetLivePage(page_id="about"))
    assert (reply.page.id, reply.page.redirected_from) == ("page_2", None)


async def test_revisions_say_who_did_what_and_which_of_them_is_live(ann: Editor) -> None:
    await ann.create("About")
    await ann.publish_page("about")
    await Editor(ann.world, "bob", "monday").update("about", title="Us")
    await ann.update("about", title="We")
    reply = await ann.history.list_revisions(ann.call(), ListRevisions(page_id="page_1", limit=2))
    assert [(row.revision, row.action, row.author, row.change_set_id) for row in reply.revisions] == [
        (3, "update_page", "ann", None),
        (2, "update_page", "bob", "set_2"),
    ]
    assert reply.total == 3
    reply = await ann.history.list_revisions(
        ann.call(), ListRevisions(page_id="page_1", limit=1, cursor=reply.next_cursor)
    )
    assert [(row.revision, row.is_live, row.run) for row in reply.revisions] == [(1, True, "run of ann")]


async def test_a_comparison_names_each_place_and_excerpts_long_texts(ann: Editor) -> None:
    page = await ann.create("About", ("text", {"content": "x" * 600 + "old"}), ("text", {"content": "Two"}))
    await ann.write(page.sections[0].id, content="x" * 600 + "new")
    await ann.write(page.sections[1].id, content=None)
    before, after = "…" + "x" * 40 + "old", "…" + "x" * 40 + "new"
    differences = await ann.differences("about", before=1)
    assert differences == [("text 1 / text (en)", before, after), ("text 2 / text (en)", "Two", "")]
    assert len(await ann.differences("about")) == 5
    await ann.write(page.sections[1].id, content="y" * 1500)
    assert (await ann.differences("about", before=3))[0][2] == "y" * 400 + "… (1,500 characters)"
    with pytest.raises(NotFoundError, match=r"^Page 'About' has no revision 9; 4 is its last\.$"):
        await ann.differences("about", before=9)


def test_a_comparison_tells_a_new_order_of_sections() -> None:
    def page(*order: str) -> Snapshot:
        sections = [SectionSnapshot(id=key, definition=key, sort_order=at) for at, key in enumerate(order)]
        return Snapshot(id="p", locale="en", slug="p", title="P", sections=sections)

    assert compare_snapshots(page("a", "b"), page("a", "b")) == []
    (found,) = compare_snapshots(page("a", "b"), page("b", "a"))
    assert (found.where, found.before, found.after) == ("order of sections", "a, b", "b, a")
    assert [each.where for each in compare_snapshots(page("a", "b"), page("b"))] == ["a"]


def test_a_comparison_tells_where_a_new_section_stands() -> None:
    def page(*order: str) -> Snapshot:
        sections = [SectionSnapshot(id=key, definition=key, sort_order=at) for at, key in enumerate(order)]
        return Snapshot(id="p", locale="en", slug="p", title="P", sections=sections)

    found = compare_snapshots(page("a", "b"), page("new", "a", "next", "b"))
    assert [(each.where, each.after) for each in found] == [("new", "section at the top"), ("next", "section after a")]
    assert [each.where for each in compare_snapshots(None, page("a"))] == ["title", "slug", "a"]


async def test_a_draft_goes_back_to_an_earlier_revision_with_all_its_sections_and_languages(ann: Editor) -> None:
    page = await ann.create("About", ("hero", {"heading": "We bake bread"}))
    await ann.write(page.sections[0].id, "de", heading="Brot")
    await ann.publish_page("about")
    await ann.update("about", title="Us", slug="us")
    await ann.write(page.sections[0].id, "de", heading="Kuchen")
    reply = await ann.history.revert_page(ann.call(), RevertPage(page_id="us", revision=2))
    assert (reply.page.revision, reply.page.slug, reply.page.status) == (5, "about", "published")
    assert await ann.differences("about", before=2) == []
    reply = await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=2))
    assert (reply.page.revision, reply.message) == (5, "Page 'About' is like that already")
    with pytest.raises(NotFoundError, match="has no revision 9; 5 is its last"):
        await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=9))


async def test_a_draft_does_not_go_back_to_a_slug_that_another_page_has(ann: Editor) -> None:
    await ann.create("About")
    await ann.update("about", slug="us")
    await ann.create("About")
    with pytest.raises(AlreadyExistsError, match="a page with this slug already"):
        await ann.history.revert_page(ann.call(), RevertPage(page_id="us", revision=1))


async def test_a_deleted_page_comes_back_as_a_draft_under_its_id(ann: Editor) -> None:
    page = await ann.create("About", ("hero", {"heading": "We bake bread"}))
    await ann.publish_page("about")
    await ann.delete(page.id)
    with pytest.raises(NotFoundError):
        await ann.live_title("about")
    trash = await ann.trash.list_trash(ann.call(), ListTrash())
    assert [(row.id, row.title, row.deleted_by) for row in trash.pages] == [("page_1", "About", "ann")]
    reply = await ann.trash.restore_page(ann.call(), RestorePage(page_id="page_1"))
    assert (reply.page.status, reply.page.revision) == ("draft", 3)
    assert (await ann.draft("about")).sections[0].content == {"heading": "We bake bread"}
    assert (await ann.trash.list_trash(ann.call(), ListTrash())).total == 0
    await ann.publish_page("about")
    assert await ann.live_title("about") == "About"


async def test_who_approves_a_deletion_is_told_that_visitors_see_the_page(ann: Editor) -> None:
    await ann.create("About")
    payload = DeletePage(page_id="page_1", confirmed=True)
    before = await ann.world.pages.preview_deletion(ann.call(), payload)
    await ann.publish_page("about")
    preview = await ann.world.pages.preview_deletion(ann.call(), payload)
    assert preview.summary == "the page 'About' (/about) with no sections, which visitors see"
    assert preview.state != before.state


async def test_a_restored_page_needs_another_slug_if_its_own_is_taken(ann: Editor) -> None:
    await ann.create("About")
    await ann.delete("page_1")
    await ann.create("About")
    with pytest.raises(AlreadyExistsError, match="a page with this slug already"):
        await ann.trash.restore_page(ann.call(), RestorePage(page_id="page_1"))
    reply = await ann.trash.restore_page(ann.call(), RestorePage(page_id="page_1", slug="old-about"))
    assert reply.page.slug == "old-about"


async def test_a_restored_page_gives_up_a_translated_address_that_is_taken(ann: Editor) -> None:
    await ann.create("About")
    await ann.update("about", locale_code="de", title="Über uns", slug="ueber")
    await ann.delete("page_1")
    await ann.create("Ueber")
    await ann.restore("page_1")
    assert await ann.differences("page_1", before=2) == [("slug (de)", "ueber", "")]


async def test_a_restored_page_keeps_its_place_and_an_address_that_fits(ann: Editor) -> None:
    await ann.create("About")
    await ann.create("Team")
    await ann.world.pages.move_page(ann.call(), MovePage(page_id="team", parent_id="about"))
    await ann.delete("page_2")
    with pytest.raises(InvalidArgumentsError, match="would have 70 characters; 64 are the most"):
        await ann.trash.restore_page(ann.call(), RestorePage(page_id="page_2", slug="x" * 64))
    reply = await ann.trash.restore_page(ann.call(), RestorePage(page_id="page_2", slug="people"))
    assert reply.page.slug == "about/people"


async def test_a_page_that_is_not_deleted_is_not_purged_and_the_refusal_says_so(ann: Editor) -> None:
    await ann.create("About")
    find = ann.world.references["deleted-page"]
    for said in ("about", "About", "page_1"):
        with pytest.raises(
            NotFoundError, match=r"^The page 'About' \(/about\) is not in the trash: it is not deleted\."
        ):
            await find(ann.call(), said)
    with pytest.raises(NotFoundError, match="is not in the trash: it is not deleted"):
        await ann.trash.purge_page(ann.call(), PurgePage(page_id="page_1"))
    with pytest.raises(NotFoundError, match=r"^There is no page 'nowhere' in the trash"):
        await find(ann.call(), "nowhere")
    await ann.delete("page_1")
    assert [each.id for each in await find(ann.call(), "about")] == ["page_1"]


async def test_settings_are_published_without_an_address(ann: Editor) -> None:
    await Settings(ann.world.database).update_site_settings(ann.call(), UpdateSiteSettings(tagline="Bread"))
    payload = PublishPage(page_id="Site settings")
    assert (await ann.publishing.preview_publication(ann.call(), payload)).summary == "'Site settings', which is new"
    assert (await ann.publishing.publish_page(ann.call(), payload)).message == "Published 'Site settings'"


async def test_the_approver_reads_the_addresses_of_links(ann: Editor) -> None:
    await ann.create("About")
    content: Content = {"content": "See [us](/about).", "heading": "Us", "cta": {"text": "Us", "page": "about"}}
    await ann.create("Home", ("hero", content))
    preview = await ann.publishing.preview_publication(ann.call(), PublishPage(page_id="home"))
    shown = {each.where: each.after for each in preview.changes}
    assert shown["hero / text (en)"] == "See [us](/about)."
    assert shown["hero / cta (en)"] == "text: Us, url: /about"


async def test_of_a_purged_page_nothing_is_left(ann: Editor) -> None:
    before = await ann.world.rows()
    await Editor(ann.world, "bob", "monday").create("About")
    await ann.publish_page("about")
    await ann.delete("page_1")
    preview = await ann.trash.preview_purge(ann.call(), PurgePage(page_id="page_1"))
    assert preview.summary == "the deleted page 'About' (/about) with 2 revisions, for ever"
    await ann.trash.purge_page(ann.call(), PurgePage(page_id="page_1"))
    after = await ann.world.rows()
    assert {name for name in after if after[name] != before[name]} == {"remit_effects", "change_sets"}
    with pytest.raises(NotFoundError, match="There is no page 'page_1' in the trash"):
        await ann.trash.purge_page(ann.call(), PurgePage(page_id="page_1"))
