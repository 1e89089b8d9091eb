"""Collections: entries with the same fields, checked when they are written."""

from __future__ import annotations

from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import HOME, World
from remit.errors import InvalidArgumentsError, NotFoundError
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import (
    CreateEntry,
    DeleteEntry,
    EntryView,
    GetCollectionEntries,
    GetEntryContent,
    UpdateEntry,
)
from remit_cms.storage.snapshots import iterate_searchable, load_snapshot
from remit_cms.storage.transactions import open_view
from remit_cms.templates.values import iterate_texts
from remit_cms.types.payloads import DefineType
from remit_cms.types.types import Types

TEAM = {
    "name": "Team",
    "fields": [
        {"key": "role", "type": "text", "required": True},
        {"key": "bio", "type": "richText", "label": "About them"},
        {"key": "place", "type": "option", "options": ["shop", "bakery"]},
    ],
}


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world, "ann", "monday")


@pytest.fixture
async def team(world: World, ann: Editor) -> Collections:
    await Types(world.database).define_type(ann.call(), DefineType.model_validate(TEAM))
    return Collections(world.database)


async def create(collections: Collections, editor: Editor, title: str, **content: Any) -> EntryView:
    payload = CreateEntry(collection_id="team", title=title, content=content)
    return await read(collections, editor, (await collections.create_entry(editor.call(), payload)).entry.id)


async def read(collections: Collections, editor: Editor, entry: str, locale: str = "en") -> EntryView:
    payload = GetEntryContent(entry_id=entry, locale_code=locale)
    return (await collections.get_entry_content(editor.call(), payload)).entry


async def test_entries_are_made_changed_translated_and_deleted(ann: Editor, team: Collections) -> None:
    entry = await create(team, ann, "Bob", role="Baker")
    assert (entry.slug, entry.status, entry.content) == ("bob", "draft", {"role": "Baker"})
    german = UpdateEntry(entry_id=entry.id, content={"role": "Bäcker"}, locale_code="de")
    assert (await team.update_entry(ann.call(), german)).changed == ["role"]
    assert (await read(team, ann, entry.id, "de")).content == {"role": "Bäcker"}
    change = UpdateEntry(entry_id=entry.id, title="Robert", slug="robert", content={"bio": "Bakes."})
    reply = await team.update_entry(ann.call(), change)
    assert (reply.changed, reply.message) == (["title", "slug", "bio"], "Updated entry 'Robert' (/team/robert)")
    changed = await read(team, ann, entry.id)
    assert (changed.title, changed.slug, changed.content) == ("Robert", "robert", {"role": "Baker", "bio": "Bakes."})
    assert "is like that already" in (await team.update_entry(ann.call(), change)).message
    preview = await team.preview_deletion(ann.call(), DeleteEntry(entry_id=entry.id))
    assert preview.summary == "the entry 'Robert' (/team/robert)"
    await team.delete_entry(ann.call(), DeleteEntry(entry_id=entry.id))
    with pytest.raises(NotFoundError):
        await team.get_entry_content(ann.call(), GetEntryContent(entry_id=entry.id))


async def test_content_that_does_not_fit_the_collection_is_refused_with_its_fields(
    ann: Editor, team: Collections
) -> None:
    with pytest.raises(InvalidArgumentsError, match=r"no field 'rol' .*Its fields: role \(text"):
        await create(team, ann, "Bob", rol=1)
    with pytest.raises(InvalidArgumentsError, match="'place' must be one of shop, bakery"):
        await create(team, ann, "Bob", place="home")
    with pytest.raises(NotFoundError, match="Existing collections: posts, team"):
        await team.create_entry(ann.call(), CreateEntry(collection_id="teams", title="Bob"))


async def test_entries_are_listed_in_pages_with_content_only_if_asked(ann: Editor, team: Collections) -> None:
    for title in ("Cy", "Ann", "Bob"):
        await create(team, ann, title, role="Baker")
    first = await team.get_collection_entries(ann.call(), GetCollectionEntries(collection_id="team", limit=2))
    assert ([each.slug for each in first.entries], first.total) == (["ann", "bob"], 3)
    assert first.entries[0].content is None
    rest = GetCollectionEntries(collection_id="team", cursor=first.next_cursor, include_content=True)
    last = await team.get_collection_entries(ann.call(), rest)
    assert [(each.slug, each.content) for each in last.entries] == [("cy", {"role": "Baker"})]
    assert (last.next_cursor, last.message) == (None, "The collection 'Team' has 3 entries. These are the last 1.")


async def test_entries_of_two_collections_with_one_slug_are_told_apart(
    world: World, ann: Editor, team: Collections
) -> None:
    await create(team, ann, "News", role="Parrot")
    await team.create_entry(ann.call(), CreateEntry(collection_id="posts", title="News"))
    candidates = await world.references["entry"](ann.call(), "news")
    assert [(each.id, each.aliases) for each in candidates] == [
        ("entry_2", ("posts/news", "/posts/news", "news")),
        ("entry_1", ("team/news", "/team/news", "news")),
    ]
    with pytest.raises(NotFoundError, match=r"There is no entry 'new'\. Did you mean .* or .*\?"):
        await world.references["entry"](ann.call(), "new")


async def test_a_text_field_may_have_the_name_of_a_part_of_an_image(world: World, ann: Editor) -> None:
    await world.image("A loaf")
    collections = Collections(world.database)
    fields = [{"key": key, "type": kind} for key, kind in (("imageId", "text"), ("url", "text"), ("photo", "image"))]
    given = DefineType.model_validate({"name": "Cards", "fields": fields})
    await Types(world.database).define_type(ann.call(), given)
    content = {"imageId": "A loaf", "url": "crispy", "photo": {"imageId": "A loaf"}}
    entry = CreateEntry.model_validate({"collectionId": "cards", "title": "One", "content": content})
    made = (await collections.create_entry(ann.call(), entry)).entry
    stored = (await read(collections, ann, made.id)).content
    assert stored == {**content, "photo": {"imageId": "image_1", "alt": "A loaf"}}
    async with open_view(world.database, HOME) as scope:
        searchable = iterate_searchable(await load_snapshot(scope, "entry_1", 1), "en")
    assert [*iterate_texts([*searchable])] == ["A loaf", "crispy", "A loaf"]


async def test_an_entry_begins_in_the_language_of_the_site(ann: Editor, team: Collections) -> None:
    payload = CreateEntry(collection_id="team", title="Bob", content={"role": "Bäcker"}, locale_code="de")
    with pytest.raises(InvalidArgumentsError, match="begins in 'en', the language of the site"):
        await team.create_entry(ann.call(), payload)
    payload = payload.model_copy(update={"locale_code": "en"})
    assert (await team.create_entry(ann.call(), payload)).entry.title == "Bob"
