"""Lists in sections: their items, in each language, in revisions, to visitors, and in links and searches."""

from __future__ import annotations

from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor, WrittenItem
from apps.cms.tests.world import HOME, World, picture_file
from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.images.payloads import AddImageToSection, GetImageUsage, UpdateSectionImage
from remit_cms.models import Content
from remit_cms.pages.payloads import CopyPage, GetLinksHere, SearchPages
from remit_cms.publishing.payloads import CompareRevisions, DiscardChangeSet, PublishChangeSet, RevertPage
from remit_cms.sections.payloads import (
    AddListItem,
    DeletePageSection,
    GetSectionContent,
    MoveListItem,
    MoveSection,
    RemoveListItem,
    UpdateListItem,
    UpdateSectionContent,
)

FAQ = "section_1"
THREE: Content = {"questions": [{"question": f"Question {n}?", "answer": f"Answer {n}."} for n in (1, 2, 3)]}


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor of a site with the page Help, which has three questions."""
    ann = Editor(world)
    await ann.create("Help", ("faq", THREE))
    return ann


async def add(ann: Editor, locale: str | None = None, position: int | None = None, **item: Any) -> WrittenItem:
    payload = AddListItem(page_section_id=FAQ, item=item, locale_code=locale, position=position)
    return await ann.read_item(await ann.world.sections.items.add_list_item(ann.call(), payload), locale)


async def update(ann: Editor, item_id: str, locale: str | None = None, **item: Any) -> WrittenItem:
    payload = UpdateListItem(page_section_id=FAQ, item_id=item_id, item=item, locale_code=locale)
    return await ann.read_item(await ann.world.sections.items.update_list_item(ann.call(), payload), locale)


async def move(ann: Editor, item_id: str, position: int | None = None) -> WrittenItem:
    payload = MoveListItem(page_section_id=FAQ, item_id=item_id, position=position)
    return await ann.read_item(await ann.world.sections.items.move_list_item(ann.call(), payload))


async def remove(ann: Editor, item_id: str, section: str = FAQ) -> WrittenItem:
    payload = RemoveListItem(page_section_id=section, item_id=item_id)
    return await ann.read_item(await ann.world.sections.items.remove_list_item(ann.call(), payload))


async def write(ann: Editor, *items: Any, locale: str | None = None) -> str:
    payload = UpdateSectionContent(page_section_id=FAQ, content={"questions": [*items]}, locale_code=locale)
    return (await ann.world.sections.update_section_content(ann.call(), payload)).message


async def questions(ann: Editor, locale: str | None = None, section: str = FAQ) -> dict[str, str]:
    payload = GetSectionContent(page_section_id=section, locale_code=locale)
    found: Any = (await ann.world.sections.get_section_content(ann.call(), payload)).section.content
    return {item["id"]: item.get("question", "") for item in found.get("questions", [])}


async def test_a_fourth_question_is_added_and_its_id_is_never_given_again(ann: Editor) -> None:
    reply = await add(ann, question="Question 4?", answer="Answer 4.")
    assert (reply.ids, reply.item) == (
        ["i1", "i2", "i3", "i4"],
        {"id": "i4", "question": "Question 4?", "answer": "Answer 4."},
    )
    assert reply.reply.message == "Added item i4 to section faq of page 'Help', which has 4 items"
    assert (await remove(ann, "i4")).item is None
    assert (await add(ann, position=0, question="Again?")).ids == ["i5", "i1", "i2", "i3"]


async def test_an_item_is_named_by_its_id_or_exact_title_and_keeps_its_other_fields(ann: Editor) -> None:
    assert (await update(ann, "i2", answer="Better.")).item == {
        "id": "i2",
        "question": "Question 2?",
        "answer": "Better.",
    }
    assert (await update(ann, " question 3? ", question="Why?")).item == {
        "id": "i3",
        "question": "Why?",
        "answer": "Answer 3.",
    }
    before = (await ann.draft("help")).revision
    assert (await update(ann, "i3", question="Why?")).reply.message.startswith("Nothing to change in item i3")
    assert (await ann.draft("help")).revision == before


@pytest.mark.parametrize(("item", "to", "expected"), [("i3", 0, "312"), ("i1", 1, "213"), ("i1", None, "231")])
async def test_an_item_moves_and_the_others_keep_their_ids(
    ann: Editor, item: str, to: int | None, expected: str
) -> None:
    assert (await move(ann, item, to)).ids == [f"i{n}" for n in expected]
    assert (await move(ann, item, to)).reply.message.startswith("Nothing to move")
    assert (await ann.draft("help")).revision == 2


async def test_writing_an_item_in_one_language_touches_no_other(ann: Editor) -> None:
    await update(ann, "i2", "de", question="Frage 2?")
    assert await questions(ann) == {f"i{n}": f"Question {n}?" for n in (1, 2, 3)}
    assert await questions(ann, "de") == {"i1": "Question 1?", "i2": "Frage 2?", "i3": "Question 3?"}
    payload = GetSectionContent(page_section_id=FAQ, locale_code="de")
    section = (await ann.world.sections.get_section_content(ann.call(), payload)).section
    assert section.untranslated == {
        f"questions.{item}.{field}": "en"
        for item, field in (
            ("i1", "question"),
            ("i1", "answer"),
            ("i2", "answer"),
            ("i3", "question"),
            ("i3", "answer"),
        )
    }
    await add(ann, "de", question="Nur hier?")
    await update(ann, "i1", question="First?")
    assert await questions(ann, "de") == {"i1": "First?", "i2": "Frage 2?", "i3": "Question 3?", "i4": "Nur hier?"}
    assert (await questions(ann))["i4"] == ""
    assert "Nur hier?" not in await ann.world.rendering.render(HOME, "help")
    assert "Nur hier?" in await ann.world.rendering.render(HOME, "help", "de")


async def test_content_that_is_written_adds_and_changes_items_and_removes_none(ann: Editor) -> None:
    await write(
        ann, {"id": "i2", "answer": "Two."}, {"question": "question 1?", "answer": "One."}, {"question": "New?"}
    )
    assert await questions(ann) == {"i1": "question 1?", "i2": "Question 2?", "i3": "Question 3?", "i4": "New?"}
    payload = UpdateSectionContent(page_section_id=FAQ, content={"faqs": [{"text": "Last?"}]})
    await ann.world.sections.update_section_content(ann.call(), payload)
    assert (await questions(ann))["i5"] == "Last?"


async def test_a_list_is_compared_and_reverted_with_its_items(ann: Editor) -> None:
    await update(ann, "i2", "de", question="Frage 2?")
    await add(ann, question="Fourth?")
    await move(ann, "i3", 0)
    await remove(ann, "i1")
    reply = await ann.history.compare_revisions(ann.call(), CompareRevisions(page_id="help", before=1))
    assert {(each.where, each.before, each.after) for each in reply.differences} == {
        ("faq / questions i1 question (en)", "Question 1?", ""),
        ("faq / questions i1 answer (en)", "Answer 1.", ""),
        ("faq / questions i2 question (de)", "", "Frage 2?"),
        ("faq / questions i4 question (en)", "", "Fourth?"),
        ("faq / order of questions", "'Question 2?', 'Question 3?'", "'Question 3?', 'Question 2?'"),
    }
    await ann.history.revert_page(ann.call(), RevertPage(page_id="help", revision=1))
    assert await questions(ann, "de") == {f"i{n}": f"Question {n}?" for n in (1, 2, 3)}
    assert (await add(ann, question="Fifth?")).ids[-1] == "i5"


async def test_another_order_is_told_by_the_titles_of_items_and_by_their_ids_where_these_say_nothing(
    ann: Editor,
) -> None:
    await update(ann, "i1", question="What is in a loaf of your bread,\nand who made it?")
    await update(ann, "i2", question="Same?")
    await update(ann, "i3", question="Same?")
    await add(ann, "de", question="Nur hier?")
    await add(ann, question=" ", answer="With an answer alone.")
    before = (await ann.draft("help")).revision
    await move(ann, "i1")
    assert await ann.differences("help", before=before) == [
        (
            "faq / order of questions",
            "'What is in a loaf of your bread, and wh…', i2, i3, i4, 'With an answer alone.'",
            "i2, i3, i4, 'With an answer alone.', 'What is in a loaf of your bread, and wh…'",
        )
    ]


async def test_texts_links_and_pictures_of_items_are_found_until_they_are_removed(ann: Editor) -> None:
    world = ann.world
    await ann.create("About")
    await add(ann, question="Rye?", answer="See [us](/about).")
    image = await world.image("A loaf")
    gallery = await ann.create("Pictures", ("gallery", {"pictures": [{"image": {"imageId": image.id}}]}))

    async def found() -> tuple[int, list[str], int]:
        hits = await world.search.search_pages(ann.call(), SearchPages(query="rye"))
        links = (await world.pages.get_links_here(ann.call(), GetLinksHere(page_id="about"))).links
        uses = await world.images.get_image_usage(ann.call(), GetImageUsage(image_id=image.id))
        return len(hits.matches), [each.place for each in links], uses.total

    assert await found() == (1, ["faq / questions i4 answer (en)"], 1)
    await remove(ann, "i4")
    await remove(ann, "i1", gallery.sections[0].id)
    assert await found() == (0, [], 0)


async def rendered(ann: Editor, page: str) -> str:
    return await ann.world.rendering.render(HOME, page)


async def test_an_item_links_visitors_to_the_address_that_a_page_has_now(ann: Editor) -> None:
    await ann.create("About")
    await add(ann, question="Who?", answer="See [us](/about).")
    await ann.update("about", slug="us")
    assert 'href="/us"' in await rendered(ann, "help")


async def test_a_change_set_that_is_discarded_takes_its_items_back_and_their_ids_are_not_given_again(
    world: World,
) -> None:
    ann = Editor(world, conversation="c1")
    await ann.create("Help", ("faq", THREE))
    await ann.sets.publish_change_set(ann.call(), PublishChangeSet())
    await add(ann, question="Fourth?")
    await remove(ann, "i1")
    await ann.sets.discard_change_set(ann.call(), DiscardChangeSet())
    assert await questions(ann) == {f"i{n}": f"Question {n}?" for n in (1, 2, 3)}
    assert (await add(ann, question="Fifth?")).ids == ["i1", "i2", "i3", "i5"]


async def test_ids_are_not_given_again_when_the_section_was_deleted_and_a_revert_brings_it_back(ann: Editor) -> None:
    await add(ann, question="Fourth?")
    payload = DeletePageSection(page_section_id=FAQ, confirmed=True)
    await ann.world.sections.delete_page_section(ann.call(), payload)
    await ann.history.revert_page(ann.call(), RevertPage(page_id="help", revision=1))
    assert (await add(ann, question="Fifth?")).ids == ["i1", "i2", "i3", "i5"]


async def test_visitors_see_all_items_of_each_kind_of_list(ann: Editor) -> None:
    await ann.create(
        "Lists",
        ("features", {"features": [{"title": "Fresh & hot", "text": "*Daily*"}]}),
        ("steps", {"steps": [{"title": "Knead"}, {"title": "Bake"}]}),
        ("quotes", {"quotes": [{"quote": "Good!", "author": "Bea", "role": "Guest"}]}),
        ("gallery", {"pictures": [{"image": {"url": "/x.jpg", "alt": "A roll"}}]}),
    )
    html = await rendered(ann, "lists")
    for part in ("Fresh &amp; hot", "<em>Daily</em>", "Knead", "Bake", "Good!", "Bea", "Guest", 'alt="A roll"'):
        assert part in html
    assert (await rendered(ann, "help")).count("<summary>") == 3


async def test_items_go_with_a_section_that_moves_and_with_a_copied_page(ann: Editor) -> None:
    await remove(ann, "i2")
    await ann.world.pages.copy_page(ann.call(), CopyPage(page_id="help", title="Copy"))
    assert await questions(ann, section="section_2") == {"i1": "Question 1?", "i3": "Question 3?"}
    await ann.world.sections.move_section(ann.call(), MoveSection(page_section_id=FAQ, new_page_id="copy"))
    # The copy counts on from three, and a moved item takes a number that its new page has not given yet.
    assert await questions(ann, section="section_3") == {"i4": "Question 1?", "i5": "Question 3?"}


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"question": 3}, r"'questions\.0': 'question': .*valid string"),
        ({"question": "Who?", "colour": "red"}, r"'questions\.0': no field 'colour'"),
        ({}, "a new item of 'questions' needs a value in one of its fields: question, answer"),
    ],
)
async def test_an_item_that_does_not_fit_the_template_is_refused(ann: Editor, item: Any, said: str) -> None:
    with pytest.raises(InvalidArgumentsError, match=said):
        await add(ann, **item)


async def test_what_cannot_be_done_to_a_list_says_what_there_is(ann: Editor) -> None:
    token = await ann.world.token("help")
    await update(ann, "i3", question="Question 2?")
    before = await ann.world.rows()
    with pytest.raises(
        NotFoundError, match=r"There is no item 'i9' in the list questions\. Its items: i1 \(Question 1\?\), i2"
    ):
        await remove(ann, "i9")
    with pytest.raises(NotFoundError, match=r"Several items are called 'Question 2\?'"):
        await move(ann, "Question 2?", 0)
    with pytest.raises(NotFoundError, match="There is no item 'i9'"):
        await write(ann, {"id": "i9", "question": "Who?"})
    with pytest.raises(InvalidArgumentsError, match="cms_removeListItem removes an item"):
        await ann.write(FAQ, questions=None)
    with pytest.raises(InvalidArgumentsError, match=r"Section 'faq': 'questions': .*list"):
        await ann.write(FAQ, questions="Who?")
    about = await ann.create("About", ("hero", {}))
    with pytest.raises(InvalidArgumentsError, match="The template hero has no list"):
        await remove(ann, "i1", about.sections[0].id)
    stale = MoveListItem(page_section_id=FAQ, item_id="i1", if_unchanged=token)
    with pytest.raises(ConflictError, match="has changed since it was read, last by ann"):
        await ann.world.sections.items.move_list_item(ann.call(), stale)
    assert (await ann.world.rows())["page_section_contents"] == before["page_section_contents"] + 1


async def test_a_picture_that_is_added_to_a_gallery_is_a_new_item(world: World) -> None:
    ann = Editor(world)
    loaf, roll = await world.image("A loaf"), await world.image("A roll", picture_file(colour="pink"))
    section = (await ann.create("Pictures", ("gallery", {}))).sections[0].id
    for image in (loaf, roll, roll):
        payload = AddImageToSection(image_id=image.id, page_section_id=section)
        reply = await world.placing.add_image_to_section(ann.call(), payload)
    assert reply.new_items == ["i3"]
    shown = [(item["id"], item["image"]["alt"]) for item in (await ann.content(section))["pictures"]]
    assert shown == [("i1", "A loaf"), ("i2", "A roll"), ("i3", "A roll")]
    with pytest.raises(InvalidArgumentsError, match="has a list of images; cms_updateListItem shows another one"):
        await world.placing.update_section_image(
            ann.call(), UpdateSectionImage(image_id=loaf.id, page_section_id=section)
        )


async def test_a_section_that_moves_brings_no_id_that_its_new_page_gives_again(ann: Editor) -> None:
    await ann.create("Other", ("faq", {"questions": [{"question": "Here?"}]}))
    await remove(ann, "i3")
    await ann.world.sections.move_section(ann.call(), MoveSection(page_section_id=FAQ, new_page_id="other"))
    payload = AddListItem(page_section_id="section_3", item={"question": "Fourth?"})
    added = await ann.world.sections.items.add_list_item(ann.call(), payload)
    assert (await ann.read_item(added)).ids == [
        "i2",
        "i3",
        "i4",
    ]
