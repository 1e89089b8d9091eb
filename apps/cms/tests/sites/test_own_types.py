"""A site in a file with types of its own."""

from __future__ import annotations

from typing import Any

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.site.visitor import make_site, visit
from apps.cms.tests.world import World
from remit_cms.posts.collections import Collections
from remit_cms.posts.payloads import CreateEntry, GetCollectionEntries, GetEntryContent
from remit_cms.sites.payloads import AddSite, ExportContent, ImportContent
from remit_cms.storage.scope import Target
from remit_cms.types.payloads import DefineType
from remit_cms.types.types import Types


async def test_lists_and_references_of_own_types_go_with_a_site_into_a_file_and_out_of_it(world: World) -> None:
    ann, collections = Editor(world, "ann", "monday"), Collections(world.database)
    dishes = {"key": "goesWith", "type": "list", "fields": [{"key": "dish", "type": "reference"}]}
    fields = [{"key": "ingredients", "type": "list"}, dishes]
    recipes = DefineType.model_validate({"name": "Recipes", "fields": fields})
    await Types(world.database).define_type(ann.call(), recipes)
    for title, content in (("Bread", {"ingredients": ["Flour"]}), ("Soup", {"goesWith": ["bread"]})):
        entry = CreateEntry.model_validate({"collectionId": "recipes", "title": title, "content": content})
        await collections.create_entry(ann.call(), entry)
    await ann.publish()
    file = (await world.sites.export_content(world.call(), ExportContent())).file
    await world.sites.add_site(world.call(), AddSite(key="copy", name="Copy"))
    await world.sites.import_content(world.call(target="copy"), ImportContent(file=file))
    listed = await collections.get_collection_entries(
        world.call(target="copy"), GetCollectionEntries(collection_id="recipes")
    )
    ids = {each.title: each.id for each in listed.entries}
    soup = await collections.get_entry_content(world.call(target="copy"), GetEntryContent(entry_id=ids["Soup"]))
    content: Any = soup.entry.content
    assert [each["dish"] for each in content["goesWith"]] == [{"url": f"entry:{ids['Bread']}"}]
    assert (
        '<a href="/recipes/bread">Bread</a>'
        in (await visit(make_site(world, Target("copy", "main")), "/recipes/soup")).text
    )
