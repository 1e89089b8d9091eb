"""What people see of the site beside the editor, on real previews."""

from __future__ import annotations

import json
import re
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.world import HOME, PREVIEW_KEY, World
from remit import Principal, Runtime
from remit.object_views import ObjectDetail, ObjectView, Viewer
from remit.secrets import EnvSecrets
from remit.tools import Arguments
from remit_cms.app import build
from remit_cms.pages.payloads import UpdatePage
from remit_cms.publishing.change_sets import ChangeSets
from remit_cms.publishing.payloads import DiscardChangeSet, PublishChangeSet, RevertChangeSet
from remit_cms.site.preview_key import KEY_VARIABLE, PreviewKey
from remit_cms.views import object_views

ANN = Viewer(principal=Principal("ann", "local-site", frozenset({"cms:read"})))
UNPERMITTED = Viewer(principal=Principal("eve", "local-site"))
OTHER = Viewer(principal=Principal("oz", "other", frozenset({"*"})))
MOUNTED = "/views/site"


@pytest.fixture
def views(world: World, tmp_path: Path) -> dict[str, ObjectView]:
    return {each.kind: each for each in object_views(world.database, tmp_path, PREVIEW_KEY)}


async def visit(view: ObjectView, path: str) -> tuple[int, str]:
    """What a browser gets at an address of the site of a view, where a server has mounted it."""
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": b""}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    assert view.site is not None
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": MOUNTED + path,
        "root_path": MOUNTED,
        "headers": [],
    }
    await view.site(scope, receive, send)
    start, body = sent
    return start["status"], body["body"].decode("utf-8", "replace")


async def open_object(view: ObjectView, viewer: Viewer, name: str) -> ObjectDetail:
    """An object by its name in the list."""
    (row,) = [each for each in await view.rows(viewer) if each.name == name]
    found = await view.detail(viewer, row.id)
    assert found is not None
    return found


async def test_a_page_is_shown_as_visitors_see_it_and_as_its_draft_is(
    world: World, views: dict[str, ObjectView]
) -> None:
    await world.populate()
    found = await open_object(views["page"], ANN, "Lively")
    (page,) = found.pages
    assert [(each.where, each.before, each.after) for each in found.changes] == [("title", "Live", "Lively")]
    (before_status, before), (after_status, after) = [
        await visit(views["page"], each) for each in (page.before, page.after)
    ]
    assert (before_status, after_status) == (200, 200)
    assert "<h1>Live</h1>" in before or ">Live<" in before
    assert ">Lively<" in after
    assert [each.label for each in found.actions] == ["Move to trash…", "Publish…"]


@pytest.mark.parametrize("title", ["Lively", "About"])
async def test_every_action_of_a_page_opens_a_question_about_it(
    world: World, views: dict[str, ObjectView], tmp_path: Path, title: str
) -> None:
    await world.populate()
    may = Principal("ann", "local-site", frozenset({"*"}))
    runtime = Runtime(build(tmp_path, database=world.database).app)
    for action in (await open_object(views["page"], ANN, title)).actions:
        arguments = dict(action.arguments)
        called = await runtime.call_by_name(action.tool, Arguments(json.dumps(arguments), arguments), by=may)
        (row,) = [each for each in await runtime.store.list_questions() if each.question.tool == action.tool]
        asked = json.loads(row.question.arguments)
        assert (asked["pageId"]["id"], asked.get("confirmed", True)) == (arguments["pageId"], True), called.text


async def test_links_and_images_of_a_preview_lead_to_where_it_is_mounted(
    world: World, views: dict[str, ObjectView]
) -> None:
    await world.populate()
    (page,) = (await open_object(views["page"], ANN, "About")).pages
    _, html = await visit(views["page"], page.after)
    addresses = re.findall(r'(?:src|href)="(/[^"]*)"', html)
    assert addresses
    assert [each for each in addresses if not each.startswith(f"{MOUNTED}/{HOME.site}/{HOME.environment}/")] == []
    images = [each for each in addresses if "/images/" in each]
    assert images
    assert {(await visit(views["page"], each.removeprefix(MOUNTED)))[0] for each in images} == {200}


async def test_a_new_page_has_nothing_before_it_and_one_without_edits_nothing_to_publish(
    world: World, views: dict[str, ObjectView]
) -> None:
    await world.populate()
    about = await open_object(views["page"], ANN, "About")
    assert (about.pages[0].before, about.note) == ("", "draft, visitors do not see it")
    news = await open_object(views["entry"], ANN, "News")
    assert (news.pages[0].before, news.changes) == (news.pages[0].after, ())
    assert [each.label for each in news.actions] == []


async def test_an_open_set_shows_all_its_documents_and_every_difference(
    world: World, views: dict[str, ObjectView]
) -> None:
    await world.populate()
    (row,) = [each for each in await views["change-set"].rows(ANN) if each.group == "Open"]
    found = await views["change-set"].detail(ANN, row.id)
    assert found is not None
    assert [each.title for each in found.pages] == ["Lively"]
    assert [each.where for each in found.changes] == ["Lively: title"]
    assert [(each.label, each.tool) for each in found.actions] == [
        ("Discard…", "cms_discardChangeSet"),
        ("Publish…", "cms_publishChangeSet"),
    ]
    assert found.blocked == ""
    assert ">Lively<" in (await visit(views["change-set"], found.pages[0].after))[1]


async def test_a_set_that_builds_on_edits_of_others_says_what_is_in_the_way(
    world: World, views: dict[str, ObjectView]
) -> None:
    await world.page("New")
    await world.pages.update_page(world.call(conversation="monday"), UpdatePage(page_id="new", title="Newer"))
    (blocked,) = await views["change-set"].rows(ANN)
    assert blocked.needs_person
    found = await views["change-set"].detail(ANN, blocked.id)
    assert found is not None
    assert "build on unpublished edits by ann that belong to no change set" in found.blocked
    assert [each.label for each in found.actions] == ["Discard…"]


async def test_a_published_set_can_be_taken_back_while_nobody_has_published_since(
    world: World, views: dict[str, ObjectView]
) -> None:
    await world.populate()
    rows = [each for each in await views["change-set"].rows(ANN) if each.group == "Published"]
    (row,) = [each for each in rows if each.name.startswith("Edits by")]
    found = await views["change-set"].detail(ANN, row.id)
    assert found is not None
    assert (found.pages[0].before, [each.label for each in found.actions]) == ("", ["Take back…"])
    assert (found.is_past, found.pages[0].note) == (True, "new")
    assert re.match(
        r"Published by ann on \d+ \w+ \d{4}, \d\d:\d\d UTC\. \d+ documents?, \d+ differences?\.", found.note
    )
    await ChangeSets(world.database).publish_change_set(world.call(conversation="monday"), PublishChangeSet())
    since = await views["change-set"].detail(ANN, row.id)
    assert since is not None
    assert "has since changed what visitors see" in since.blocked
    assert since.actions == ()


async def test_a_set_that_was_taken_back_or_discarded_says_what_became_of_it(
    world: World, views: dict[str, ObjectView]
) -> None:
    await world.populate()
    sets = ChangeSets(world.database)
    rows = await views["change-set"].rows(ANN)
    (published,) = [each.id for each in rows if each.group == "Published" and each.name.startswith("Edits by")]
    (opened,) = [each.id for each in rows if each.group == "Open"]
    await sets.discard_change_set(world.call(conversation="monday"), DiscardChangeSet(change_set_id=opened))
    await sets.revert_change_set(world.call(), RevertChangeSet(change_set_id=published))
    notes = [found.note for each in (published, opened) if (found := await views["change-set"].detail(ANN, each))]
    assert [each.partition(":")[0] for each in notes] == ["Taken back", "Discarded"]


async def test_who_may_not_read_sees_nothing_and_another_tenant_only_its_own(
    world: World, views: dict[str, ObjectView]
) -> None:
    await world.populate()
    for view in views.values():
        assert await view.rows(UNPERMITTED) == ()
        assert await view.rows(OTHER) == ()
    (row,) = [each for each in await views["page"].rows(ANN) if each.name == "About"]
    (opened,) = [each for each in await views["change-set"].rows(ANN) if each.group == "Open"]
    for viewer in (UNPERMITTED, OTHER):
        assert await views["page"].detail(viewer, row.id) is None
        assert await views["change-set"].detail(viewer, opened.id) is None


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/local-site/main/",
        "/local-site/main/live",
        "/local-site/main/preview/forged/about",
        "/elsewhere/main/preview/forged/about",
        "/elsewhere/main/images/abc/320.webp",
        "/local-site/main/images/abc/320.webp",
        "/local-site/main/../../secret",
    ],
)
async def test_nothing_but_previews_and_their_images_is_served_and_nobody_learns_which_sites_there_are(
    world: World, views: dict[str, ObjectView], path: str
) -> None:
    await world.populate()
    assert await visit(views["page"], path) == (404, "There is no such preview, or it has expired.")


async def test_a_link_ends_and_holds_for_no_other_site(world: World, views: dict[str, ObjectView]) -> None:
    await world.populate()
    (page,) = (await open_object(views["page"], ANN, "About")).pages
    elsewhere = page.after.replace("/local-site/", "/other-site/")
    assert (await visit(views["page"], elsewhere))[0] == 404
    world.clock.looks += 60
    assert (await visit(views["page"], page.after))[0] == 404


async def test_without_a_key_of_the_operator_links_hold_in_this_process(world: World, tmp_path: Path) -> None:
    await world.populate()
    none = PreviewKey(secrets=EnvSecrets(KEY_VARIABLE, environ={}))
    (first, second) = [
        {each.kind: each for each in object_views(world.database, tmp_path, none)}["page"] for _ in range(2)
    ]
    (page,) = (await open_object(first, ANN, "About")).pages
    assert (await visit(first, page.after))[0] == 200
    assert (await visit(second, page.after))[0] == 404


async def test_every_action_is_a_tool_that_takes_its_arguments(world: World, views: dict[str, ObjectView]) -> None:
    await world.populate()
    tools = {each.name: each for each in world.tools}
    tried = 0
    for view in views.values():
        for row in await view.rows(ANN):
            found = await view.detail(ANN, row.id)
            assert found is not None
            for action in found.actions:
                properties = tools[action.tool].schema_in.json_schema["properties"]
                assert action.arguments.keys() - {"confirmed"} <= properties.keys()  # accepted, and told to no model
                tried += 1
    assert tried > 4
