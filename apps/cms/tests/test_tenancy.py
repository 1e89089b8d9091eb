"""Tenants are apart: what belongs to another looks in every way as if it did not exist."""

from __future__ import annotations

import itertools
import json

import pytest

from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.tools import Arguments
from remit_cms.agent import editor
from remit_cms.storage.seed import add_site
from remit_cms.tools import page_operations, section_operations

ANN = Principal("ann", "local-site", frozenset({"*"}))
OTHER = Principal("otto", "other", frozenset({"*"}))

CASES: list[tuple[str, str, dict[str, object]]] = [
    ("cms_getPage", "pageId", {}),
    ("cms_getPage", "slug", {}),
    ("cms_updatePage", "pageId", {"title": "Mine now"}),
    ("cms_deletePage", "pageId", {}),
    ("cms_getPageSections", "pageId", {}),
    ("cms_addSectionToPage", "pageId", {"definitionId": "hero"}),
    ("cms_addSectionToPage", "definitionId", {"pageId": "own"}),
    ("cms_createPage", "definitionId", {"title": "New"}),
    ("cms_createPageWithContent", "definitionId", {"title": "New"}),
    ("cms_getSectionFields", "definitionId", {}),
    ("cms_getSectionContent", "pageSectionId", {}),
    ("cms_updateSectionContent", "pageSectionId", {"content": {"heading": "Mine now"}}),
    ("cms_deletePageSection", "pageSectionId", {}),
]


@pytest.fixture
def runtime(world: World) -> Runtime:
    tools = (*page_operations(world.pages, world.search).callees, *section_operations(world.sections).callees)
    return Runtime(App(name="cms", agents=(editor(tools),), references=world.references))


async def call_text(runtime: Runtime, name: str, by: Principal, arguments: dict[str, object]) -> str:
    return (await runtime.call_by_name(name, Arguments(json.dumps(arguments), arguments), by=by)).text


def given(field: str, value: str, rest: dict[str, object]) -> dict[str, object]:
    """Arguments that name ``value``; a template is named within a section where the tool takes sections."""
    if field == "definitionId" and "title" in rest:
        return {**rest, "sections": [{"definitionId": value}]}
    return {**rest, field: value}


@pytest.mark.parametrize(("name", "field", "rest"), CASES, ids=[f"{name}-{field}" for name, field, _ in CASES])
async def test_an_id_of_another_tenant_gives_the_very_answer_of_an_unknown_one(
    world: World, runtime: Runtime, name: str, field: str, rest: dict[str, object]
) -> None:
    foreign = await world.page("Canary", ("hero", {"heading": "canary"}), tenant="other")
    await world.page("Own")
    template = json.loads(await call_text(runtime, "cms_getSectionFields", OTHER, {"definitionId": "hero"}))
    known = {
        "pageId": foreign.id,
        "slug": foreign.slug,
        "pageSectionId": foreign.sections[0].id,
        "definitionId": template["definition"]["id"],
    }[field]
    before = await world.rows()
    answer = await call_text(runtime, name, ANN, given(field, known, rest))
    unknown = "q" * len(known)
    assert answer == (await call_text(runtime, name, ANN, given(field, unknown, rest))).replace(unknown, known)
    assert json.loads(answer)["errorCode"] == "NOT_FOUND"
    assert await world.rows() == before
    kept = await call_text(runtime, "cms_getPage", OTHER, {"pageId": foreign.id, "includeContent": True})
    assert json.loads(kept)["page"]["title"] == "Canary"


@pytest.mark.parametrize("name", ["cms_getPages", "cms_findResource", "cms_searchPages", "cms_listSectionTemplates"])
async def test_lists_and_searches_show_only_ones_own(world: World, runtime: Runtime, name: str) -> None:
    await world.page("Canary", ("hero", {"heading": "canary"}), tenant="other")
    arguments: dict[str, object] = {"query": "canary"} if "Pages" not in name or "search" in name else {}
    if name in ("cms_getPages", "cms_listSectionTemplates"):
        arguments = {}
    mine, theirs = [await call_text(runtime, name, by, arguments) for by in (ANN, OTHER)]
    assert json.loads(mine)["success"] is True
    assert "page_" not in mine
    if name != "cms_listSectionTemplates":
        assert "page_1" in theirs
    ids = {row["id"] for row in json.loads(mine).get("templates", [])}
    assert ids.isdisjoint({row["id"] for row in json.loads(theirs).get("templates", [])})


async def test_a_slug_of_another_tenant_is_free(world: World) -> None:
    await world.page("About", tenant="other")
    assert (await world.page("About")).slug == "about"


async def add_shop(world: World) -> None:
    numbers = itertools.count()
    async with world.database.write() as session:
        await add_site(
            session,
            "local-site",
            "shop",
            clock=world.database.clock,
            new_id=lambda kind: f"shop_{kind}_{next(numbers)}",
        )


async def titles(runtime: Runtime, by: Principal, target: str) -> str:
    result = await runtime.call_by_name("cms_getPages", Arguments("{}", {}), by=by, target=target)
    found = json.loads(result.text)
    return found["errorCode"] if "errorCode" in found else ", ".join(page["title"] for page in found["pages"])


async def create(runtime: Runtime, by: Principal, title: str, target: str) -> str:
    arguments = {"title": title}
    raw = Arguments(json.dumps(arguments), arguments)
    return (await runtime.call_by_name("cms_createPage", raw, by=by, target=target)).status


async def test_the_target_of_a_run_is_the_site_that_its_calls_see_and_change(world: World, runtime: Runtime) -> None:
    await add_shop(world)
    for title, target in (("Home", ""), ("Cart", "shop"), ("Till", "shop/main")):
        assert await create(runtime, ANN, title, target) == "done"
    for target, expected in (("", "Home"), ("local-site", "Home"), ("shop/main", "Cart, Till"), ("shop", "Cart, Till")):
        assert sorted((await titles(runtime, ANN, target)).split(", ")) == expected.split(", ")
    unknown = {
        await titles(runtime, ANN, each) for each in ("nothing", "other-site", "shop/test", "Shop", "shop/main/x")
    }
    assert unknown == {"NOT_FOUND"}
    found = await runtime.call_by_name("cms_getPage", Arguments('{"slug":"cart"}', {"slug": "cart"}), by=ANN)
    assert "There is no page 'cart'" in found.text


async def test_a_permission_for_a_site_reaches_no_other_site(world: World, runtime: Runtime) -> None:
    await add_shop(world)
    bea = Principal("bea", "local-site", frozenset({"cms:read", "cms:write@shop/*"}))
    targets = ("shop/main", "shop", "local-site/main", "", "other-site/main", "shop/test")
    statuses = [await create(runtime, bea, f"Page {number}", target) for number, target in enumerate(targets)]
    assert statuses == ["done", "failed", "failed", "failed", "failed", "failed"]
    assert await titles(runtime, ANN, "shop") == "Page 0"
    assert await titles(runtime, ANN, "local-site") == ""
