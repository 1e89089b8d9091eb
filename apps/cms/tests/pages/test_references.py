"""A page or section is named by id, slug or title, and who approves a deletion sees which it is."""

from __future__ import annotations

import json
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.world import World
from remit import App, Principal, Runtime
from remit.runtime import RunResult
from remit.tools import Arguments
from remit_cms.pages.references import DocumentReferences
from remit_cms.posts.payloads import CreatePost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.history import History
from remit_cms.publishing.payloads import RevertPage
from remit_cms.sections.payloads import AddSectionToPage, DeletePageSection, GetPageSections, MoveSection
from remit_cms.tools import page_operations, section_operations

ANN = Principal("ann", "local-site", frozenset({"*"}))


@pytest.fixture
def runtime(world: World) -> Runtime:
    tools = (*page_operations(world.pages, world.search).callees, *section_operations(world.sections).callees)
    return Runtime(App(name="cms", tools=tools, references=world.references))


async def call(runtime: Runtime, name: str, **arguments: object) -> RunResult[Any]:
    return await runtime.call_by_name(name, Arguments(json.dumps(arguments), arguments), by=ANN)


async def test_a_document_is_called_what_people_call_it(world: World) -> None:
    await world.page("About")
    await Posts(world.database).create_post(world.call(), CreatePost(title="We open", body="At nine."))
    finder = DocumentReferences(world.database)
    found = [(await finder.find_candidates(world.call(), name))[0] for name in ("about", "we-open")]
    assert [each.noun for each in found] == ["page", "post"]


@pytest.mark.parametrize("said", ["page_1", "about-us", "/about-us", "About us", "ABOUT US", "about_us", "/About_us"])
async def test_a_page_is_renamed_by_id_slug_or_title(world: World, runtime: Runtime, said: str) -> None:
    page = await world.page("About us")
    await world.page("About")
    reply = json.loads((await call(runtime, "cms_updatePage", pageId=said, title="Who we are")).text)
    assert (reply["page"]["id"], reply["page"]["title"]) == (page.id, "Who we are")


async def test_a_title_that_two_pages_have_is_answered_with_both(world: World, runtime: Runtime) -> None:
    for slug in ("team", "team-2"):
        await call(runtime, "cms_createPage", title="Team", slug=slug)
    reply = json.loads((await call(runtime, "cms_deletePage", pageId="Team", confirmed=True)).text)
    assert reply["errorCode"] == "VALIDATION_ERROR"
    assert 'page_1 "Team" (team), revision 1, page_2 "Team" (team-2), revision 1; each has an id' in reply["error"]
    assert "page_2" in (await call(runtime, "cms_deletePage", pageId="team-2", confirmed=False)).text


async def test_a_page_that_is_not_there_is_answered_with_similar_ones(world: World, runtime: Runtime) -> None:
    await world.page("Opening hours")
    await world.page("Secret", tenant="other")
    reply = json.loads((await call(runtime, "cms_deletePage", pageId="Opening hour")).text)
    assert reply["error"] == (
        "There is no page 'Opening hour'. Did you mean 'Opening hours' (/opening-hours, id page_1)? "
        "cms_getPages lists the pages."
    )
    reply = json.loads((await call(runtime, "cms_deletePage", pageId="secret")).text)
    assert reply["error"] == "There is no page 'secret'. cms_getPages lists the pages."


async def test_the_approver_sees_the_page_and_what_was_edited_since_is_asked_about_anew(
    world: World, runtime: Runtime
) -> None:
    page = await world.page("About us")
    waiting = await call(runtime, "cms_deletePage", pageId="about us", confirmed=True)
    row = await runtime.store.find_question(waiting.questions[0])
    assert row is not None
    assert row.question.shown.splitlines()[0] == "“about us” is the page “About us”, revision 1"
    await runtime.decide(row.question.id, approved=True, by=ANN)
    await call(runtime, "cms_updatePage", pageId=page.id, title="We")
    again = await runtime.resume(waiting.run)
    assert (again.status, (await world.rows())["pages"]) == ("waiting", 1)
    await runtime.decide(again.questions[0], approved=True, by=ANN)
    assert (await runtime.resume(waiting.run)).status == "done"
    assert (await world.rows())["pages"] == 0
    assert (await runtime.replay(waiting.run)).is_identical


@pytest.mark.parametrize(
    "said",
    [
        *("section_1", "about-us/hero", "/about-us/hero", "About us/hero", "page_1/hero", "About us/We bake"),
        *("about-us/WE BAKE", "about-us/Wir backen", "We bake"),
    ],
)
async def test_a_section_is_changed_by_id_or_by_page_and_template_or_heading(
    world: World, runtime: Runtime, said: str
) -> None:
    await world.page("About us", ("hero", {"heading": "We bake"}), ("text", {"heading": "Our oven", "content": "Hot."}))
    await world.page("Contact", ("hero", {"heading": "Call us"}))
    german = {"pageSectionId": "section_1", "localeCode": "de", "content": {"heading": "Wir backen"}}
    await call(runtime, "cms_updateSectionContent", **german)
    text = (await call(runtime, "cms_updateSectionContent", pageSectionId=said, content={"heading": "Bread"})).text
    assert json.loads(text)["section"]["id"] == "section_1"
    assert await Editor(world).content("section_1") == {"heading": "Bread"}


async def test_a_template_that_two_sections_have_is_answered_with_both(world: World, runtime: Runtime) -> None:
    await world.page("About", ("hero", {"heading": "We bake"}), ("quote", {"content": "Good."}))
    await world.page("Contact", ("hero", {"heading": "Call us"}))
    text = (await call(runtime, "cms_deletePageSection", pageSectionId="hero", confirmed=True)).text
    assert "section_1" in text
    assert "section_3" in text
    waiting = await call(runtime, "cms_deletePageSection", pageSectionId="quote", confirmed=True)
    row = await runtime.store.find_question(waiting.questions[0])
    assert row is not None
    assert json.loads(row.question.arguments)["pageSectionId"]["id"] == "section_2"


async def test_a_page_is_read_by_its_title_unless_two_have_it(world: World, runtime: Runtime) -> None:
    await world.page("About us")
    assert json.loads((await call(runtime, "cms_getPage", pageId="about us")).text)["page"]["id"] == "page_1"
    for slug in ("team", "team-2"):
        await call(runtime, "cms_createPage", title="Our team", slug=slug)
    reply = json.loads((await call(runtime, "cms_getPageSections", pageId="Our team")).text)
    assert reply["errorCode"] == "VALIDATION_ERROR"
    assert reply["error"] == (
        "'Our team' may mean 'Our team' (/team, id page_2), 'Our team' (/team-2, id page_3); "
        "give the id or slug of one."
    )


async def test_a_section_is_named_by_its_number_on_the_page_which_stays_when_others_move_or_go(world: World) -> None:
    for title in ("About", "Team"):
        await world.page(title, ("hero", {}), ("text", {}), ("text", {}))
    sections = world.sections
    await sections.delete_page_section(world.call(), DeletePageSection(page_section_id="section_3", confirmed=True))
    await sections.move_section(world.call(), MoveSection(page_section_id="section_2", sort_order=0))
    added = await sections.add_section_to_page(world.call(), AddSectionToPage(page_id="about", definition_id="text"))
    assert added.section.ref == "about/s4"
    found = await world.references["section"](world.call(), "About/s2")
    assert [(each.id, "about/s2" in each.aliases) for each in found if "About/s2" in each.aliases] == [
        ("section_2", True)
    ]
    assert len([each for each in await world.references["section"](world.call(), "s2") if "s2" in each.aliases]) == 2
    await History(world.database).revert_page(world.call(), RevertPage(page_id="about", revision=1))
    listed = GetPageSections(page_id="about", include_content=True)
    again = (await sections.get_page_sections(world.call(), listed)).sections
    assert [each.ref for each in again] == ["about/s1", "about/s2", "about/s3"]
    added = await sections.add_section_to_page(world.call(), AddSectionToPage(page_id="about", definition_id="text"))
    assert added.section.ref == "about/s5"


@pytest.mark.parametrize("said", ["visit", "/visit", "hours", "/hours", "de/visit", "/de/hours"])
async def test_a_page_is_found_by_the_addresses_that_visitors_use(world: World, runtime: Runtime, said: str) -> None:
    ann = Editor(world, "ann", "monday")
    await ann.create("Hours")
    await ann.publish()
    await ann.update("hours", slug="visit", title="Visit us")
    await ann.publish()
    await ann.update("page_1", slug="find-us", title="Find us")
    reply = json.loads((await call(runtime, "cms_getPage", slug=said)).text)
    assert reply["page"]["id"] == "page_1"
    reply = json.loads((await call(runtime, "cms_updatePage", pageId=said, indexing=False)).text)
    assert reply["page"]["id"] == "page_1"
    await ann.create("Visit")
    assert (await ann.draft("visit")).id == "page_2", "a draft with the slug comes first"


@pytest.mark.parametrize("said", ["Über uns", "ÜBER UNS", "über uns", "U\u0308ber uns", " Über uns "])
async def test_a_title_in_any_script_is_read_and_changed_alike(world: World, runtime: Runtime, said: str) -> None:
    await call(runtime, "cms_createPage", title="Über uns", slug="about")
    await call(runtime, "cms_createPage", title="Contact", slug="contact")
    await call(runtime, "cms_translatePage", pageId="contact", localeCode="de", title="ÖFFNUNGSZEITEN")
    for tool, more in (("cms_getPage", {}), ("cms_getPageSections", {}), ("cms_updatePage", {"indexing": False})):
        reply = json.loads((await call(runtime, tool, pageId=said, **more)).text)
        assert reply["success"], (tool, reply)
    assert json.loads((await call(runtime, "cms_getPage", pageId="Öffnungszeiten")).text)["page"]["slug"] == "contact"
