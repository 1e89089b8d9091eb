"""Lists that are attacked: too many items, names of none, empty and hostile values, and templates that change."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import JsonValue, TypeAdapter, ValidationError
from sqlalchemy import select

from apps.cms.tests.publishing.editing import Editor, WrittenItem
from apps.cms.tests.world import HOME, World, picture_file
from remit.errors import InvalidArgumentsError, NotFoundError
from remit_cms.images.payloads import ReplaceImage
from remit_cms.models import Content
from remit_cms.pages.payloads import GetLinksHere
from remit_cms.publishing.payloads import RevertPage
from remit_cms.rendering.renderer import prepare_section
from remit_cms.sections.payloads import AddListItem, RemoveListItem, SectionInputs, UpdateListItem
from remit_cms.storage.scope import Target
from remit_cms.storage.tables import SectionDefinition
from remit_cms.templates.slots import Row, Slot, SlotType, Structure

FAQ, OTHER, STEPS, QUOTES = (f"section_{n}" for n in (1, 2, 3, 4))
QUESTIONS: Content = {"questions": [{"question": f"Question {n}?", "answer": f"Answer {n}."} for n in (1, 2, 3)]}


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor of the page Help: three questions, a fourth in a list of its own, one step and one quote."""
    ann = Editor(world)
    await ann.create(
        "Help",
        ("faq", QUESTIONS),
        ("faq", {"questions": [{"question": "Question 4?"}]}),
        ("steps", {"steps": [{"title": "Knead", "text": "For long."}]}),
        ("quotes", {"quotes": [{"quote": "Good!", "author": "Bea"}]}),
    )
    return ann


async def add(ann: Editor, section: str, item: Content, locale: str | None = None) -> WrittenItem:
    payload = AddListItem(page_section_id=section, item=item, locale_code=locale)
    return await ann.read_item(await ann.world.sections.items.add_list_item(ann.call(), payload), locale)


async def update(ann: Editor, section: str, name: str, item: Content, locale: str | None = None) -> WrittenItem:
    payload = UpdateListItem(page_section_id=section, item_id=name, item=item, locale_code=locale)
    return await ann.read_item(await ann.world.sections.items.update_list_item(ann.call(), payload), locale)


async def remove(ann: Editor, section: str, name: str) -> WrittenItem:
    payload = RemoveListItem(page_section_id=section, item_id=name)
    return await ann.read_item(await ann.world.sections.items.remove_list_item(ann.call(), payload))


async def render(ann: Editor, locale: str | None = None) -> str:
    return await ann.world.rendering.render(HOME, "help", locale)


@pytest.mark.parametrize("count", [201, 1000])
async def test_more_items_than_a_list_may_have_are_refused_and_as_many_are_not(ann: Editor, count: int) -> None:
    items: list[JsonValue] = [{"question": f"Number {n}?"} for n in range(count)]
    before = await ann.world.rows()
    with pytest.raises(InvalidArgumentsError, match="at most 200 items"):
        await ann.write(OTHER, questions=items)
    await ann.write(OTHER, questions=items[:199])
    with pytest.raises(InvalidArgumentsError, match="has 200 items, as many as it may have"):
        await add(ann, OTHER, {"question": "One more?"})
    with pytest.raises(InvalidArgumentsError, match="has 200 items, as many as it may have"):
        await ann.write(OTHER, questions=[{"id": "i4", "answer": "Yes."}, {"question": "One more?"}])
    assert (await render(ann)).count("<summary>") == 3 + 200
    assert (await ann.world.rows())["revisions"] == before["revisions"] + 1


@pytest.mark.parametrize("name", ["i4", "i9", "I1", "i01", "1", " ", "__proto__", "Question 4?", "Question"])
async def test_an_item_of_another_list_or_of_none_is_not_found(ann: Editor, name: str) -> None:
    before = await ann.world.rows()
    with pytest.raises(NotFoundError, match=r"Its items: i1 \(Question 1\?\)"):
        await update(ann, FAQ, name, {"answer": "x"})
    with pytest.raises(NotFoundError, match=r"Its items: i1 \(Question 1\?\)"):
        await remove(ann, FAQ, name)
    with pytest.raises(NotFoundError, match=r"Its items: i1 \(Question 1\?\)"):
        await ann.write(FAQ, questions=[{"id": name, "answer": "x"}])
    assert await ann.world.rows() == before


async def test_an_item_keeps_its_id_whatever_its_values_say(ann: Editor) -> None:
    assert (await update(ann, FAQ, "i1", {"id": "i2", "answer": "One."})).item == {
        "id": "i1",
        "question": "Question 1?",
        "answer": "One.",
    }
    assert (await add(ann, FAQ, {"id": "i1", "question": "New?"})).ids == ["i1", "i2", "i3", "i7"]


@pytest.mark.every_store
async def test_agents_that_add_at_once_get_items_of_their_own(ann: Editor) -> None:
    people = [ann, Editor(ann.world, "bob", "tuesday")]
    replies = await asyncio.gather(*(add(people[n % 2], FAQ, {"question": f"At once {n}?"}) for n in range(10)))
    assert {each.reply.item_id for each in replies} == {f"i{n}" for n in range(7, 17)}
    html = await render(ann)
    assert all(f"At once {n}?" in html for n in range(10))


@pytest.mark.parametrize("blank", ["", "  ", "\n", None])
async def test_an_item_that_would_show_nothing_is_refused(ann: Editor, blank: JsonValue) -> None:
    with pytest.raises(InvalidArgumentsError, match="needs a value in one of its fields: question, answer"):
        await add(ann, FAQ, {"question": blank, "answer": blank})


async def test_the_required_fields_that_an_item_lacks_are_told_and_visitors_see_no_empty_part_for_them(
    ann: Editor,
) -> None:
    reply = await add(ann, FAQ, {"answer": "An answer alone."})
    assert reply.reply.message == "Added item i7 to section faq of page 'Help', which has 4 items"
    assert reply.reply.remarks == ["Still empty: questions.i7.question"]
    assert (await update(ann, QUOTES, "i6", {"quote": None})).reply.remarks == ["Still empty: quotes.i6.quote"]
    assert (await remove(ann, STEPS, "i5")).reply.remarks == ["Still empty: steps"]
    await update(ann, FAQ, "i7", {"question": "Nur deutsch?"}, "de")
    english, german = await render(ann), await render(ann, "de")
    for html in (english, german):
        assert "An answer alone." in html
        assert not any(empty in html for empty in ("<summary></summary>", "<blockquote></blockquote>", "<li></li>"))
    assert ("Nur deutsch?" in english, "<summary>Nur deutsch?</summary>" in german) == (False, True)


async def test_emptying_what_a_language_does_not_have_changes_nothing(ann: Editor) -> None:
    reply = await update(ann, FAQ, "i1", {"question": None, "answer": None}, "de")
    assert (reply.reply.message, reply.reply.changed, (await ann.draft("help")).revision) == (
        "Nothing to change in item i1 of section faq of page 'Help', which has 3 items",
        [],
        1,
    )
    await update(ann, FAQ, "i1", {"question": "Frage 1?"}, "de")
    await update(ann, FAQ, "i1", {"question": None}, "de")
    assert await ann.differences("help", before=1) == []
    assert "Question 1?" in await render(ann, "de")


async def test_hostile_values_are_shown_as_text_in_every_field(ann: Editor) -> None:
    hostile = '"><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }} [x](javascript:alert(1))'
    await add(ann, FAQ, {"question": hostile, "answer": hostile})
    await add(ann, STEPS, {"title": hostile, "text": hostile})
    await add(ann, QUOTES, {"quote": hostile, "author": hostile, "role": hostile})
    html = await render(ann)
    assert not any(part in html for part in ("<script", "<img", 'href="javascript', "49"))
    assert html.count("&lt;script&gt;") == 7


async def test_pictures_of_items_are_replaced_and_links_in_them_are_found(ann: Editor) -> None:
    world = ann.world
    loaf, roll = await world.image("A loaf"), await world.image("A roll", picture_file(colour="pink"))
    gallery = (await ann.create("Pictures", ("gallery", {"pictures": [{"image": {"imageId": loaf.id}}]}))).sections[0]
    replacement = ReplaceImage(old_image_description=loaf.id, new_image_id=roll.id)
    assert (await world.placing.replace_image(ann.call(), replacement)).replaced == 1
    assert 'alt="A roll"' in await world.rendering.render(HOME, "pictures")
    await update(ann, FAQ, "i1", {"answer": "See [them](/pictures)."}, "de")
    links = (await world.pages.get_links_here(ann.call(), GetLinksHere(page_id="pictures"))).links
    assert [each.place for each in links] == ["faq 1 / questions i1 answer (de)"]
    await remove(ann, gallery.id, "i1")
    assert "<img" not in await world.rendering.render(HOME, "pictures")


async def change_template(world: World, target: Target, slot: dict[str, JsonValue]) -> None:
    """Give the questions of the template another form, as an import or migration may."""
    async with world.database.write() as session:
        query = select(SectionDefinition).where(target.row_filter(SectionDefinition), SectionDefinition.key == "faq")
        (template,) = (await session.scalars(query)).all()
        heading: JsonValue = {"key": "heading", "type": "text", "label": "Heading"}
        rows: JsonValue = [{"slots": [heading, {"label": "Questions", **slot}]}]
        template.structure = {"rows": rows}


FIELD: dict[str, JsonValue] = {"key": "question", "type": "text", "label": "Question"}


@pytest.mark.parametrize(
    "slot",
    [
        {"key": "others", "type": "text"},
        {"key": "questions", "type": "text"},
        {"key": "questions", "type": "richText"},
        {"key": "questions", "type": "image"},
        {"key": "questions", "type": "list", "fields": [{**FIELD, "key": "term"}]},
        {"key": "questions", "type": "list", "fields": [{**FIELD, "type": "image"}]},
    ],
    ids=str,
)
async def test_a_page_is_compared_reverted_and_shown_after_its_template_has_changed(
    ann: Editor, slot: dict[str, JsonValue]
) -> None:
    await add(ann, FAQ, {"question": "Later?"})
    await change_template(ann.world, HOME, slot)
    assert await ann.differences("help", before=1) == [("faq 1 / questions i7 question (en)", "", "Later?")]
    await ann.history.revert_page(ann.call(), RevertPage(page_id="help", revision=1))
    html = await render(ann)
    assert "Knead" in html
    assert not any(raw in html for raw in ("{'", "&#39;id&#39;", "{&#34;", "[{"))
    await ann.write(FAQ, heading="Asked often")
    assert "Asked often" in await render(ann)


def test_a_field_for_text_shows_no_items() -> None:
    text = Slot(key="questions", type=SlotType.TEXT, label="Questions")
    content: Content = {"questions": [{"id": "i1", "question": "Where?"}]}
    assert prepare_section("faq", Structure(rows=(Row(slots=(text,)),)), content, {}).fields == ()


async def test_a_text_that_becomes_a_list_takes_items_from_then_on(ann: Editor) -> None:
    await change_template(ann.world, HOME, {"key": "questions", "type": "text"})
    await ann.create("Old", ("faq", {"questions": "One text."}))
    await change_template(ann.world, HOME, {"key": "questions", "type": "list", "fields": [FIELD]})
    assert "One text." not in await ann.world.rendering.render(HOME, "old")
    reply = await add(ann, "section_5", {"question": "New?"})
    assert reply.item == {"id": "i1", "question": "New?"}
    await ann.history.revert_page(ann.call(), RevertPage(page_id="old", revision=1))
    assert "New?" not in await ann.world.rendering.render(HOME, "old")


def test_content_that_is_nested_too_deeply_in_a_text_is_refused() -> None:
    deep = '{"a":' * 50_000
    with pytest.raises(ValidationError, match="content is text that is not JSON"):
        AddListItem.model_validate({"page_section_id": FAQ, "item": deep})
    with pytest.raises(ValidationError, match="valid list"):
        TypeAdapter(SectionInputs).validate_python("[" * 50_000)
