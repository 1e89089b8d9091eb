"""The operations on sections."""

from __future__ import annotations

import json
import re

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.pages.payloads import CreatePage
from remit_cms.sections.listing import ListItems
from remit_cms.sections.payloads import (
    AddListItem,
    AddSectionToPage,
    DeletePageSection,
    GetPageSections,
    GetSectionContent,
    GetSectionFields,
    SectionInput,
    SectionView,
    UpdateSectionContent,
)

HERO: tuple[str, Content] = ("hero", {"heading": "We bake bread", "subheading": "Daily"})


async def section(world: World) -> SectionView:
    return (await world.page("About", HERO)).sections[0]


async def keys(world: World) -> list[str]:
    reply = await world.sections.get_page_sections(world.call(), GetPageSections(page_id="about"))
    assert [view.sort_order for view in reply.sections] == list(range(len(reply.sections)))
    return [view.section_key for view in reply.sections]


async def content(world: World, section_id: str, locale: str | None = None) -> SectionView:
    payload = GetSectionContent(page_section_id=section_id, locale_code=locale)
    return (await world.sections.get_section_content(world.call(), payload)).section


async def test_sections_are_listed_light_by_default_and_whole_on_demand(world: World) -> None:
    page = await world.page("About", HERO)
    light = await world.sections.get_page_sections(world.call(), GetPageSections(page_id=page.id))
    whole = await world.sections.get_page_sections(world.call(), GetPageSections(page_id=page.id, include_content=True))
    brief = {"id": "section_1", "sectionKey": "hero", "sortOrder": 0}
    assert json.loads(light.model_dump_json(by_alias=True)) == {
        "success": True,
        "message": "Page 'About' has 1 section",
        "sections": [brief],
        "total": 1,
        "pageId": page.id,
        "revision": 1,
    }
    assert [view.model_dump(by_alias=True) for view in whole.sections] == [
        {**brief, "ref": "about/s1", "localeCode": "en", "content": HERO[1]}
    ]


async def test_a_section_is_read_alone(world: World) -> None:
    found = await section(world)
    assert (await content(world, found.id)).content == HERO[1]


async def test_another_language_falls_back_field_by_field_and_says_so(world: World) -> None:
    found = await section(world)
    assert (await content(world, found.id, "de")).untranslated == {"heading": "en", "subheading": "en"}
    await world.sections.update_section_content(
        world.call(),
        UpdateSectionContent(page_section_id=found.id, content={"heading": "Wir backen"}, locale_code="de"),
    )
    german = await content(world, found.id, "de")
    assert german.content == {"heading": "Wir backen", "subheading": "Daily"}
    assert german.untranslated == {"subheading": "en"}
    assert (await content(world, found.id)).content == HERO[1]


async def test_the_templates_are_listed_with_their_fields(world: World) -> None:
    reply = await world.sections.list_section_templates(world.call())
    fields = {template.key: template.fields for template in reply.templates}
    assert reply.total == len(fields) >= 6
    assert fields["hero"] == ["heading", "subheading", "text", "image", "cta"]
    assert reply.message == f"{reply.total} section templates"


async def test_the_fields_of_a_template_are_told_by_key_or_by_id(world: World) -> None:
    by_key = await world.sections.get_section_fields(world.call(), GetSectionFields(definition_id="image-text"))
    by_id = await world.sections.get_section_fields(world.call(), GetSectionFields(definition_id=by_key.definition.id))
    assert by_key == by_id
    position = next(field for field in by_key.fields if field.key == "imagePosition")
    assert position.model_dump(by_alias=True) == {
        "key": "imagePosition",
        "type": "option",
        "label": "Image stands",
        "required": False,
        "write": "one of the options",
        "options": ["left", "right"],
    }


async def test_the_slot_content_is_called_text_wherever_a_caller_reads_it(world: World) -> None:
    page = await world.page("About", ("text", {"heading": "Bread", "content": "Daily."}))
    section_id = page.sections[0].id
    assert (await content(world, section_id)).content == {"heading": "Bread", "text": "Daily."}
    assert (await content(world, section_id, "de")).untranslated == {"heading": "en", "text": "en"}
    fields = await world.sections.get_section_fields(world.call(), GetSectionFields(definition_id="text"))
    assert [field.key for field in fields.fields] == ["heading", "text"]
    emptied = UpdateSectionContent(page_section_id=section_id, content={"content": None})
    reply = await world.sections.update_section_content(world.call(), emptied)
    assert reply.remarks == ["Still empty: text"]
    written = UpdateSectionContent(page_section_id=section_id, content={"text": "At seven."})
    await world.sections.update_section_content(world.call(), written)
    assert (await content(world, section_id)).content == {"heading": "Bread", "text": "At seven."}
    both = UpdateSectionContent(page_section_id=section_id, content={"text": "a", "content": "b"})
    with pytest.raises(InvalidArgumentsError, match=r"no field 'content'.*heading .text., text .richText, required."):
        await world.sections.update_section_content(world.call(), both)


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"definitionId": "text", "content": "Hello"}, {"text": "Hello"}),
        ({"definitionId": "quote", "content": '"Hello"'}, {"text": "Hello"}),
        ({"definitionId": "text", "content": "7"}, {"text": "7"}),
        ({"definitionId": "hero", "content": "Hello"}, {"heading": "Hello"}),
        ({"definitionId": "quote", "quote": "Hello", "author": "Ann"}, {"text": "Hello", "author": "Ann"}),
        ({"definitionId": "text", "body": "Hello", "content": {"heading": "Hi"}}, {"heading": "Hi", "text": "Hello"}),
        ({"template": "text", "text": "Hello", "content": '{"heading": "Hi"}'}, {"heading": "Hi", "text": "Hello"}),
    ],
)
async def test_a_text_alone_and_fields_beside_the_content_are_understood(
    world: World, given: dict[str, object], stored: Content
) -> None:
    await world.page("About")
    payload = AddSectionToPage.model_validate({"pageId": "about", **given})
    reply = await world.sections.add_section_to_page(world.call(), payload)
    assert (await content(world, reply.section.id)).content == stored


@pytest.mark.parametrize(
    ("template", "form"),
    [
        ("features", '{"features": [{"title": "text", "text": "Markdown text"}]}'),
        ("call-to-action", '{"heading": "text", "cta": {"text": "...", "url": "https://... or page:ID"}}'),
    ],
)
async def test_a_text_alone_for_a_template_that_needs_more_is_refused_with_the_form(
    world: World, template: str, form: str
) -> None:
    await world.page("About")
    payload = AddSectionToPage.model_validate({"pageId": "about", "definitionId": template, "content": "Hello"})
    with pytest.raises(InvalidArgumentsError, match=re.escape(f"which field it is for; write {form}.")):
        await world.sections.add_section_to_page(world.call(), payload)


@pytest.mark.parametrize(
    ("there", "what"),
    [
        ("| Bread | Price |\n| --- | --- |\n| Rye | 6 € |", "a table"),
        ("Now:\n\n1. Call us.\n2. Collect it.", "a list"),
        ("# Rye\n\nDark.", "headings"),
    ],
)
async def test_a_text_alone_replaces_no_text_that_has_a_form(world: World, there: str, what: str) -> None:
    page = await world.page("About", ("text", {"content": there}))
    payload = UpdateSectionContent.model_validate({"pageSectionId": page.sections[0].id, "content": "We bake"})
    with pytest.raises(InvalidArgumentsError, match=f'^\'text\' has {what}, .*write {{"text": "the whole text"}}$'):
        await world.sections.update_section_content(world.call(), payload)
    assert (await content(world, page.sections[0].id)).content == {"text": there}


async def test_a_text_alone_replaces_plain_paragraphs(world: World) -> None:
    page = await world.page("About", ("text", {"content": "We **bake**.\n\nAlways."}))
    payload = UpdateSectionContent.model_validate({"pageSectionId": page.sections[0].id, "content": "We sell"})
    await world.sections.update_section_content(world.call(), payload)
    assert (await content(world, page.sections[0].id)).content == {"text": "We sell"}


async def test_a_template_that_is_not_there_is_not_found_and_all_are_named(world: World) -> None:
    said = r"^There is no section template 'banner'\. Existing templates: call-to-action, .*hero.*text\.$"
    with pytest.raises(NotFoundError, match=said):
        await world.sections.get_section_fields(world.call(), GetSectionFields(definition_id="banner"))
    await world.page("About")
    with pytest.raises(NotFoundError, match=said):
        await world.sections.add_section_to_page(
            world.call(), AddSectionToPage(page_id="about", definition_id="banner")
        )


async def test_a_section_is_added_at_the_end_or_at_a_place(world: World) -> None:
    await world.page("About", HERO)
    for key, order in (("text", None), ("quote", 0), ("faq", 1), ("media", 99)):
        await world.sections.add_section_to_page(
            world.call(), AddSectionToPage(page_id="about", definition_id=key, sort_order=order)
        )
    assert await keys(world) == ["quote", "faq", "hero", "text", "media"]


async def test_an_added_section_tells_what_is_still_empty(world: World) -> None:
    await world.page("About")
    payload = AddSectionToPage(page_id="about", definition_id="call-to-action", content={"content": "Come by."})
    reply = await world.sections.add_section_to_page(world.call(), payload)
    assert json.loads(reply.model_dump_json(by_alias=True)) == {
        "success": True,
        "message": "Added section call-to-action to page 'About'",
        "section": {"id": "section_1", "ref": "about/s1", "sectionKey": "call-to-action"},
        "remarks": ["Still empty: heading, cta"],
    }


async def test_writes_say_what_visitors_do_not_see_of_a_text(world: World) -> None:
    text = "![Loaves](/loaves.png) and <b>rye</b>"
    said = (
        "1 picture shown as words: pictures belong in fields for images",
        "<b>, </b> shown as text: format with Markdown",
    )

    def remarks(field: str) -> list[str]:
        return [f"In {field}: {each}" for each in said]

    page = SectionInput(definition_id="text", content={"content": text})
    created = await world.pages.create_page(world.call(), CreatePage(title="About", sections=[page]))
    assert created.remarks == remarks("text.text")
    (shown,) = created.sections or []
    payload = UpdateSectionContent(page_section_id=shown.id, content={"content": f"{text}!"})
    updated = await world.sections.update_section_content(world.call(), payload)
    assert updated.remarks == remarks("text")
    payload = UpdateSectionContent(page_section_id=shown.id, content={"heading": "Rye"})
    assert (await world.sections.update_section_content(world.call(), payload)).remarks is None
    questions: Content = {"questions": [{"question": "a", "answer": text}]}
    added = AddSectionToPage(page_id="about", definition_id="faq", content=questions)
    reply = await world.sections.add_section_to_page(world.call(), added)
    assert reply.remarks == remarks("questions.0.answer")
    item = AddListItem(page_section_id=reply.section.id, item={"question": "b", "answer": text})
    written = await ListItems(world.database).add_list_item(world.call(), item)
    assert written.remarks == remarks("questions.i2.answer")


async def test_content_in_another_language_can_be_added_first(world: World) -> None:
    await world.page("About")
    reply = await world.sections.add_section_to_page(
        world.call(),
        AddSectionToPage(page_id="about", definition_id="hero", content={"heading": "Hallo"}, locale_code="de"),
    )
    assert (await content(world, reply.section.id)).content == {}
    assert (await content(world, reply.section.id, "de")).content == {"heading": "Hallo"}


async def test_an_update_merges_new_wins_and_null_empties(world: World) -> None:
    found = await section(world)
    reply = await world.sections.update_section_content(
        world.call(),
        UpdateSectionContent(page_section_id=found.id, content={"heading": None, "content": "More."}),
    )
    assert (await content(world, found.id)).content == {"subheading": "Daily", "text": "More."}
    assert json.loads(reply.model_dump_json(by_alias=True)) == {
        "success": True,
        "message": "Updated section hero of page 'About' in en",
        "section": {"id": "section_1", "ref": "about/s1", "sectionKey": "hero"},
        "changed": ["heading", "text"],
        "remarks": ["Still empty: heading"],
    }


@pytest.mark.parametrize(("locale", "same"), [("en", {"heading": "We bake bread", "content": None}), ("de", {})])
async def test_an_update_to_what_is_there_already_makes_no_revision(world: World, locale: str, same: Content) -> None:
    found = await section(world)
    before = await world.rows()
    payload = UpdateSectionContent(page_section_id=found.id, content=same, locale_code=locale)
    reply = await world.sections.update_section_content(world.call(), payload)
    assert reply.changed == []
    assert reply.message == f"The section hero of page 'About' in {locale} is like that already"
    assert {**before, "remit_effects": before["remit_effects"] + 1} == await world.rows()


async def test_an_object_is_replaced_whole(world: World) -> None:
    found = await section(world)
    for cta in ({"text": "Go", "url": "/a"}, {"text": "Stay", "url": "/b"}):
        await world.sections.update_section_content(
            world.call(), UpdateSectionContent(page_section_id=found.id, content={"cta": dict(cta)})
        )
    assert (await content(world, found.id)).content == {**HERO[1], "cta": {"text": "Stay", "url": "/b"}}


async def test_an_unknown_field_is_refused_and_the_fields_there_are_named(world: World) -> None:
    found = await section(world)
    before = await world.rows()
    with pytest.raises(InvalidArgumentsError) as caught:
        await world.sections.update_section_content(
            world.call(), UpdateSectionContent(page_section_id=found.id, content={"haeding": "x", "cta": "y"})
        )
    assert str(caught.value) == (
        "Section 'hero': no field 'haeding' (did you mean 'heading'?); 'cta': Input should be an object "
        '(write {"text": "...", "url": "https://... or page:ID"}). Its fields: heading (text, required), '
        "subheading (text), text (richText), image (image), cta (link)."
    )
    assert await world.rows() == before


async def test_an_unknown_locale_is_refused(world: World) -> None:
    found = await section(world)
    with pytest.raises(InvalidArgumentsError, match="No locale 'fr'"):
        await content(world, found.id, "fr")
    with pytest.raises(InvalidArgumentsError, match="No locale 'fr'"):
        await world.sections.update_section_content(
            world.call(), UpdateSectionContent(page_section_id=found.id, content={}, locale_code="fr")
        )


async def test_a_section_that_is_not_there_is_not_found(world: World) -> None:
    sections, said = world.sections, r"There is no section 'nope'\. cms_getPageSections lists those of a page"
    with pytest.raises(NotFoundError, match=said):
        await sections.get_section_content(world.call(), GetSectionContent(page_section_id="nope"))
    with pytest.raises(NotFoundError, match=said):
        await sections.update_section_content(world.call(), UpdateSectionContent(page_section_id="nope", content={}))
    for confirmed in (False, True):
        with pytest.raises(NotFoundError, match=said):
            await sections.delete_page_section(
                world.call(), DeletePageSection(page_section_id="nope", confirmed=confirmed)
            )


async def test_stale_writes_are_refused(world: World) -> None:
    found = await section(world)
    token = await world.token("about")
    await world.sections.update_section_content(
        world.call(), UpdateSectionContent(page_section_id=found.id, content={"content": "x"})
    )
    before = await world.rows()
    said = r"'About' has changed since it was read, last by ann: .*'x'"
    with pytest.raises(ConflictError, match=said):
        await world.sections.add_section_to_page(
            world.call(), AddSectionToPage(page_id="about", definition_id="text", if_unchanged=token)
        )
    with pytest.raises(ConflictError, match=said):
        await world.sections.update_section_content(
            world.call(), UpdateSectionContent(page_section_id=found.id, content={}, if_unchanged=token)
        )
    for confirmed in (False, True):
        with pytest.raises(ConflictError, match=said):
            await world.sections.delete_page_section(
                world.call(),
                DeletePageSection(page_section_id=found.id, confirmed=confirmed, if_unchanged=token),
            )
    assert await world.rows() == before


async def test_an_unconfirmed_delete_deletes_nothing_and_says_what_would_be_lost(world: World) -> None:
    page = await world.page("About", HERO, ("quote", {"content": "Good."}))
    before = await world.rows()
    replies = [
        await world.sections.delete_page_section(world.call(), DeletePageSection(page_section_id=view.id))
        for view in page.sections
    ]
    assert json.loads(replies[0].model_dump_json(by_alias=True)) == {
        "success": False,
        "requiresConfirmation": True,
        "pageSectionId": page.sections[0].id,
        "message": "This would delete the section hero 'We bake bread' from page 'About' (/about). "
        "Nothing is deleted until the person agrees. Call it again with confirmed true: a person is asked then.",
    }
    assert "delete the section quote from page" in replies[1].message
    assert await world.rows() == before


async def test_nobody_is_asked_to_delete_a_section_that_another_changed(world: World) -> None:
    ann, bob = Editor(world, "ann", "monday"), Editor(world, "bob", "tuesday")
    page = await ann.create("About", HERO, ("quote", {"content": "Good."}))
    await bob.write(page.sections[0].id, heading="Bob's")
    with pytest.raises(ConflictError, match=r"last by bob: .*Read it again first\."):
        await world.sections.preview_deletion(ann.call(), DeletePageSection(page_section_id=page.sections[0].id))
    other = DeletePageSection(page_section_id=page.sections[1].id)
    assert "the section quote" in (await world.sections.preview_deletion(ann.call(), other)).summary


async def test_a_confirmed_delete_closes_the_gap(world: World) -> None:
    page = await world.page("About", ("text", {}), HERO, ("quote", {}))
    reply = await world.sections.delete_page_section(
        world.call(), DeletePageSection(page_section_id=page.sections[1].id, confirmed=True)
    )
    assert json.loads(reply.model_dump_json(by_alias=True)) == {
        "success": True,
        "pageSectionId": page.sections[1].id,
        "message": "Deleted section hero from page 'About'",
    }
    assert await keys(world) == ["text", "quote"]
    assert (await world.rows())["page_section_contents"] == 2
