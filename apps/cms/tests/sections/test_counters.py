"""Numbers of sections and ids of items: however these come to a page, none of them is given again."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from io import BytesIO
from zipfile import ZipFile

import pytest
from pydantic import JsonValue

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World
from remit import LeafContext
from remit_cms.models import Content
from remit_cms.pages.payloads import CopyPage
from remit_cms.publishing.payloads import DiscardChangeSet, PageStateReply, RevertPage
from remit_cms.publishing.publishing import page_state
from remit_cms.sections.payloads import AddListItem, AddSectionToPage, MoveSection, SectionWriteReply, UpdateListItem
from remit_cms.sites.payloads import AddSite, ExportContent, ImportContent
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Target
from remit_cms.storage.snapshots import Snapshot, apply_snapshot, build_snapshot
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.translations import item_content

FAQ = "section_1"
QUESTIONS: Content = {"questions": [{"question": f"Question {n}?"} for n in (1, 2, 3)]}
ELSEWHERE = Target("copy", "main")


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor of a site with the page Help: three questions, one of them translated, and a text."""
    world.ids.counts["template"] = 100  # the prepared database has ids of templates
    ann = Editor(world)
    await ann.create("Help", ("faq", QUESTIONS), ("text", {"content": "Words."}))
    payload = UpdateListItem(page_section_id=FAQ, item_id="i1", item={"question": "Frage 1?"}, locale_code="de")
    await world.sections.items.update_list_item(ann.call(), payload)
    return ann


async def add_questions(ann: Editor, call: LeafContext) -> SectionWriteReply:
    payload = AddSectionToPage(page_id="help", definition_id="faq", content=QUESTIONS)
    return await ann.world.sections.add_section_to_page(call, payload)


async def copied(ann: Editor) -> str:
    await ann.world.pages.copy_page(ann.call(), CopyPage(page_id="help", title="Copy"))
    return "copy"


async def moved(ann: Editor) -> str:
    await ann.create("Other", ("faq", {"questions": [{"question": "Other?"}]}))
    await ann.world.sections.move_section(ann.call(), MoveSection(page_section_id=FAQ, new_page_id="other"))
    return "other"


async def moved_and_reverted(ann: Editor) -> str:
    await moved(ann)
    return await revert(ann)


async def revert(ann: Editor) -> str:
    await ann.history.revert_page(ann.call(), RevertPage(page_id="help", revision=2))
    return "help"


async def restored(ann: Editor) -> str:
    await ann.delete((await ann.draft("help")).id)
    await ann.restore("page_1")
    return "help"


async def discarded(ann: Editor) -> str:
    bob = Editor(ann.world, "bob", "tuesday")
    await add_questions(ann, bob.call())
    await bob.sets.discard_change_set(bob.call(), DiscardChangeSet())
    return "help"


async def made_and_taken_back_with_a_set(ann: Editor) -> str:
    bob = Editor(ann.world, "bob", "tuesday")
    made = await bob.create("Mine", ("faq", QUESTIONS))
    await bob.sets.discard_change_set(bob.call(), DiscardChangeSet())
    await bob.restore(made.id)
    return "mine"


async def written_without_counters(ann: Editor) -> str:
    async def work(edit: Edit) -> PageStateReply:
        page = await edit.find_page("help")
        snapshot = await build_snapshot(edit, page)
        page.last_section = page.last_item = 0
        await apply_snapshot(edit, page, snapshot.model_copy(update={"last_section": 0, "last_item": 0}))
        await save_revision(edit, page, "revert_page")
        return PageStateReply(page=page_state(page), message="Done")

    await edit_once(ann.world.database, ann.call(), RevertPage(page_id="help", revision=1), PageStateReply, work)
    return "help"


async def imported(ann: Editor) -> str:
    return await carry(ann, {})


async def carry(ann: Editor, draft: Mapping[str, JsonValue]) -> str:
    """Export the site and import it into another one, with some of the page's draft replaced."""
    world, packed = ann.world, BytesIO()
    await world.sites.add_site(ann.call(), AddSite(key=ELSEWHERE.site, name="Copy"))
    exported = (await world.sites.export_content(ann.call(), ExportContent())).file
    with ZipFile(BytesIO(await world.files.read(exported))) as archive:
        site = json.loads(archive.read("site.json"))
    site["documents"][0]["draft"] |= draft
    with ZipFile(packed, "w") as archive:
        archive.writestr("site.json", json.dumps(site))
    file = await world.files.add(packed.getvalue(), name="site.zip")
    await world.sites.import_content(world.call(target=ELSEWHERE.site), ImportContent(file=file))
    return "help"


WAYS = (
    copied,
    moved,
    moved_and_reverted,
    restored,
    discarded,
    made_and_taken_back_with_a_set,
    written_without_counters,
    imported,
)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_what_is_added_to_a_page_overwrites_nothing_that_came_to_it(
    ann: Editor, way: Callable[[Editor], Awaitable[str]]
) -> None:
    world, page = ann.world, await way(ann)
    target = ELSEWHERE if "imported" in way.__name__ else HOME

    async def load() -> Snapshot:
        async with open_view(world.database, target) as scope:
            return await build_snapshot(scope, await scope.find_page(page))

    before = await load()
    for section in before.sections:
        if section.definition == "faq":
            payload = AddListItem(page_section_id=section.id, item={"question": "New?"})
            await world.sections.items.add_list_item(world.call(target=target.site), payload)
    added = AddSectionToPage(page_id=page, definition_id="text", content={"content": "New."})
    await world.sections.add_section_to_page(world.call(target=target.site), added)
    after = await load()

    assert len({each.number for each in after.sections} - {0}) == len(after.sections)
    *kept, _ = after.sections
    for old, new in zip(before.sections, kept, strict=True):
        for slot, items in old.lists.items():
            *others, last = new.lists[slot]
            assert (others, last in items) == (items, False)
    assert {**values_of(after), **values_of(before)} == values_of(after)


def values_of(snapshot: Snapshot) -> dict[tuple[str, ...], JsonValue]:
    """The values of a state by section, locale and slot, and in lists by item and field."""
    return {
        (section.id, locale, slot, *rest): part
        for section in snapshot.sections
        for locale, content in section.contents.items()
        for slot, value in content.items()
        for rest, part in (
            [((), value)]
            if slot not in section.lists
            else [
                ((item, field), each)
                for item in section.lists[slot]
                for field, each in item_content(content, slot, item).items()
            ]
        )
    }


async def test_an_imported_page_goes_on_counting_from_what_visitors_see(ann: Editor) -> None:
    await ann.publish_page("help")
    await carry(ann, {"sections": [], "lastSection": 0, "lastItem": 0})
    added = await add_questions(ann, ann.world.call(target=ELSEWHERE.site))
    assert (added.section.ref, added.new_items) == ("help/s3", ["i4", "i5", "i6"])
