"""Lists and references as fields of own types: told, checked, edited by one item, shown, changed with their type."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.site.visitor import make_site, publish, visit
from apps.cms.tests.world import World
from remit.errors import CallError, ConflictError, InvalidArgumentsError
from remit.tools import Change
from remit_cms.pages.references import SectionReferences
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry, GetEntryContent, UpdateEntry
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage
from remit_cms.sections.payloads import AddListItem, MoveListItem, RemoveListItem, UpdateListItem
from remit_cms.storage.tables import Kind
from remit_cms.types.payloads import ChangeType, DefineType
from remit_cms.types.types import Types

RECIPES: dict[str, Any] = {
    "name": "Recipes",
    "fields": [
        {"key": "ingredients", "type": "list", "label": "Ingredients", "required": True},
        {"key": "steps", "type": "list", "fields": [
            {"key": "what", "type": "richText", "required": True}, {"key": "minutes", "type": "number"},
        ]},
        {"key": "goesWith", "type": "list", "label": "Goes with", "fields": [{"key": "dish", "type": "reference"}]},
        {"key": "origin", "type": "reference", "label": "From"},
    ],
}  # fmt: skip


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


@pytest.fixture
async def types(world: World, ann: Editor) -> Types:
    types = Types(world.database)
    await types.define_type(ann.call(), DefineType.model_validate(RECIPES))
    return types


async def create(ann: Editor, title: str, **content: Any) -> str:
    payload = CreateEntry(collection_id="recipes", title=title, content=content)
    return (await Collections(ann.world.database).create_entry(ann.call(), payload)).entry.id


async def update(ann: Editor, entry: str, locale: str | None = None, **content: Any) -> None:
    payload = UpdateEntry(entry_id=entry, content=content, locale_code=locale)
    await Collections(ann.world.database).update_entry(ann.call(), payload)


async def read(ann: Editor, entry: str, locale: str = "en") -> Any:
    """What an entry says, read outside the conversation."""
    payload = GetEntryContent(entry_id=entry, locale_code=locale)
    return (await Collections(ann.world.database).get_entry_content(ann.world.call(), payload)).entry.content


async def change(types: Types, ann: Editor, *fields: dict[str, Any]) -> list[str]:
    payload = ChangeType.model_validate({"typeId": "recipes", "changeFields": fields})
    return (await types.change_type(ann.call(), payload)).type.fields


async def section_of(ann: Editor, name: str) -> str:
    """The section that a name means, as a resolver finds it."""
    found = await SectionReferences(ann.world.database, Kind.PAGE, Kind.ENTRY).find_candidates(ann.call(), name)
    (section,) = [each.id for each in found if name in each.aliases]
    return section


async def test_a_list_is_told_with_the_fields_of_its_items(world: World) -> None:
    preview = await Types(world.database).preview_definition(world.call(), DefineType.model_validate(RECIPES))
    assert preview.changes == (
        Change("field ingredients", "", "list of text (text, required), required, “Ingredients”"),
        Change("field steps", "", "list of what (formatted text, required), minutes (number), “Steps”"),
        Change("field goesWith", "", "list of dish (page or entry), “Goes with”"),
        Change("field origin", "", "page or entry, “From”"),
    )


async def test_items_are_written_as_plain_values_and_read_with_ids_in_their_order(types: Types, ann: Editor) -> None:
    pie = await create(ann, "Pie", ingredients=["Flour", "Apples"])
    cake = await create(ann, "Cake", ingredients=["Flour"], goesWith=["pie"], origin="Pie", steps=[{"what": "Bake."}])
    assert await read(ann, cake) == {
        "ingredients": [{"id": "i1", "text": "Flour"}],
        "goesWith": [{"id": "i3", "dish": {"url": f"entry:{pie}"}}],
        "origin": {"url": f"entry:{pie}"},
        "steps": [{"id": "i2", "what": "Bake."}],
    }
    await update(ann, cake, ingredients=["flour", "Sugar"], goesWith=[pie])
    content = await read(ann, cake)
    assert [each["text"] for each in content["ingredients"]] == ["flour", "Sugar"]
    assert len(content["goesWith"]) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"ingredients": "Flour"}, r"'ingredients': .*list"),
        ({"ingredients": [1]}, r"'ingredients.0': 'text'"),
        ({"steps": [{"minutes": "ten"}]}, r"'steps.0': 'minutes': .*write a number"),
        ({"steps": ["Bake."]}, r"'steps"),
        ({"origin": "nowhere"}, r"'origin.url': there is no page or entry 'nowhere'"),
        ({"goesWith": ["https://a.example"]}, r"'dish.url': there is no page or entry 'https://a.example'"),
    ],
)
async def test_what_is_no_item_of_a_list_is_refused(
    types: Types, ann: Editor, content: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidArgumentsError, match=message):
        await create(ann, "Cake", **content)


async def test_one_item_of_an_entry_is_added_changed_moved_and_removed(types: Types, ann: Editor) -> None:
    cake = await create(ann, "Apple cake", ingredients=["Flour", "Apples"])
    await ann.publish()
    items = ann.world.sections.items
    section = await section_of(ann, "apple-cake/recipes")
    of_list: dict[str, Any] = {"page_section_id": section, "list_field": "ingredients"}
    added = await items.add_list_item(ann.call(), AddListItem(**of_list, item={"text": "Sugar"}, position=0))
    assert added.message.endswith("which has 3 items")
    changed = UpdateListItem(**of_list, item_id="Apples", item={"text": "Pears"})
    await items.update_list_item(ann.call(), changed)
    await items.move_list_item(ann.call(), MoveListItem(**of_list, item_id="i2", position=0))
    await items.remove_list_item(ann.call(), RemoveListItem(**of_list, item_id="Flour"))
    assert [each["text"] for each in (await read(ann, cake))["ingredients"]] == ["Pears", "Sugar"]
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert preview.changes == (
        Change("Apple cake: ingredients i2 text (en)", "Apples", "Pears"),
        Change("Apple cake: ingredients i3 text (en)", "", "Sugar"),
        Change("Apple cake: ingredients i1 text (en)", "Flour", ""),
    )
    await ann.publish()
    await ann.revert()
    assert [each["text"] for each in (await read(ann, cake))["ingredients"]] == ["Flour", "Apples"]


async def test_two_editors_of_other_items_keep_both(types: Types, ann: Editor) -> None:
    bob = Editor(ann.world, "bob", "tuesday")
    cake = await create(ann, "Cake", ingredients=["Flour", "Apples"])
    await update(ann, cake, ingredients=[{"id": "i1", "text": "Rye flour"}])
    await update(bob, cake, ingredients=[{"id": "i2", "text": "Pears"}])
    assert [each["text"] for each in (await read(ann, cake))["ingredients"]] == ["Rye flour", "Pears"]


async def test_visitors_and_the_api_see_lists_and_where_references_lead(types: Types, ann: Editor) -> None:
    await publish(ann.world, "Home")
    pie = await create(ann, "Pie", ingredients=["Flour"])
    steps = [{"what": "Bake *long*.", "minutes": 40.5}]
    cake = await create(ann, "Cake", ingredients=["Flour"], goesWith=[pie], origin=pie, steps=steps)
    await update(ann, cake, "de", ingredients=[{"id": "i1", "text": "Mehl"}])
    await ann.publishing.publish_page(ann.call(), PublishPage(page_id=cake))
    site = make_site(ann.world)
    hidden = (await visit(site, "/recipes/cake")).text
    assert ("Pie" in hidden, "Goes with" in hidden) == (False, False)
    await ann.publishing.publish_page(ann.call(), PublishPage(page_id=pie))
    shown = " ".join((await visit(site, "/recipes/cake")).text.split())
    assert re.search(r"<h2>Ingredients</h2> <ul> <li> <div>Flour</div> </li> </ul>", shown)
    assert '<dt>From</dt><dd><a href="/recipes/pie">Pie</a></dd>' in shown
    assert re.search(r"Bake <em>long</em>.</p> <div>Minutes: 40.5</div>", shown)
    assert "Mehl" in (await visit(site, "/de/recipes/cake")).text
    feed = (await visit(site, "/recipes/feed.json")).text
    (html,) = [each["content_html"] for each in json.loads(feed)["items"] if each["title"] == "Cake"]
    assert "<p>Ingredients:</p><ul><li><p>Flour</p></li></ul>" in html
    assert re.search(r'<a href="https?://[^"]*/recipes/pie">Pie</a>', html)
    fields = json.loads((await visit(site, f"/api/entries/recipes/{cake}")).text)["fields"]
    link = {"text": "Pie", "url": fields["origin"]["url"]}
    assert link["url"].endswith("/recipes/pie")
    assert (fields["origin"], fields["goesWith"]) == (link, [{"id": "i3", "dish": link}])
    assert fields["ingredients"] == [{"id": "i1", "text": "Flour"}]


async def test_the_fields_of_items_change_if_existing_items_follow(types: Types, ann: Editor) -> None:
    cake = await create(ann, "Cake", ingredients=["4", "5"], steps=[{"what": "Bake.", "minutes": 4}])
    number, what = {"key": "text", "type": "number"}, {"key": "what", "type": "richText"}
    assert (await change(types, ann, {"key": "ingredients", "fields": [number]}))[0].startswith("ingredients (list of")
    assert (await read(ann, cake))["ingredients"] == [{"id": "i1", "text": 4}, {"id": "i2", "text": 5}]
    await change(types, ann, {"key": "ingredients", "fields": [{"key": "text", "type": "text"}]})
    await update(ann, cake, ingredients=["Flour"])
    with pytest.raises(ConflictError, match=r"1 values of 'ingredients' are no list"):
        await change(types, ann, {"key": "ingredients", "fields": [number]})
    await change(types, ann, {"key": "steps", "fields": [what]})
    assert (await read(ann, cake))["steps"] == [{"id": "i3", "what": "Bake."}]
    minutes = {"key": "minutes", "type": "number", "required": True}
    await change(types, ann, {"key": "steps", "fields": [what, minutes]})
    assert (await read(ann, cake))["steps"] == [{"id": "i3", "what": "Bake.", "minutes": 4}]
    with pytest.raises(
        ConflictError, match=r"'tip' would be required in each item of 'steps', and items of 1 document"
    ):
        await change(types, ann, {"key": "steps", "fields": [what, {"key": "tip", "type": "text", "required": True}]})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"key": "ingredients", "type": "text"}, "'ingredients' is a list and stays so"),
        ({"key": "origin", "type": "list"}, "'origin' is no list and stays so"),
        ({"key": "origin", "fields": [{"key": "a", "type": "text"}]}, "'origin': the items of a list have one field"),
        ({"key": "steps", "fields": []}, "'steps': the items of a list have one field at least"),
        ({"key": "steps", "fields": [{"key": "id", "type": "text"}]}, "two fields have the same key"),
        ({"key": "steps", "fields": [{"key": "a", "type": "option"}]}, "needs options"),
        ({"key": "steps", "value": "none"}, "has no value for all"),
    ],
)
async def test_a_change_of_a_list_that_cannot_be_is_refused(
    types: Types, ann: Editor, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(CallError, match=message):
        await change(types, ann, fields)


async def test_what_a_reference_names_is_not_deleted_unseen(types: Types, ann: Editor) -> None:
    pie = await create(ann, "Pie", ingredients=["Flour"])
    await create(ann, "Cake", ingredients=["Flour"], goesWith=[pie])
    await ann.publish()
    await ann.remove(pie)
    preview = await ann.sets.preview_publication(ann.call(), PublishChangeSet())
    assert "is deleted, to which 'Cake' links" in preview.summary
