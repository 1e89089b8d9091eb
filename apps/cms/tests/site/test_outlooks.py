"""The site as it would be: what a question asks about, and what is scheduled until a time to come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.scheduling.scheduling import NOON, cancel, carry_out, expire, schedule
from apps.cms.tests.site.test_previews import path_of, root_of
from apps.cms.tests.site.visitor import Reply, make_site, visit
from apps.cms.tests.world import PREVIEW_KEY, World
from remit.errors import InvalidArgumentsError
from remit.inventory import Operations
from remit.secrets import EnvSecrets
from remit.tools import Preview
from remit_cms.navigation.navigation import Navigation
from remit_cms.navigation.payloads import AddNavigationItem
from remit_cms.operations import AllOperations
from remit_cms.pages.payloads import DeletePage
from remit_cms.posts.payloads import ArchivePost, CreatePost, DeletePost, PublishPost
from remit_cms.posts.posts import Posts
from remit_cms.publishing.payloads import PublishChangeSet, PublishPage, UnpublishPage
from remit_cms.scheduling.payloads import ExpirePage, ScheduleChangeSet, SchedulePage
from remit_cms.site.payloads import CreatePreviewLink
from remit_cms.site.preview_key import KEY_VARIABLE, PreviewKey
from remit_cms.viewing.previewing import Previews

LATER = "2026-06-02T12:00"


@pytest.fixture
def ann(world: World) -> Editor:
    return Editor(world)


class Visitor:
    """Whoever has a link to a preview."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.root = ""
        self._site = make_site(world, clock=lambda: world.database.clock().timestamp())

    async def follow(self, url: str) -> Reply:
        """What a link shows, and what then is beside it."""
        self.root = root_of(path_of(url))
        return await visit(self._site, path_of(url))

    async def look(self, path: str) -> Reply:
        return await visit(self._site, f"{self.root}{path}")

    async def look_at(self, at: str) -> Reply:
        """The home page of the site as it will be at a time."""
        payload = CreatePreviewLink(at=at)
        reply = await Previews(self._world.database, PREVIEW_KEY).create_preview_link(self._world.call(), payload)
        return await self.follow(reply.url)


@pytest.fixture
def visitor(world: World) -> Visitor:
    return Visitor(world)


async def ask(ann: Editor, tool: str, payload: Any, key: PreviewKey = PREVIEW_KEY) -> Preview:
    """What the question about a call shows."""
    world = ann.world
    subjects: dict[str, Operations] = AllOperations(world.database, Path("nowhere"), preview_key=key).by_subject()
    (found,) = [each for part in subjects.values() for each in part.callees if each.name == tool]
    described = await found.preview(found.schema_in.load(payload.model_dump_json(by_alias=True)), ann.call())
    assert isinstance(described, Preview)
    return described


async def test_the_site_at_a_time_has_all_that_is_scheduled_until_then(ann: Editor, visitor: Visitor) -> None:
    for title in ("Home", "Offer", "Old"):
        await ann.create(title)
        await ann.publish_page(title.lower())
    await ann.update("offer", title="Monday")
    await schedule(ann, "offer", NOON)
    await ann.update("offer", title="Tuesday")
    await schedule(ann, "offer", LATER)
    await expire(ann, "old", LATER)
    await ann.create("New")
    await schedule(ann, "new", LATER)
    found = dict[str, list[int]]()
    for at in ("2026-06-01T11:59", NOON, LATER):
        await visitor.look_at(at)
        found[at] = [(await visitor.look(path)).status for path in ("offer", "old", "new")]
    assert found == {"2026-06-01T11:59": [200, 200, 404], NOON: [200, 200, 404], LATER: [200, 404, 200]}
    home = await visitor.look_at(LATER)
    assert "As it will be from 2 June 2026, 12:00 UTC on" in home.text
    assert "Visitors no longer see “Old”." in home.text
    assert ">Tuesday</a>" in home.text
    assert "Tuesday" in (await visitor.look("offer")).text
    await visitor.look_at(NOON)
    assert "Monday" in (await visitor.look("offer")).text


async def test_what_is_scheduled_after_the_link_was_made_is_not_in_it_and_what_was_cancelled_neither(
    ann: Editor, visitor: Visitor
) -> None:
    for title in ("Home", "One", "Two"):
        await ann.create(title)
    await ann.publish_page("home")
    first = await schedule(ann, "one")
    await visitor.look_at(LATER)
    await schedule(ann, "two")
    assert [(await visitor.look(path)).status for path in ("one", "two")] == [200, 404]
    await cancel(ann, first)
    assert (await visitor.look("one")).status == 404


async def test_a_hidden_page_is_in_no_menu_and_nothing_links_to_it(ann: Editor, visitor: Visitor) -> None:
    world = ann.world
    for title in ("Home", "Old"):
        await ann.create(title)
        await ann.publish_page(title.lower())
    await ann.create("Links", ("text", {"content": "See [the old one](/old)."}))
    await ann.publish_page("links")
    await expire(ann, "old", NOON)
    assert "/old" not in (await visitor.look_at(NOON)).text
    assert "See the old one." in (await visitor.look("links")).text
    await Navigation(world.database).add_navigation_item(world.call(), AddNavigationItem(label="Gone", href="old"))
    await ann.publish_page("Navigation")
    assert ">Gone<" not in (await visitor.look("links")).text


async def test_a_time_that_has_passed_is_refused_and_one_beside_a_page_too(ann: Editor) -> None:
    previews = Previews(ann.world.database, PREVIEW_KEY)
    with pytest.raises(InvalidArgumentsError, match="2025-01-01 has passed"):
        await previews.create_preview_link(ann.call(), CreatePreviewLink(at="2025-01-01"))
    with pytest.raises(ValueError, match="at shows the whole site at a time; leave out pageId and changeSetId, or at"):
        CreatePreviewLink(at=NOON, page_id="about")


async def test_the_question_about_a_publication_links_to_exactly_that(ann: Editor, visitor: Visitor) -> None:
    await ann.create("About")
    await ann.publish_page("about")
    await ann.update("about", title="New title")
    asked = await ask(ann, "cms_publishPage", PublishPage(page_id="about"))
    shown = await visitor.follow(asked.link)
    assert (path_of(asked.link), "New title" in shown.text) == (f"{visitor.root}about", True)
    assert ": visitors do not see this." in shown.text
    await ann.update("about", title="Edited since")
    assert (await visitor.follow(asked.link)).status == 404
    await ann.update("about", title="New title")
    await ann.publish_page("about")
    assert "as visitors see it now." in (await visitor.follow(asked.link)).text


async def test_the_question_about_a_change_set_links_to_all_of_it(ann: Editor, visitor: Visitor) -> None:
    bob = Editor(ann.world, "bob", "tuesday")
    for title in ("Home", "One", "Two"):
        await bob.create(title)
    found = await ann.world.find_open_set()
    link = (await ask(bob, "cms_publishChangeSet", PublishChangeSet(change_set_id=found))).link
    assert (await visitor.follow(link)).status == 200
    assert path_of(link) == visitor.root
    assert [(await visitor.look(path)).status for path in ("one", "two")] == [200, 200]
    asked = ScheduleChangeSet(change_set_id=found, at=NOON)
    later = await ask(bob, "cms_scheduleChangeSet", asked)
    assert "As it will be from 1 June 2026" in (await visitor.follow(later.link)).text
    await bob.world.scheduling.schedule_change_set(bob.call(), asked)
    assert (await visitor.follow(later.link)).status == 200


async def test_the_question_about_a_schedule_links_to_the_site_at_that_time(ann: Editor, visitor: Visitor) -> None:
    for title in ("Home", "Offer", "Other"):
        await ann.create(title)
        await ann.publish_page(title.lower())
    await ann.update("other", title="Other, by then")
    await schedule(ann, "other", NOON)
    await ann.update("offer", title="Monday")
    link = (await ask(ann, "cms_schedulePage", SchedulePage(page_id="offer", at=LATER))).link
    assert "Monday" in (await visitor.follow(link)).text
    assert "Other, by then" in (await visitor.look("other")).text
    action = await schedule(ann, "offer", LATER)
    assert "Monday" in (await visitor.follow(link)).text
    await cancel(ann, action)
    await ann.update("offer", title="Not Monday")
    assert (await visitor.follow(link)).status == 404


@pytest.mark.parametrize("tool", ["cms_unpublishPage", "cms_deletePage", "cms_expirePage"])
async def test_the_question_about_hiding_links_to_the_site_without_the_page(
    ann: Editor, visitor: Visitor, tool: str
) -> None:
    for title in ("Home", "Old"):
        await ann.create(title)
        await ann.publish_page(title.lower())
    page = await ann.draft("old")
    payloads: dict[str, Any] = {
        "cms_unpublishPage": UnpublishPage(page_id="old"),
        "cms_deletePage": DeletePage(page_id=page.id, confirmed=True),
        "cms_expirePage": ExpirePage(page_id="old", at=NOON),
    }
    shown = await visitor.follow((await ask(ann, tool, payloads[tool])).link)
    assert (shown.status, "Visitors no longer see “Old”." in shown.text) == (200, True)
    assert (await visitor.look("old")).status == 404


async def test_questions_about_posts_link_to_them(ann: Editor, visitor: Visitor) -> None:
    posts = Posts(ann.world.database)
    await ann.create("Home")
    await ann.publish_page("home")
    await posts.create_post(ann.call(), CreatePost(title="News", body="We open."))
    asked = await ask(ann, "cms_publishPost", PublishPost(post_slug="news"))
    assert "We open." in (await visitor.follow(asked.link)).text
    await posts.publish_post(ann.call(), PublishPost(post_slug="news"))
    taken = {"cms_archivePost": ArchivePost(post_slug="news"), "cms_deletePost": DeletePost(post_slug="news")}
    for tool, payload in taken.items():
        await visitor.follow((await ask(ann, tool, payload)).link)
        assert [(await visitor.look(path)).status for path in ("posts/news", "posts")] == [404, 404]


@pytest.mark.parametrize("key", ["", "too short"])
async def test_without_a_key_a_question_has_no_link_and_its_view_shows_it_all_the_same(ann: Editor, key: str) -> None:
    await ann.create("About")
    none = PreviewKey(secrets=EnvSecrets(KEY_VARIABLE, environ={KEY_VARIABLE: key} if key else {}))
    asked = await ask(ann, "cms_publishPage", PublishPage(page_id="about"), none)
    assert (asked.link, asked.shows is not None) == ("", True)


async def test_a_link_ends_after_a_day(ann: Editor, visitor: Visitor) -> None:
    await ann.create("About")
    link = (await ask(ann, "cms_publishPage", PublishPage(page_id="about"))).link
    ann.world.clock.looks += 23 * 60
    assert (await visitor.follow(link)).status == 200
    ann.world.clock.looks += 2 * 60
    assert (await visitor.follow(link)).status == 404


async def test_an_action_that_was_carried_out_is_live_and_no_part_of_the_outlook(ann: Editor, visitor: Visitor) -> None:
    await ann.create("Home")
    await ann.publish_page("home")
    await ann.create("New")
    link = (await ask(ann, "cms_schedulePage", SchedulePage(page_id="new", at=NOON))).link
    action = await schedule(ann, "new")
    await carry_out(ann, action)
    assert "as visitors see it now." in (await visitor.follow(link)).text
    assert "Visitors no longer" not in (await visitor.look_at(LATER)).text
