"""Sections that move on their page, and to other pages."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit.errors import InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.publishing.payloads import RevertPage
from remit_cms.sections.payloads import (
    GetSectionContent,
    MoveSection,
    SectionWriteReply,
    UpdateListItem,
    UpdateSectionContent,
)

KEYS = ("hero", "text", "quote", "faq")


@pytest.fixture
async def ann(world: World) -> Editor:
    """An editor of a site with the page About, with four sections, and Team, with one."""
    ann = Editor(world)
    sections: list[tuple[str, Content]] = [(key, {}) for key in KEYS]
    await ann.create("About", *sections)
    await ann.create("Team", ("hero", {}))
    return ann


async def move(
    ann: Editor, section: str, to: int | None = None, page: str | None = None, token: str | None = None
) -> SectionWriteReply:
    payload = MoveSection(page_section_id=section, sort_order=to, new_page_id=page, if_unchanged=token)
    return await ann.world.sections.move_section(ann.call(), payload)


async def keys(ann: Editor, page: str = "about") -> list[str]:
    sections = (await ann.draft(page)).sections
    assert [each.sort_order for each in sections] == list(range(len(sections)))
    return [each.section_key for each in sections]


@pytest.mark.parametrize(("section", "place"), [(0, 2), (3, 1), (1, None), (2, 99), (2, 2)])
async def test_a_section_moves_to_a_place_and_the_others_keep_their_order(
    ann: Editor, section: int, place: int | None
) -> None:
    reply = await move(ann, f"section_{section + 1}", place)
    expected = [key for key in KEYS if key != KEYS[section]]
    expected.insert(3 if place is None else place, KEYS[section])
    assert await keys(ann) == expected
    moved = expected != [*KEYS]
    assert (await ann.draft("about")).revision == 1 + moved
    said = f"is at place {expected.index(KEYS[section])} now" if moved else "stands there already"
    assert reply.changed == (["sortOrder"] if moved else [])
    assert reply.message == f"Section {KEYS[section]} of page 'About' {said}"


async def test_a_section_moves_to_another_page_with_its_texts_in_all_languages(ann: Editor) -> None:
    for locale, heading in (("en", "Bread"), ("de", "Brot")):
        payload = UpdateSectionContent(page_section_id="section_1", content={"heading": heading}, locale_code=locale)
        await ann.world.sections.update_section_content(ann.call(), payload)
    reply = await move(ann, "section_1", 0, "team")
    assert (await keys(ann), await keys(ann, "team")) == (["text", "quote", "faq"], ["hero", "hero"])
    assert await ann.content(reply.section.id) == {"heading": "Bread"}
    assert (reply.section.ref, reply.section.id) == ("team/s2", "section_6")
    german = GetSectionContent(page_section_id=reply.section.id, locale_code="de")
    found = await ann.world.sections.get_section_content(ann.call(), german)
    assert found.section.content == {"heading": "Brot"}


async def test_each_of_the_two_pages_is_reverted_by_itself(ann: Editor) -> None:
    await move(ann, "section_2", None, "team")
    await ann.history.revert_page(ann.call(), RevertPage(page_id="about", revision=1))
    assert (await keys(ann), await keys(ann, "team")) == ([*KEYS], ["hero", "text"])
    await ann.history.revert_page(ann.call(), RevertPage(page_id="team", revision=1))
    assert await keys(ann, "team") == ["hero"]


async def test_a_move_that_cannot_be_made_changes_nothing(ann: Editor) -> None:
    before = await ann.world.rows()
    with pytest.raises(NotFoundError, match="There is no section 'section_9'"):
        await move(ann, "section_9", 0)
    with pytest.raises(NotFoundError, match="There is no page 'nowhere'"):
        await move(ann, "section_1", 0, "nowhere")
    with pytest.raises(InvalidArgumentsError, match="is not a token of 'About'"):
        await move(ann, "section_1", 1, token=await ann.world.token("team"))
    assert await ann.world.rows() == before


async def test_items_of_a_moved_list_get_ids_that_its_new_page_has_not_given(ann: Editor) -> None:
    questions: Content = {"questions": [{"question": "Where?"}, {"question": "When?"}]}
    here = (await ann.create("Here", ("faq", questions))).sections[0].id
    page = await ann.create("There", ("faq", {"questions": [{"question": "Who?"}]}))
    payload = UpdateListItem(page_section_id=here, item_id="i2", item={"question": "Wann?"}, locale_code="de")
    await ann.world.sections.items.update_list_item(ann.call(), payload)
    moved = await move(ann, here, page=page.id)
    assert await ann.content(moved.section.id) == {
        "questions": [{"id": "i2", "question": "Where?"}, {"id": "i3", "question": "When?"}]
    }
    read = GetSectionContent(page_section_id=moved.section.id, locale_code="de")
    found = await ann.world.sections.get_section_content(ann.call(), read)
    assert "{'id': 'i3', 'question': 'Wann?'}" in str(found.section.content)
