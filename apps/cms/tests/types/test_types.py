"""Types: what people and agents define, and how existing content follows a change of one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World
from remit.errors import AlreadyExistsError, CallError, ConflictError, InvalidArgumentsError, NotFoundError
from remit.tools import Change
from remit_cms.models import Content
from remit_cms.pages.payloads import GetLinksHere, LinkView
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry, DeleteEntry, EntryBrief, GetEntryContent, UpdateEntry
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage
from remit_cms.publishing.publishing import Publishing
from remit_cms.sections.payloads import SectionInput
from remit_cms.storage.database import random_id
from remit_cms.storage.scope import parse_structure
from remit_cms.storage.transactions import open_view
from remit_cms.types.finding import find_type
from remit_cms.types.payloads import ChangeType, DefineType, DeleteType, ListTypes, TypeView
from remit_cms.types.types import Types

EVENTS: dict[str, Any] = {
    "name": "Events",
    "fields": [
        {"key": "date", "type": "date", "required": True, "label": "When"},
        {"key": "place", "type": "text"},
        {"key": "price", "type": "text"},
    ],
}


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


@pytest.fixture
async def types(world: World, ann: Editor) -> Types:
    types = Types(world.database)
    await types.define_type(ann.call(), DefineType.model_validate(EVENTS))
    return types


async def create(
    world: World, title: str, *, live: bool = False, type_id: str = "events", **content: Any
) -> EntryBrief:
    payload = CreateEntry(collection_id="events", title=title, content=content)
    entry = (await Collections(world.database).create_entry(world.call(), payload)).entry
    if live:
        await Publishing(world.database).publish_page(world.call(), PublishPage(page_id=entry.id))
    return entry


async def read(world: World, entry: EntryBrief, locale: str = "en") -> Content | None:
    payload = GetEntryContent(entry_id=entry.id, locale_code=locale)
    return (await Collections(world.database).get_entry_content(world.call(), payload)).entry.content


def change_of(**changes: Any) -> ChangeType:
    return ChangeType.model_validate({"typeId": "events", **changes})


async def change(types: Types, world: World, **changes: Any) -> TypeView:
    return (await types.change_type(world.call(), change_of(**changes))).type


async def test_an_approver_sees_the_fields_of_a_new_type_line_by_line(world: World) -> None:
    preview = await Types(world.database).preview_definition(world.call(), DefineType.model_validate(EVENTS))
    assert preview.summary == ("the new type 'Events' (events): entries at /events, listed by date, what is next first")
    assert preview.changes == (
        Change("field date", "", "date, required, “When”"),
        Change("field place", "", "text, “Place”"),
        Change("field price", "", "text, “Price”"),
    )


async def test_types_are_listed_without_the_templates_of_every_site(world: World, types: Types) -> None:
    await create(world, "Fair", date="2026-05-31")
    found = (await types.list_types(world.call(), ListTypes())).types
    assert [(each.key, each.kind, each.sorted_by, each.entries) for each in found] == [
        ("events", "entries", "date", 1),
        ("posts", "entries", None, 0),
    ]
    assert found[0].fields == ["date (date, required)", "place (text)", "price (text)"]
    sections = (await types.list_types(world.call(), ListTypes(kind="section"))).types
    assert "hero" in [each.key for each in sections]


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({}, AlreadyExistsError, "a type or template 'events' already"),
        ({"name": "Hero"}, AlreadyExistsError, "a type or template 'hero' already"),
        ({"key": "a" * 31}, InvalidArgumentsError, "has 30 characters at most"),
        ({"key": "images"}, InvalidArgumentsError, "'images' is reserved"),
        ({"key": "new", "fields": EVENTS["fields"] * 2}, InvalidArgumentsError, "two fields have the same key"),
        ({"key": "new", "fields": [{"key": "Content", "type": "text"}]}, InvalidArgumentsError, "call this one text"),
        ({"key": "new", "fields": [{"key": "x", "type": "option"}]}, InvalidArgumentsError, "needs options"),
        ({"key": "new", "sortedBy": "place"}, InvalidArgumentsError, "'place', which is no date .* Its dates: date"),
        (
            {"key": "new", "fields": [{"key": "x", "type": "number", "value": "many"}]},
            InvalidArgumentsError,
            "The value of 'x' is 'many'; write a number",
        ),
        (
            {"key": "new", "fields": [{"key": "x", "type": "image", "value": "cake"}]},
            InvalidArgumentsError,
            "has no value for all",
        ),
    ],
)
async def test_a_type_that_cannot_be_is_refused_before_and_after_approval(
    world: World, types: Types, changes: dict[str, Any], error: type[CallError], message: str
) -> None:
    payload = DefineType.model_validate({**EVENTS, **changes})
    with pytest.raises(error, match=message):
        await types.preview_definition(world.call(), payload)
    with pytest.raises(error, match=message):
        await types.define_type(world.call(), payload)


async def test_values_of_new_kinds_are_checked_and_keep_their_kind(world: World) -> None:
    fields = [{"key": key, "type": kind} for key, kind in (("day", "date"), ("price", "number"), ("free", "yesNo"))]
    given = DefineType.model_validate({"name": "Events", "fields": fields})
    await Types(world.database).define_type(world.call(), given)
    entry = await create(world, "Fair", day="2026-05-31T19:00", price=4.5, free=False)
    assert await read(world, entry) == {"day": "2026-05-31T19:00", "price": 4.5, "free": False}
    for field, value, form in (
        ("day", "tomorrow", "YYYY-MM-DD or YYYY-MM-DDTHH:MM"),
        ("day", "2026-02-30", "YYYY-MM-DD"),
        ("price", "4", "a number"),
        ("free", "no", "true or false"),
    ):
        other = CreateEntry.model_validate({"collectionId": "events", "title": "Other", "content": {field: value}})
        with pytest.raises(InvalidArgumentsError, match=f"'{field}': .*write {form}"):
            await Collections(world.database).create_entry(world.call(), other)


async def test_visitors_read_the_words_of_a_key_where_a_field_has_no_label(world: World) -> None:
    fields = [{"key": key, "type": "yesNo"} for key in ("bookingNeeded", "PDF", "free")]
    types = Types(world.database)
    await types.define_type(world.call(), DefineType.model_validate({"name": "Events", "fields": fields}))
    named = {"typeId": "events", "changeFields": [{"key": "free", "label": "No fee"}]}
    unnamed = {"typeId": "events", "changeFields": [{"key": "free", "label": "", "newKey": "atNoCost"}]}
    for given in (named, unnamed):
        await types.change_type(world.call(), ChangeType.model_validate(given))
    async with open_view(world.database, HOME) as scope:
        labels = parse_structure(await find_type(scope, "events")).labels_in("en")
    assert [*labels.values()] == ["Booking needed", "PDF", "At no cost"]


async def test_a_field_gets_another_name_and_no_entry_is_written(world: World, types: Types) -> None:
    entry = await create(world, "Fair", date="2026-05-31", place="Hall")
    before = await world.rows()
    changed = await change(types, world, changeFields=[{"key": "place", "newKey": "venue", "label": "Where"}])
    assert changed.fields == ["date (date, required)", "venue (text)", "price (text)"]
    assert {**await world.rows(), "remit_effects": 0} == {**before, "remit_effects": 0}
    assert await read(world, entry) == {"date": "2026-05-31", "venue": "Hall"}
    update = UpdateEntry(entry_id=entry.id, content={"venue": "Garden"})
    await Collections(world.database).update_entry(world.call(), update)
    assert (await read(world, entry) or {})["venue"] == "Garden"
    with pytest.raises(InvalidArgumentsError, match=r"Its fields: date .*, venue"):
        await create(world, "Other", plaze="x")


async def test_a_renamed_field_has_its_new_name_wherever_people_read_of_it(
    world: World, types: Types, ann: Editor
) -> None:
    await change(types, world, addFields=[{"key": "story", "type": "richText"}])
    home = await world.page("Home")
    story = "See [home](/home).\n\n## A\n\n#### B"
    entry = await create(world, "Fair", live=True, date="2026-05-31", place="Hall", story=story)
    renamed = [{"key": "story", "newKey": "text"}, {"key": "place", "newKey": "venue"}]
    await change(types, world, changeFields=renamed)
    assert [each.place for each in (await links_to(world, home.id))] == ["text (en)"]
    update = UpdateEntry(entry_id=entry.id, content={"venue": "Garden", "text": f"{story}!"})
    await Collections(world.database).update_entry(ann.call(), update)
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert preview.changes == (
        Change("Remark: Fair: text (en)", "", "links to 'Home', which visitors do not see"),
        Change("Remark: Fair: text (en)", "", "a heading skips a level"),
        Change("Fair: venue (en)", "Hall", "Garden"),
        Change("Fair: text (en)", story, f"{story}!"),
    )
    assert [each[0] for each in await ann.differences(entry.id)] == ["venue (en)", "text (en)"]
    assert [each.where for each in (await ann.look()).pages[0].differences] == ["venue (en)", "text (en)"]
    await Collections(world.database).update_entry(world.call(), UpdateEntry(entry_id=entry.id, content={"venue": "B"}))
    with pytest.raises(ConflictError, match=r"venue \(en\): 'Garden' is now 'B'"):
        await Collections(world.database).update_entry(
            ann.call(), UpdateEntry(entry_id=entry.id, content={"venue": "C"})
        )


async def links_to(world: World, page: str) -> list[LinkView]:
    return (await world.pages.get_links_here(world.call(), GetLinksHere(page_id=page))).links


async def test_a_new_field_may_have_the_name_that_another_one_had(world: World, types: Types) -> None:
    entry = await create(world, "Fair", date="2026-05-31", place="Hall")
    await change(types, world, changeFields=[{"key": "place", "newKey": "venue"}])
    await change(types, world, addFields=[{"key": "place", "type": "number"}], fieldOrder=["place"])
    await Collections(world.database).update_entry(
        world.call(), UpdateEntry(entry_id=entry.id, content={"place": 3, "venue": "Garden"})
    )
    assert await read(world, entry) == {"date": "2026-05-31", "venue": "Garden", "place": 3}


async def test_a_removed_field_is_no_longer_shown_and_comes_back_with_its_values(world: World, types: Types) -> None:
    entry = await create(world, "Fair", date="2026-05-31", place="Hall")
    preview = await types.preview_change(world.call(), change_of(removeFields=["place"]))
    removed = "removed; 1 document had a value of it, which is no longer shown"
    assert preview.changes == (Change("field place", "text, “Place”", removed),)
    await change(types, world, removeFields=["place"])
    assert await read(world, entry) == {"date": "2026-05-31"}
    await change(types, world, addFields=[{"key": "place", "type": "number"}])
    assert await read(world, entry) == {"date": "2026-05-31"}
    await change(types, world, removeFields=["place"])
    await change(types, world, addFields=[{"key": "place", "type": "text"}])
    assert await read(world, entry) == {"date": "2026-05-31", "place": "Hall"}


async def test_a_field_gets_another_kind_if_drafts_and_live_values_are_of_it(world: World, types: Types) -> None:
    entry = await create(world, "Fair", live=True, date="2026-05-31", price="4,50")
    await change(types, world, changeFields=[{"key": "price", "type": "number"}])
    assert (await read(world, entry) or {})["price"] == 4.5
    await change(types, world, changeFields=[{"key": "price", "type": "text"}])
    assert (await read(world, entry) or {})["price"] == "4,50"
    update = UpdateEntry(entry_id=entry.id, content={"price": "free"})
    await Collections(world.database).update_entry(world.call(), update)
    await create(world, "Market", date="2026-06-01", price="about 4")
    with pytest.raises(ConflictError) as refused:
        await change(types, world, changeFields=[{"key": "price", "type": "number"}])
    assert refused.value.message == (
        "The type 'Events' was not changed. 2 values of 'price' are no number: 'Fair' (/events/fair) has 'free', "
        "'Market' (/events/market) has 'about 4'."
    )
    with pytest.raises(ConflictError, match="values of 'price' are no one of free, 4"):
        await change(types, world, changeFields=[{"key": "price", "type": "option", "options": ["free", "4"]}])


async def test_a_field_becomes_required_if_all_have_a_value_or_are_given_one(world: World, types: Types) -> None:
    entry = await create(world, "Fair", live=True, date="2026-05-31")
    with pytest.raises(ConflictError, match=r"'place' would be required, and 2 documents have no value of it: 'Fair'"):
        await change(types, world, changeFields=[{"key": "place", "required": True}])
    with pytest.raises(ConflictError, match="'seats' would be required"):
        await change(types, world, addFields=[{"key": "seats", "type": "number", "required": True}])
    await change(types, world, addFields=[{"key": "seats", "type": "number", "required": True, "value": "40"}])
    assert await read(world, entry) == {"date": "2026-05-31", "seats": 40}


async def test_a_question_shows_which_live_pages_change(world: World, types: Types) -> None:
    await create(world, "Fair", live=True, date="2026-05-31", place="Hall")
    await create(world, "Draft", date="2026-06-01", place="Garden")
    preview = await types.preview_change(world.call(), change_of(removeFields=["place"]))
    assert preview.summary == (
        "the type 'Events' (events), of which 1 live page has content; visitors see a difference at once in 2 places"
    )
    assert preview.changes[1:] == (
        Change("'Fair' (/events/fair): place", "Place: Hall", ""),
        Change("'Fair' (/de/events/fair): place", "Place: Hall", ""),
    )
    seats = {"key": "seats", "type": "number", "value": "40"}
    preview = await types.preview_change(world.call(), change_of(addFields=[seats]))
    assert Change("'Fair' (/events/fair): seats", "", "Seats: 40") in preview.changes
    preview = await types.preview_change(world.call(), change_of(changeFields=[{"key": "price", "newKey": "cost"}]))
    assert preview.summary.endswith("has content; visitors see no difference on them")


async def test_an_approval_is_void_once_an_entry_is_live_that_would_change(world: World, types: Types) -> None:
    payload = change_of(removeFields=["place"])
    before = await types.preview_change(world.call(), payload)
    await create(world, "Fair", live=True, date="2026-05-31", place="Hall")
    assert (await types.preview_change(world.call(), payload)).state != before.state


async def test_names_and_labels_have_translations_and_all_else_is_common(world: World, types: Types) -> None:
    await change(types, world, localeCode="de", name="Veranstaltungen", changeFields=[{"key": "date", "label": "Wann"}])
    async with open_view(world.database, HOME) as scope:
        row = await find_type(scope, "events")
    assert (row.name, row.structure["names"]) == ("Events", {"de": "Veranstaltungen"})
    with pytest.raises(InvalidArgumentsError, match="In 'de' a type has a name and the labels of its fields"):
        await change(types, world, localeCode="de", removeFields=["date"])
    with pytest.raises(InvalidArgumentsError, match="In 'de' a type has a name"):
        await change(types, world, localeCode="de", changeFields=[{"key": "date", "required": False}])


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"removeFields": ["prize"]}, InvalidArgumentsError, "no field 'prize'. Its fields: date, place, price"),
        ({"removeFields": ["date", "place", "price"]}, InvalidArgumentsError, "has one field at least"),
        ({"changeFields": [{"key": "price", "newKey": "Place"}]}, InvalidArgumentsError, "have the same key"),
        ({"changeFields": [{"key": "price", "options": ["a"]}]}, InvalidArgumentsError, "no other field takes them"),
        ({"sortedBy": "place"}, InvalidArgumentsError, "no date of the type"),
        ({"typeId": "event"}, NotFoundError, "no type 'event'. The types of the site: events, posts"),
        ({"typeId": "hero", "removeFields": ["text"]}, ConflictError, "has a design of its own"),
        ({"typeId": "posts", "removeFields": ["cover"]}, ConflictError, "'cover' belongs to all posts"),
        ({"typeId": "navigation-item", "name": "Menu"}, NotFoundError, "no type 'navigation-item'"),
    ],
)
async def test_a_change_that_cannot_be_is_refused(
    world: World, types: Types, changes: dict[str, Any], error: type[CallError], message: str
) -> None:
    with pytest.raises(error, match=message):
        await types.preview_change(world.call(), change_of(**changes))


async def test_posts_get_further_fields_and_the_rest_of_them_stays(world: World, types: Types) -> None:
    changed = await change(types, world, typeId="posts", name="News", addFields=[{"key": "rating", "type": "number"}])
    assert (changed.name, changed.fields[-1]) == ("News", "rating (number)")
    same = await types.change_type(world.call(), change_of(typeId="posts", name="News"))
    assert same.message == "The type 'News' is like that already"


async def test_lists_are_sorted_by_time_again_once_their_date_is_gone(world: World, types: Types) -> None:
    preview = await types.preview_change(world.call(), change_of(removeFields=["date"]))
    assert preview.changes[-1] == Change("lists are sorted by", "date", "time of publication")
    assert (await change(types, world, removeFields=["date"])).sorted_by is None


async def test_a_section_of_ones_own_stands_on_pages(world: World) -> None:
    fields = [{"key": "dish", "type": "text", "required": True}, {"key": "vegan", "type": "yesNo"}]
    given = DefineType.model_validate({"name": "Lunch", "kind": "section", "fields": fields})
    reply = await Types(world.database).define_type(world.call(), given)
    assert "cms_addSectionToPage with definitionId 'lunch'" in reply.message
    page = await world.page("Menu", ("lunch", {"dish": "Soup", "vegan": True}))
    assert page.sections[0].section_key == "lunch"
    with pytest.raises(ConflictError, match=r"type 'Lunch' is in use. 1 of it is there: 'Menu' \(/menu\)"):
        await Types(world.database).delete_type(world.call(), DeleteType(type_id="lunch"))


async def test_a_type_is_deleted_once_nothing_uses_it(world: World, types: Types) -> None:
    entry = await create(world, "Fair", live=True, date="2026-05-31")
    await world.page("Home", ("entry-list", {"entries": {"collectionId": "events"}}))
    with pytest.raises(ConflictError) as refused:
        await types.preview_deletion(world.call(), DeleteType(type_id="events"))
    assert refused.value.message == (
        "The type 'Events' is in use. 1 of it is there: 'Fair' (/events/fair); listed on: 'Home'. Nothing was deleted."
    )
    await Collections(world.database).delete_entry(world.call(), DeleteEntry(entry_id=entry.id))
    with pytest.raises(ConflictError, match="in the trash, where cms_purgePage deletes them for good: 'Fair'"):
        await types.delete_type(world.call(), DeleteType(type_id="events"))
    await types.define_type(world.call(), DefineType.model_validate({**EVENTS, "key": "parties"}))
    preview = await types.preview_deletion(world.call(), DeleteType(type_id="parties"))
    assert preview.changes[0] == Change("field date", "date, required, “When”", "")
    await types.delete_type(world.call(), DeleteType(type_id="parties"))
    assert [each.key for each in (await types.list_types(world.call(), ListTypes())).types] == ["events", "posts"]


async def test_two_changes_at_once_are_both_kept(world: World, types: Types, location: Any, tmp_path: Any) -> None:
    other = World(tmp_path / "other", location)
    other.database.new_id = random_id
    try:
        await asyncio.gather(
            change(types, world, addFields=[{"key": "seats", "type": "number"}]),
            types_of(other).change_type(
                other.call(key="other"), change_of(addFields=[{"key": "host", "type": "text"}])
            ),
        )
    finally:
        await other.database.close()
    (events, _) = (await types.list_types(world.call(), ListTypes())).types
    assert {*events.fields[3:]} == {"seats (number)", "host (text)"}


def types_of(world: World) -> Types:
    return Types(world.database)


async def test_a_page_shows_nothing_of_a_type_of_another_tenant(world: World, types: Types) -> None:
    with pytest.raises(NotFoundError, match=r"no type 'events'\. The types of the site: posts\."):
        await types.change_type(world.call(tenant="other"), change_of(name="Theirs"))
    with pytest.raises(NotFoundError, match="no section template 'events'"):
        await world.page("Home", ("events", {}))
    assert SectionInput(definition_id="events")
