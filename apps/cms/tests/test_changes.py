"""Every tool that writes tells those who watch what it has changed, also where an earlier attempt wrote it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.cms.tests.world import World
from remit import App, Effect, Principal, Runtime
from remit.tools import Arguments, Changed
from remit_cms.pages.payloads import CreatePage
from remit_cms.tools import AnyTool, page_operations, section_operations

ANN = Principal("ann", "local-site", frozenset({"*"}))
HERO = {"definitionId": "hero", "content": {"heading": "We bake bread"}}

WRITES: dict[str, tuple[dict[str, Any], list[Changed]]] = {
    "cms_createPage": ({"title": "Contact"}, [Changed("page", "page_2", "1", name="Contact")]),
    "cms_createPageWithContent": (
        {"title": "Contact", "sections": [HERO]},
        [Changed("page", "page_2", "1", name="Contact")],
    ),
    "cms_updatePage": (
        {"pageId": "about", "title": "Us", "meta": {"description": "We."}},
        [Changed("page", "page_1", "2", ("title", "meta"), "Us")],
    ),
    "cms_updatePageMeta": (
        {"pageId": "about", "description": "We.", "indexing": False},
        [Changed("page", "page_1", "2", ("indexing", "meta"), "About")],
    ),
    "cms_translatePage": (
        {"pageId": "about", "localeCode": "de", "slug": "wir"},
        [Changed("page", "page_1", "2", ("slug",), "About")],
    ),
    "cms_copyPage": ({"pageId": "about", "title": "Us"}, [Changed("page", "page_2", "1", name="Us")]),
    "cms_movePage": (
        {"pageId": "about", "parentId": "home"},
        [Changed("page", "page_1", "2", ("slug",), "About")],
    ),
    "cms_deletePage": (
        {"pageId": "page_1", "confirmed": True},
        [
            Changed("change-set", "set_1", "1", name="Deletion of About"),
            Changed("page", "page_1", "2", name="About"),
        ],
    ),
    "cms_addSectionToPage": (
        {"pageId": "about", **HERO},
        [
            Changed("page", "page_1", "2", ("sections",), "About"),
            Changed("section", "section_2", "2", name="hero on About"),
        ],
    ),
    "cms_updateSectionContent": (
        {"pageSectionId": "section_1", "content": {"heading": "Bread"}},
        [
            Changed("page", "page_1", "2", ("sections",), "About"),
            Changed("section", "section_1", "2", ("content",), "hero on About"),
        ],
    ),
    "cms_addListItem": (
        {"pageSectionId": "faq/s1", "item": {"question": "When?"}},
        [
            Changed("page", "page_2", "2", ("sections",), "FAQ"),
            Changed("section", "section_2", "2", ("content",), "faq on FAQ"),
        ],
    ),
    "cms_updateListItem": (
        {"pageSectionId": "faq/s1", "itemId": "i1", "item": {"answer": "There."}},
        [
            Changed("page", "page_2", "2", ("sections",), "FAQ"),
            Changed("section", "section_2", "2", ("content",), "faq on FAQ"),
        ],
    ),
    "cms_moveListItem": (
        {"pageSectionId": "faq/s1", "itemId": "i1"},
        [
            Changed("page", "page_2", "2", ("sections",), "FAQ"),
            Changed("section", "section_2", "2", ("content",), "faq on FAQ"),
        ],
    ),
    "cms_removeListItem": (
        {"pageSectionId": "faq/s1", "itemId": "i1"},
        [
            Changed("page", "page_2", "2", ("sections",), "FAQ"),
            Changed("section", "section_2", "2", ("content",), "faq on FAQ"),
        ],
    ),
    "cms_moveSection": (
        {"pageSectionId": "section_1", "newPageId": "home"},
        [
            Changed("page", "page_1", "2", ("sections",), "About"),
            Changed("section", "section_1", "2", name="hero on About"),
            Changed("page", "page_2", "2", ("sections",), "Home"),
            Changed("section", "section_2", "2", ("sortOrder",), "hero on Home"),
        ],
    ),
    "cms_deletePageSection": (
        {"pageSectionId": "section_1", "confirmed": True},
        [
            Changed("page", "page_1", "2", ("sections",), "About"),
            Changed("section", "section_1", "2", name="hero on About"),
        ],
    ),
}


def tools_of(world: World) -> dict[str, AnyTool]:
    made = (*page_operations(world.pages, world.search).callees, *section_operations(world.sections).callees)
    return {tool.name: tool for tool in made}


async def changes_of(world: World, name: str, arguments: dict[str, Any]) -> list[Changed]:
    """What a call of the tool tells those who watch, after a person approved it where that is needed."""
    tools = tuple(tools_of(world).values())
    runtime = Runtime(App(name="cms", tools=tools, references=world.references))
    result = await runtime.call_by_name(name, Arguments(json.dumps(arguments), arguments), by=ANN)
    for question in result.questions:
        await runtime.decide(question, approved=True, by=ANN)
    if result.questions:
        result = await runtime.resume(result.run)
    assert result.status == "done", result.text
    items = [position.item for position in await runtime.store.read(result.run)]
    return [change for item in items if (change := Changed.from_item(item))]


def test_every_tool_with_a_write_effect_is_tried_here(world: World) -> None:
    assert {name for name, each in tools_of(world).items() if each.facts.effect is not Effect.PURE} == set(WRITES)


@pytest.mark.parametrize("name", WRITES)
async def test_a_tool_that_writes_tells_what_it_has_changed(world: World, name: str) -> None:
    await world.page("About", ("hero", {"heading": "We bake bread"}))
    arguments, changes = WRITES[name]
    if "ListItem" in name:
        await world.page("FAQ", ("faq", {"questions": [{"question": "Where?"}, {"question": "Who?"}]}))
    if "home" in arguments.values():
        await world.page("Home")
    assert await changes_of(world, name, arguments) == changes


async def test_a_tool_that_finds_everything_as_it_should_be_tells_of_no_change(world: World) -> None:
    await world.page("About", ("hero", {"heading": "We bake bread"}))
    same = {"pageSectionId": "section_1", "content": {"heading": "We bake bread"}}
    assert await changes_of(world, "cms_updateSectionContent", same) == []
    assert await changes_of(world, "cms_updatePage", {"pageId": "about", "title": "About"}) == []


async def test_a_call_that_is_made_again_tells_of_the_change_of_its_first_attempt(world: World) -> None:
    first, again = world.call(key="k"), world.call(key="k")
    replies = [await world.pages.create_page(each, CreatePage(title="Contact")) for each in (first, again)]
    assert replies[0] == replies[1]
    assert said_in(first) == said_in(again) == [f"{Changed('page', 'page_1', '1', name='Contact')} None"]


def said_in(context: Any) -> list[str]:
    """What a body has emitted in a context of the tests."""
    return context.said
