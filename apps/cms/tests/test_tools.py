"""The tools: names, facts, schemas, and every one of them through the runtime."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.cms.tests.world import World
from remit import App, Effect, LeafContext, Principal, Risk, Runtime
from remit.stores import InMemoryStore
from remit.testing import Scripted, calls
from remit.tools import Arguments
from remit_cms.agent import editor
from remit_cms.pages.pages import Pages
from remit_cms.pages.payloads import CreatePage, PageWriteReply
from remit_cms.tools import AnyTool, page_operations, section_operations

READS = {
    "cms_getPages": ["limit", "localeCode"],
    "cms_getPage": ["pageId", "includeContent", "localeCode"],
    "cms_findResource": ["query", "limit"],
    "cms_getLinksHere": ["pageId"],
    "cms_searchPages": ["query", "limit", "localeCode"],
    "cms_getPageSections": ["pageId", "includeContent", "localeCode"],
    "cms_getSectionContent": ["pageId", "pageSectionId", "localeCode"],
    "cms_getSectionFields": ["definitionId"],
    "cms_listSectionTemplates": [],
}
CREATES = {
    "cms_createPage": ["title", "slug", "sections"],
    "cms_createPageWithContent": ["title", "slug", "sections"],
    "cms_copyPage": ["pageId", "title", "slug"],
    "cms_addListItem": ["pageId", "pageSectionId", "item", "position", "localeCode"],
    "cms_addSectionToPage": ["definitionId", "content", "pageId", "localeCode"],
}
UPDATES = {
    "cms_updatePage": ["pageId", "title"],
    "cms_updatePageMeta": ["pageId", "title", "description", "indexing", "localeCode"],
    "cms_translatePage": ["pageId", "localeCode", "title", "slug"],
    "cms_movePage": ["pageId", "slug", "parentId"],
    "cms_updateListItem": ["pageId", "pageSectionId", "itemId", "item", "localeCode"],
    "cms_moveListItem": ["pageId", "pageSectionId", "itemId", "position"],
    "cms_removeListItem": ["pageId", "pageSectionId", "itemId"],
    "cms_moveSection": ["pageId", "pageSectionId", "sortOrder", "newPageId"],
    "cms_updateSectionContent": ["pageId", "pageSectionId", "content", "localeCode"],
}
DELETES = {
    "cms_deletePage": ["pageId"],
    "cms_deletePageSection": ["pageId", "pageSectionId"],
}
ALL = {**READS, **CREATES, **UPDATES, **DELETES}


@pytest.fixture
def tools(world: World) -> dict[str, AnyTool]:
    made = (*page_operations(world.pages, world.search).callees, *section_operations(world.sections).callees)
    return {tool.name: tool for tool in made}


@pytest.fixture
def runtime(world: World, tools: dict[str, AnyTool]) -> Runtime:
    return Runtime(App(name="cms", agents=(editor(tools.values()),), references=world.references))


def test_the_tools_are_those_that_are_documented(tools: dict[str, AnyTool]) -> None:
    assert set(tools) == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_the_parameters_are_named_as_documented(tools: dict[str, AnyTool], name: str) -> None:
    schema = tools[name].schema_in.json_schema
    assert list(schema.get("properties", {})) == ALL[name]


@pytest.mark.parametrize("name", ALL)
def test_every_parameter_is_described_and_of_one_plain_type(tools: dict[str, AnyTool], name: str) -> None:
    for parameter, schema in tools[name].schema_in.json_schema.get("properties", {}).items():
        assert schema.get("description"), f"{name}.{parameter}"
        assert "type" in schema or "$ref" in schema, f"{name}.{parameter}"
        assert schema.get("default", ...) is not None, f"{name}.{parameter}"


@pytest.mark.parametrize(
    ("names", "effect", "risk", "permission"),
    [
        (READS, Effect.PURE, Risk.SAFE, "cms:read"),
        (CREATES, Effect.KEYED, Risk.SAFE, "cms:write"),
        (UPDATES, Effect.KEYED, Risk.MODERATE, "cms:write"),
        (DELETES, Effect.KEYED, Risk.HIGH, "cms:delete"),
    ],
    ids=["reads", "creates", "updates", "deletes"],
)
def test_the_facts_follow_the_kind_of_operation(
    tools: dict[str, AnyTool], names: dict[str, list[str]], effect: Effect, risk: Risk, permission: str
) -> None:
    for name in names:
        facts = tools[name].facts
        assert (facts.effect, facts.risk, facts.permissions) == (effect, risk, {permission}), name
        assert facts.confirm == ("confirmed" if names is DELETES else None), name
        assert facts.tags, name


ANN = Principal("ann", "local-site", frozenset({"cms:*", "approvals:decide"}))


async def call(runtime: Runtime, name: str, by: Principal = ANN, /, **arguments: object) -> dict[str, Any]:
    """What a model would read."""
    result = await runtime.call_by_name(name, Arguments(json.dumps(arguments), dict(arguments)), by=by)
    return json.loads(result.text)


async def test_every_tool_works_through_the_runtime(runtime: Runtime) -> None:
    hero = {"definitionId": "hero", "content": {"heading": "We bake bread"}}

    async def item(verb: str, **arguments: object) -> dict[str, Any]:
        return await call(runtime, f"cms_{verb}ListItem", pageSectionId="faq/s1", **arguments)

    await call(runtime, "cms_createPage", title="FAQ", sections=[{"definitionId": "faq"}])
    replies = {
        "cms_createPage": await call(runtime, "cms_createPage", title="Contact"),
        "cms_createPageWithContent": await call(runtime, "cms_createPageWithContent", title="About", sections=[hero]),
        "cms_getPages": await call(runtime, "cms_getPages"),
        "cms_getPage": await call(runtime, "cms_getPage", slug="about", includeContent=True),
        "cms_updatePage": await call(runtime, "cms_updatePage", pageId="about", meta={"description": "Us."}),
        "cms_updatePageMeta": await call(runtime, "cms_updatePageMeta", pageId="about", description="All of us."),
        "cms_translatePage": await call(runtime, "cms_translatePage", pageId="about", localeCode="de", title="Wir"),
        "cms_copyPage": await call(runtime, "cms_copyPage", pageId="about", title="Copy"),
        "cms_movePage": await call(runtime, "cms_movePage", pageId="copy", parentId="contact"),
        "cms_getLinksHere": await call(runtime, "cms_getLinksHere", pageId="about"),
        "cms_findResource": await call(runtime, "cms_findResource", query="abuot"),
        "cms_searchPages": await call(runtime, "cms_searchPages", query="bread"),
        "cms_getPageSections": await call(runtime, "cms_getPageSections", pageId="about"),
        "cms_getSectionContent": await call(runtime, "cms_getSectionContent", pageSectionId="about/s1"),
        "cms_getSectionFields": await call(runtime, "cms_getSectionFields", definitionId="hero"),
        "cms_listSectionTemplates": await call(runtime, "cms_listSectionTemplates"),
        "cms_addSectionToPage": await call(
            runtime, "cms_addSectionToPage", pageId="about", definitionId="text", content={"content": "Hi"}
        ),
        "cms_addListItem": await item("add", item={"question": "When?"}),
        "cms_updateListItem": await item("update", itemId="when?", item={"answer": "At nine."}),
        "cms_moveListItem": await item("move", itemId="i1", position=0),
        "cms_removeListItem": await item("remove", itemId="i1"),
        "cms_moveSection": await call(runtime, "cms_moveSection", pageSectionId="about/s1", sortOrder=1),
        "cms_updateSectionContent": await call(
            runtime, "cms_updateSectionContent", pageSectionId="about/hero", content={"heading": "Bread"}
        ),
    }
    assert {name: reply["success"] for name, reply in replies.items()} == dict.fromkeys(set(ALL) - set(DELETES), True)
    assert replies["cms_getPage"]["page"]["sections"][0]["content"] == {"heading": "We bake bread"}
    assert [match["slug"] for match in replies["cms_searchPages"]["matches"]] == ["contact/copy", "about"]


@pytest.mark.parametrize(
    ("name", "arguments", "code", "said"),
    [
        ("cms_getPage", {"slug": "nope"}, "NOT_FOUND", "There is no page 'nope'"),
        ("cms_getPage", {}, "VALIDATION_ERROR", "pageId: Field required"),
        ("cms_createPage", {"title": "About"}, "ALREADY_EXISTS", "a page with this slug already"),
        ("cms_createPage", {"title": "X", "colour": "red"}, "VALIDATION_ERROR", "Parameters: title, slug, sections"),
        ("cms_searchPages", {"query": "x", "limit": "5"}, "VALIDATION_ERROR", "limit"),
        (
            "cms_updatePage",
            {"pageId": "about", "title": "T", "ifUnchanged": "7"},
            "VALIDATION_ERROR",
            "is not a token of",
        ),
        (
            "cms_updatePage",
            {"pageId": "about", "title": "T", "expectedRevision": 7},
            "VALIDATION_ERROR",
            "expectedRevision",
        ),
        ("cms_addSectionToPage", {"pageId": "about", "definitionId": "x"}, "NOT_FOUND", "Existing templates: call"),
    ],
)
async def test_what_goes_wrong_is_said_with_its_code_so_that_a_model_can_mend_it(
    world: World, runtime: Runtime, name: str, arguments: dict[str, object], code: str, said: str
) -> None:
    await world.page("About")
    reply = await call(runtime, name, **arguments)
    assert (reply["success"], reply["errorCode"]) == (False, code)
    assert said in reply["error"]


async def test_a_reader_may_read_and_no_more(world: World, runtime: Runtime) -> None:
    await world.page("About")
    reader = Principal("rita", "local-site", frozenset({"cms:read"}))
    assert (await call(runtime, "cms_getPage", reader, slug="about"))["success"] is True
    for name, arguments in (
        ("cms_createPage", {"title": "More"}),
        ("cms_updatePage", {"pageId": "about", "title": "More"}),
        ("cms_deletePage", {"pageId": "page_1", "confirmed": True}),
    ):
        reply = await call(runtime, name, reader, **arguments)
        assert (reply["cancelled"], reply["errorCode"]) == (True, "PERMISSION_DENIED")
    assert (await world.rows())["revisions"] == 1


@pytest.mark.parametrize("what", ["page", "section"])
async def test_what_was_edited_after_the_yes_is_not_deleted_but_asked_about_anew(
    world: World, runtime: Runtime, what: str
) -> None:
    page = await world.page("About", ("hero", {"heading": "We bake bread"}), ("text", {"content": "Daily."}))
    name = "cms_deletePage" if what == "page" else "cms_deletePageSection"
    target = {"pageId": page.id} if what == "page" else {"pageSectionId": page.sections[0].id}
    arguments: dict[str, Any] = {**target, "confirmed": True}
    waiting = await runtime.call_by_name(name, Arguments(json.dumps(arguments), arguments), by=ANN)
    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    await call(runtime, "cms_updatePage", pageId="about", title="History")
    again = await runtime.resume(waiting.run)
    assert (again.status, (await world.rows())["pages"]) == ("waiting", 1)
    row = await runtime.store.find_question(again.questions[0])
    assert row is not None
    assert "'History'" in row.question.shown
    assert "it was the " in row.question.why
    assert "'About'" in row.question.why
    await runtime.decide(again.questions[0], approved=True, by=ANN)
    assert json.loads((await runtime.resume(waiting.run)).text)["success"] is True


async def test_a_confirmed_delete_waits_for_a_person(world: World, runtime: Runtime) -> None:
    page = await world.page("About")
    asked = await call(runtime, "cms_deletePage", pageId=page.id)
    assert (asked["success"], asked["requiresConfirmation"]) == (False, True)
    arguments: dict[str, Any] = {"pageId": page.id, "confirmed": True}
    waiting = await runtime.call_by_name("cms_deletePage", Arguments(json.dumps(arguments), arguments), by=ANN)
    assert (waiting.status, (await world.rows())["pages"]) == ("waiting", 1)
    await runtime.decide(waiting.questions[0], approved=True, by=ANN)
    done = await runtime.resume(waiting.run)
    assert json.loads(done.text)["success"] is True
    assert (await world.rows())["pages"] == 0


async def test_a_refused_delete_deletes_nothing(world: World, runtime: Runtime) -> None:
    page = await world.page("About")
    arguments: dict[str, Any] = {"pageId": page.id, "confirmed": True}
    waiting = await runtime.call_by_name("cms_deletePage", Arguments(json.dumps(arguments), arguments), by=ANN)
    await runtime.decide(waiting.questions[0], approved=False, by=ANN, reason="we need it")
    reply = json.loads((await runtime.resume(waiting.run)).text)
    assert (reply["success"], reply["cancelled"]) == (False, True)
    assert (await world.rows())["pages"] == 1


class Crash(BaseException):
    """The process dies here."""


class Dying(Pages):
    """Dies once, after its page was committed and before anybody heard of it."""

    died = False

    async def create_page(self, ctx: LeafContext, payload: CreatePage) -> PageWriteReply:
        """Create a page."""
        reply = await super().create_page(ctx, payload)
        if not self.died:
            self.died = True
            raise Crash
        return reply


async def test_a_write_whose_process_died_after_the_commit_is_there_once_after_the_resume(world: World) -> None:
    pages = Dying(world.database)
    store = InMemoryStore()
    first, second = (
        Runtime(
            App(
                name="cms",
                agents=(editor(page_operations(pages, world.search).callees),),
                references=world.references,
            ),
            store=store,
            make_run_id=lambda: "run-1",
            directory=lambda _name, _tenant: ANN,
        )
        for _ in range(2)
    )
    with pytest.raises(Crash):
        await call(first, "cms_createPage", title="About")
    assert (await world.rows())["pages"] == 1
    result = await second.resume("run-1")
    assert json.loads(result.text)["page"]["id"] == "page_1"
    assert (await world.rows())["pages"] == 1


@pytest.mark.parametrize("conversation", [False, True], ids=["asked", "announced"])
async def test_the_person_who_is_asked_sees_what_would_be_deleted(
    world: World, tools: dict[str, AnyTool], conversation: bool
) -> None:
    page = await world.page("About", ("hero", {"heading": "We bake bread"}), ("text", {"content": "Daily."}))
    section = page.sections[0]
    wanted = (
        calls(("cms_deletePage", {"pageId": page.id, "confirmed": not conversation})),
        calls(("cms_deletePageSection", {"pageSectionId": section.id, "confirmed": not conversation})),
    )
    shown = list[str]()
    for index, each in enumerate(wanted):
        app = App(name="cms", agents=(editor(tools.values()),), references=world.references)
        runtime = Runtime(app, store=(store := InMemoryStore()), model=Scripted([each, "done"]))
        await runtime.run("go", by=ANN, conversation=f"c{index}" if conversation else "")
        shown += [row.question.shown for row in await store.list_questions()]
    assert shown == [
        "the page 'About' (/about) with 2 sections (hero, text)",
        "the section hero 'We bake bread' from page 'About' (/about)",
    ]
