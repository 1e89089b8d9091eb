"""What a question says besides the difference: redirects that end, addresses that go, pages that stay below."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME
from remit.errors import ConflictError
from remit_cms.pages.payloads import DeletePage, MovePage, TranslatePage
from remit_cms.publishing.payloads import PublishChangeSet, UnpublishPage
from remit_cms.scheduling.payloads import ExpirePage
from remit_cms.storage.tables import Redirect
from remit_cms.storage.transactions import open_view


async def redirects(editor: Editor) -> set[tuple[str, str]]:
    async with open_view(editor.world.database, HOME) as scope:
        rows = await scope.session.execute(select(Redirect.path, Redirect.page).where(Redirect.locale == "en"))
        return {(row.path, row.page) for row in rows}


async def test_a_page_at_the_address_of_a_redirect_is_told_and_its_undo_gives_the_redirect_back(ann: Editor) -> None:
    await ann.create("Contact")
    await ann.publish()
    await ann.update("page_1", slug="reach-us")
    await ann.publish()
    assert await redirects(ann) == {("contact", "page_1")}
    await ann.create("Contact", ("hero", {"heading": "New"}))
    told = "; /contact led to 'Contact' (/reach-us) and leads there no more"
    assert told in (await ann.sets.preview_publication(ann.call(), PublishChangeSet())).summary
    reply = await ann.publish()
    assert reply.message.endswith(told)
    assert await redirects(ann) == set()
    await ann.revert(reply.change_set.id)
    assert await redirects(ann) == {("contact", "page_1")}


async def test_an_undo_leaves_no_redirect_to_what_visitors_do_not_see(ann: Editor) -> None:
    await ann.create("Xmas")
    await ann.publish()
    await ann.revert()
    assert await redirects(ann) == set()


async def test_an_undone_address_leads_to_the_page_that_had_it(ann: Editor) -> None:
    await ann.create("Contact")
    await ann.publish()
    await ann.update("page_1", slug="reach-us")
    await ann.publish()
    await ann.revert()
    assert await redirects(ann) == {("reach-us", "page_1")}


async def make_order(ann: Editor) -> None:
    """A page in two languages, with another one below it."""
    await ann.create("Order")
    german = TranslatePage(page_id="order", locale_code="de", title="Bestellen", slug="bestellen")
    await ann.world.pages.translate_page(ann.call(), german)
    await ann.create("Vouchers")
    await ann.world.pages.move_page(ann.call(), MovePage(page_id="page_2", parent_id="page_1"))
    await ann.publish()


async def test_questions_about_a_page_that_goes_name_its_addresses_and_the_pages_below(ann: Editor) -> None:
    await make_order(ann)
    told = ", in other languages at /de/bestellen; below it, visitors still see 'Vouchers' (/order/vouchers)"
    hiding = await ann.publishing.preview_unpublication(ann.call(), UnpublishPage(page_id="order"))
    assert told in hiding.summary
    deletion = await ann.world.pages.preview_deletion(ann.call(), DeletePage(page_id="page_1"))
    assert told in deletion.summary
    expiry = await ann.world.scheduling.preview_expiry(ann.call(), ExpirePage(page_id="order", at="2026-06-01"))
    assert told in expiry.summary
    await ann.remove("page_1")
    assert told in (await ann.sets.preview_publication(ann.call(), PublishChangeSet())).summary


async def test_a_page_below_one_that_visitors_do_not_see_is_edited_and_published(ann: Editor) -> None:
    await make_order(ann)
    await ann.unpublish_page("page_1")
    await ann.update("page_2", title="Gift vouchers")
    await ann.publish()
    assert await ann.live_title("order/vouchers") == "Gift vouchers"


async def test_a_change_set_whose_edits_are_overruled_is_not_asked_about(ann: Editor, bob: Editor) -> None:
    await ann.create("Bread")
    await ann.publish()
    await ann.update("page_1", title="Ann's")
    await bob.draft("page_1")
    await bob.update("page_1", title="Bob's")
    await bob.publish()
    with pytest.raises(ConflictError, match=r"changes nothing for visitors: .* cms_discardChangeSet closes it"):
        await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    await ann.discard()
    assert await ann.live_title("page_1") == "Bob's"
