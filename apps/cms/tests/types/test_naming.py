"""What a site calls its own types, as words of the search for tools."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.messages import decode_message, message_text
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit_cms.agent import editor
from remit_cms.types.naming import TypeNames
from remit_cms.types.payloads import ChangeType, DefineType
from remit_cms.types.types import Types

ANN = Principal("ann", "local-site", permissions=frozenset({"cms:*"}))
WHEN = [{"key": "date", "type": "date"}]


@pytest.fixture
async def world_with_types(world: World) -> World:
    """A site with events, which are *Termine* in German, opening hours of one page, and sections for an event."""
    types, ann = Types(world.database), Editor(world, "ann", "monday")
    for each in (
        {"name": "Events", "fields": WHEN},
        {"name": "Opening hours", "fields": WHEN, "kind": "single"},
        {"name": "Event teaser", "fields": WHEN, "kind": "section"},
    ):
        await types.define_type(ann.call(), DefineType.model_validate(each))
    german = {"typeId": "events", "localeCode": "de", "name": "Termine"}
    await types.change_type(ann.call(), ChangeType.model_validate(german))
    return world


async def find_told(world: World, message: str, principal: Principal = ANN) -> list[str]:
    """The tools that the editor's model is told of with a message."""
    agent = editor(world.tools, type_names=TypeNames(world.database).find)
    model = Scripted(["Done."])
    app = App(name="cms", agents=(agent,), references=world.references)
    await Runtime(app, store=InMemoryStore(), model=model).run(message, by=principal)
    texts = (message_text(decode_message(text)) for text in model.requests[0].history)
    found = next((text for text in texts if text.startswith("<found_tools>")), "")
    return [line.removeprefix("- ") for line in found.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(
    ("message", "tools", "named"),
    [
        ("Add an event on Friday.", ["cms_createEntry"], "events: Termine"),
        ("Please create a new event, the concert.", ["cms_createEntry"], "events: Termine"),
        ("Delete the event Concert.", ["cms_deleteEntry"], "events: Termine"),
        ("List our events.", ["cms_getCollectionEntries"], "events: Termine"),
        (
            "Welche Termine gibt es?",
            ["cms_getCollectionEntries", "cms_getEntryContent", "cms_updateEntry"],
            "events: Termine",
        ),
        ("Change the opening hours to nine.", ["cms_getEntryContent", "cms_updateEntry"], "opening-hours"),
    ],
)
async def test_a_message_that_names_a_type_finds_its_tools_with_the_type(
    world_with_types: World, message: str, tools: list[str], named: str
) -> None:
    told = await find_told(world_with_types, message)
    assert sorted(line.partition(":")[0] for line in told) == tools, told
    assert all(line.endswith(f"({named})") for line in told)


async def test_types_of_another_site_are_not_known(world_with_types: World) -> None:
    stranger = Principal("eve", "other", permissions=frozenset({"cms:*"}))
    assert not any("event" in line for line in await find_told(world_with_types, "Add an event.", stranger))
