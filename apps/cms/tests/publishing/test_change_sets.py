"""Change sets: published together, undone together, and never with the edits of others unseen."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import START, World
from remit.errors import AlreadyExistsError, ConflictError, NotFoundError
from remit_cms.publishing.payloads import CreateChangeSet, ListChangeSets, PublishChangeSet, RevertChangeSet
from remit_cms.sections.payloads import AddSectionToPage


async def test_the_edits_of_a_conversation_go_live_together(ann: Editor) -> None:
    await ann.create("About")
    await ann.create("Contact")
    with pytest.raises(NotFoundError, match="Page 'About' is not live"):
        await ann.live_title("about")
    published = await ann.publish()
    assert (published.change_set.state, [page.status for page in published.pages]) == ("published", ["published"] * 2)
    assert [await ann.live_title(path) for path in ("about", "contact")] == ["About", "Contact"]


async def test_the_approver_is_shown_the_whole_difference_and_the_state_names_each_page(ann: Editor) -> None:
    page = await ann.create("About", ("hero", {"heading": "We bake bread"}))
    await ann.publish()
    await ann.write(page.sections[0].id, heading="We bake cake")
    await ann.write(page.sections[0].id, "de", heading="Wir backen")
    await ann.create("Contact")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert "2 pages ('About', 'Contact')" in preview.summary
    assert [(each.where, each.before, each.after) for each in preview.changes] == [
        ("Remark: About: translation de", "", "missing: title"),
        ("About: hero / heading (de)", "", "Wir backen"),
        ("About: hero / heading (en)", "We bake bread", "We bake cake"),
        ("Contact: title", "", "Contact"),
        ("Contact: slug", "", "contact"),
    ]
    assert all(each in preview.state for each in ("set_2", "page_1@3 over 1", "page_2@1 over None"))


async def test_the_approver_reads_of_live_pages_before_new_ones_and_of_every_change(ann: Editor) -> None:
    page = await ann.create("Imprint", ("text", {"heading": "Imprint", "text": "We keep your data."}))
    await ann.publish()
    for number in range(20):
        await ann.create(f"Page {number:02}", ("text", {"heading": "New", "text": "New."}))
    await ann.write(page.sections[0].id, text="We sell your data.")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    changes = [each for each in preview.changes if not each.where.startswith("Remark: ")]
    assert (changes[0].where, changes[0].after) == ("Imprint: text / text (en)", "We sell your data.")
    assert len(changes) == 81
    assert preview.names == (("changeSetId", "with “Imprint”, “Page 00” and 19 more"),)
    assert "21 pages ('Imprint', 'Page 00', 'Page 01', 'Page 02', 'Page 03' and 16 more)" in preview.summary


async def test_the_approver_is_shown_long_texts_as_they_are_in_full(ann: Editor) -> None:
    story = "Our story is long. " * 300
    page = await ann.create("About", ("text", {"heading": "Long", "text": f"{story}Bread costs 3 euros. {story}"}))
    await ann.publish()
    await ann.write(page.sections[0].id, text=f"{story}Bread costs 9 euros. {story}The end.")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    (change,) = (each for each in preview.changes if each.where == "About: text / text (en)")
    assert "Bread costs 3 euros." in change.before
    assert "Bread costs 9 euros." in change.after
    assert change.after.endswith("The end.")


async def test_after_a_publication_the_next_edit_opens_another_set(ann: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    with pytest.raises(NotFoundError, match="This conversation has no unpublished edits"):
        await ann.publish()
    await ann.update("about", title="Us")
    assert (await ann.look()).id == "set_2"
    await ann.publish()
    assert await ann.live_title("about") == "Us"


async def test_edits_of_another_conversation_do_not_go_live_with_a_set(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await bob.update("about", meta={"description": "Bob was here."})
    await ann.update("about", title="Us")
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert "unpublished edits by bob that belong to the change set 'Edits by bob" in preview.summary
    await ann.publish()
    assert (await ann.draft("about")).status == "changed"
    assert await ann.differences("about") == [("meta description", "", "Bob was here.")]
    assert [each.differences[0].after for each in (await bob.look()).pages] == ["Bob was here."]
    await bob.publish()
    assert (await ann.draft("about")).status == "published"


async def test_what_builds_on_a_new_page_or_section_of_another_set_goes_live_after_or_with_it(
    ann: Editor, bob: Editor
) -> None:
    page = await ann.create("About", ("hero", {"heading": "We bake"}))
    await bob.update("about", title="Us")
    with pytest.raises(ConflictError, match=r"build on unpublished edits by ann .*cms_addToChangeSet adds them"):
        await bob.publish()
    assert "build on unpublished edits by ann" in ((await bob.look()).pages[0].blocked or "")
    await ann.publish()
    assert await ann.live_title("about") == "About"
    await bob.publish()
    assert await ann.live_title("about") == "Us"
    added = AddSectionToPage(page_id="about", definition_id="text", content={"content": "Daily"})
    made = await ann.world.sections.add_section_to_page(ann.call(), added)
    await bob.write(made.section.id, content="Nightly")
    with pytest.raises(ConflictError, match="build on unpublished edits by ann"):
        await bob.publish()
    with pytest.raises(ConflictError, match="Others have edited since what this change set made of page 'Us'"):
        await ann.discard()
    await bob.add(page.id)
    await bob.publish()
    assert (await ann.draft("about")).status == "published"


async def test_two_editors_take_turns_on_one_page_and_each_publishes_or_discards_alone(
    ann: Editor, bob: Editor
) -> None:
    page = await ann.create("About", ("hero", {"heading": "One", "text": "Two"}))
    await ann.publish()
    for editor, texts in ((ann, {"heading": "A1"}), (bob, {"text": "B1"}), (ann, {"heading": "A2"})):
        await editor.write(page.sections[0].id, **texts)
    await ann.publish()
    assert await ann.differences("about") == [("hero / text (en)", "Two", "B1")]
    await bob.discard()
    assert await ann.differences("about") == []
    assert (await ann.draft("about")).sections[0].content == {"heading": "A2", "text": "Two"}


async def test_a_later_edit_that_is_published_first_holds(ann: Editor, bob: Editor) -> None:
    page = await ann.create("About", ("hero", {"heading": "One", "text": "Two"}))
    await ann.publish()
    await ann.write(page.sections[0].id, heading="A", text="A too")
    await bob.write(page.sections[0].id, heading="B")
    await bob.publish()
    (shown,) = (await ann.look()).pages
    assert [each.after for each in shown.differences] == ["A too"]
    await bob.revert()
    assert (await ann.draft("about")).sections[0].content == {"heading": "A", "text": "A too"}
    await ann.publish()
    assert (await ann.draft("about")).status == "published"


async def test_later_edits_of_another_conversation_stay_a_draft(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await ann.update("about", title="Us")
    await bob.update("about", title="Bob's")
    await ann.publish()
    assert await ann.live_title("about") == "Us"
    assert (await ann.draft("about")).status == "changed"
    await bob.publish()
    assert await ann.live_title("about") == "Bob's"


async def test_an_edit_that_was_undone_does_not_stand_in_the_way(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await bob.update("about", title="Oops")
    await bob.discard()
    assert (await bob.draft("about")).title == "About"
    await ann.update("about", title="Us")
    await ann.publish()
    assert await ann.live_title("about") == "Us"


async def test_a_discarded_set_leaves_the_drafts_as_they_were_and_its_new_pages_in_the_trash(ann: Editor) -> None:
    page = await ann.create("About", ("hero", {"heading": "We bake bread"}))
    await ann.publish()
    await ann.update("about", title="Us", slug="us")
    await ann.write(page.sections[0].id, "de", heading="Brot")
    await ann.create("Contact")
    discarded = await ann.discard()
    assert [(each.title, each.slug, each.status) for each in discarded.pages] == [("About", "about", "published")]
    assert await ann.differences("about") == []
    with pytest.raises(NotFoundError):
        await ann.draft("contact")


async def test_an_address_that_a_discarded_set_translated_goes_back_with_a_revision(ann: Editor) -> None:
    page = await ann.create("About")
    await ann.publish()
    await ann.update(page.id, locale_code="de", slug="wir")
    await ann.discard()
    assert (await ann.draft("about")).revision == 3
    assert await ann.differences("about") == []


async def test_a_discarded_set_leaves_later_edits_of_others(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await ann.update("about", title="Us")
    await bob.update("about", meta={"description": "Bob was here."})
    await bob.update("about", title="We")
    await ann.discard()
    assert await ann.differences("about") == [("title", "About", "We"), ("meta description", "", "Bob was here.")]


async def test_a_set_is_discarded_over_edits_of_others_that_were_undone(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await ann.update("about", title="Us")
    await bob.update("about", meta={"description": "Bob was here."})
    await bob.discard()
    await ann.update("about", slug="us")
    await ann.discard()
    draft = await ann.draft("page_1")
    assert (draft.title, draft.slug, draft.status) == ("About", "about", "published")


async def test_a_reverted_set_shows_visitors_what_they_saw_before(ann: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await ann.update("about", title="Us", slug="us")
    await ann.create("Contact")
    set_id = (await ann.publish()).change_set.id
    preview = await ann.sets.preview_reversion(ann.call(), RevertChangeSet(change_set_id=set_id))
    assert ("About" if not preview.changes else preview.changes[-1].where) == "Us: slug"
    await ann.revert(set_id)
    assert await ann.live_title("about") == "About"
    assert (await ann.draft("about")).status == "published"
    with pytest.raises(NotFoundError, match="Page 'Contact' is not live"):
        await ann.live_title("contact")
    assert (await ann.draft("contact")).status == "draft"


async def test_later_drafts_are_kept_when_a_set_is_reverted(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await ann.update("about", title="Us")
    set_id = (await ann.publish()).change_set.id
    await bob.update("about", meta={"description": "Bob was here."})
    await ann.revert(set_id)
    assert await ann.live_title("about") == "About"
    assert await ann.differences("about") == [("meta description", "", "Bob was here.")]
    await bob.publish()
    assert (await ann.draft("about")).status == "published"


async def test_what_was_published_since_is_not_reverted_with_a_set(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    set_id = (await ann.publish()).change_set.id
    await bob.update("about", title="Bob's")
    await bob.publish()
    with pytest.raises(ConflictError, match="bob has since changed what visitors see of page 'Bob's'"):
        await ann.revert(set_id)
    assert await ann.live_title("about") == "Bob's"


async def test_sets_are_reverted_one_after_the_other_down_to_what_was_there_first(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    sets: list[str] = []
    for title in ("Us", "We", "All of us"):
        await ann.update("about", title=title)
        sets.append((await ann.publish()).change_set.id)
    with pytest.raises(ConflictError, match="ann has since changed what visitors see of page 'All of us'"):
        await ann.revert(sets[0])
    await bob.update("about", meta={"description": "Bob was here."})
    seen: list[str] = []
    for set_id in reversed(sets):
        await ann.revert(set_id)
        seen.append(await ann.live_title("about"))
    assert seen == ["We", "Us", "About"]


async def test_pages_may_swap_their_slugs_and_swap_them_back(ann: Editor) -> None:
    for title in ("One", "Two"):
        await ann.create(title)
    await ann.publish()
    for page, slug in (("page_1", "spare"), ("page_2", "one"), ("page_1", "two")):
        await ann.update(page, slug=slug)
    set_id = (await ann.publish()).change_set.id
    assert [await ann.live_title(path) for path in ("one", "two")] == ["Two", "One"]
    await ann.revert(set_id)
    assert [await ann.live_title(path) for path in ("one", "two")] == ["One", "Two"]
    for page, slug in (("page_1", "spare"), ("page_2", "one"), ("page_1", "two")):
        await ann.update(page, slug=slug)
    await ann.discard()
    assert [(await ann.draft(page)).slug for page in ("page_1", "page_2")] == ["one", "two"]


async def test_a_page_that_a_set_restored_goes_back_to_the_trash_with_it(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.delete("page_1")
    await bob.restore("page_1")
    await bob.discard()
    with pytest.raises(NotFoundError):
        await bob.draft("page_1")


async def test_a_page_that_was_deleted_and_restored_in_between_goes_live_with_its_set(ann: Editor) -> None:
    await ann.create("About")
    await ann.delete("page_1")
    await ann.restore("page_1")
    await ann.publish()
    assert await ann.live_title("about") == "About"


async def test_nobody_is_asked_to_revert_a_set_whose_addresses_are_taken(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await ann.update("about", slug="us")
    set_id = (await ann.publish()).change_set.id
    await bob.create("About")
    await bob.publish()
    with pytest.raises(ConflictError, match="cannot go live at /about"):
        await ann.sets.preview_reversion(ann.call(), RevertChangeSet(change_set_id=set_id))


async def test_a_long_name_of_an_author_fits_the_name_of_a_set(world: World) -> None:
    await Editor(world, "a" * 200, "monday").create("About")


async def test_a_page_in_the_trash_is_left_out_of_its_set(ann: Editor) -> None:
    await ann.create("About")
    await ann.create("Contact")
    await ann.delete("page_1")
    assert [each.title for each in (await ann.publish()).pages] == ["Contact"]


async def test_a_person_makes_a_set_of_drafts_and_names_it(world: World, ann: Editor) -> None:
    person = Editor(world, "pat")
    await person.create("About")
    await ann.create("Contact")
    payload = CreateChangeSet(name="Spring", page_ids=["page_1", "page_2"])
    made = (await person.sets.create_change_set(person.call(), payload)).change_set
    assert [page.title for page in (await person.look(made.id)).pages] == ["About", "Contact"]
    assert (await ann.look()).pages == []
    with pytest.raises(AlreadyExistsError, match="an open change set 'Spring' already"):
        await person.sets.create_change_set(person.call(), payload)
    await person.publish(made.id)
    with pytest.raises(ConflictError, match="Page 'About' has no unpublished edits"):
        await person.add("about", change_set=(await ann.look()).id)
    with pytest.raises(ConflictError, match="'Spring' is published, not open"):
        await person.publish(made.id)
    reply = await person.sets.list_change_sets(person.call(), ListChangeSets(include_closed=True))
    assert [(each.name, each.state) for each in reply.change_sets] == [
        ("Spring", "published"),
        ("Edits by ann, 2026-01-01 00:01", "open"),
    ]


async def test_a_set_without_edits_is_not_published(ann: Editor) -> None:
    await ann.create("About")
    await ann.publish_page("about")
    with pytest.raises(ConflictError, match="has nothing to publish"):
        await ann.publish()


async def test_calls_without_a_conversation_belong_to_no_set(world: World) -> None:
    person = Editor(world, "pat")
    await person.create("About")
    assert (await world.rows())["change_sets"] == 0
    with pytest.raises(NotFoundError, match="This conversation has no unpublished edits"):
        await person.publish()


async def test_sets_of_one_author_and_minute_have_names_of_their_own(world: World) -> None:
    world.database.clock = lambda: START
    names: list[str] = []
    for conversation in ("monday", "tuesday", "wednesday"):
        editor = Editor(world, "ann", conversation)
        await editor.create(conversation)
        names.append((await editor.look()).name)
    assert names == [f"Edits by ann, 2026-01-01 00:00{number}" for number in ("", " (2)", " (3)")]


async def test_a_conversation_that_only_deletes_leaves_no_set_to_publish(ann: Editor, bob: Editor) -> None:
    await ann.create("About")
    await ann.publish()
    await bob.delete("page_1")
    reply = await bob.sets.list_change_sets(bob.call(), ListChangeSets())
    assert (reply.change_sets, reply.total) == ([], 0)


async def test_the_set_of_a_conversation_has_no_other_names_than_its_own(world: World) -> None:
    await Editor(world, "ann", "anns").create("About")
    with pytest.raises(
        NotFoundError, match=r"no change set 'current'\. Leave changeSetId out for that of this conversation"
    ):
        await world.references["change-set"](Editor(world, "ann", "anns").call(), "current")
