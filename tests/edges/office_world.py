"""A site on which an agent has worked for a while: what the screens of the console are looked at with."""

from __future__ import annotations

import calendar
import uuid
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page, expect

from tests.edges.provider import Provider, call
from tests.edges.screen import get_json, say, talk

CHRISTMAS = "Put our Christmas hours on the site, and tell visitors"
MENUS = "Publish the twelve menus of next year"
FAILED = "Translate the page Bread into Danish"
PLANNED = "Take Delivery off the site on Christmas Eve"

_HERO = {
    "definitionId": "hero",
    "content": {"heading": "Between the years", "subheading": "Open until noon on 24 and 31 December."},
}
_MONTHS = tuple(calendar.month_name[1:])


@dataclass(frozen=True, slots=True)
class World:
    """Where its parts are: conversations, runs, questions and a change set, by their ids."""

    chat: str
    batch_chat: str
    run: str
    done_run: str
    other_run: str
    question: str
    batch: str
    change_set: str
    page: str
    action: str

    def address(self, path: str) -> str:
        """A path with the names of parts in braces."""
        return path.format_map({name: getattr(self, name) for name in self.__slots__})


def build_world(page: Page, provider: Provider) -> World:
    """Let the agent work, in a window of a new site."""
    batch_chat, _, (batch, *_) = _ask(
        page,
        provider.script(
            MENUS,
            ["I write them first.", *(call("cms_createPage", title=f"Menu of {month}") for month in _MONTHS)],
            [call("cms_publishPage", pageId=f"Menu of {month}") for month in _MONTHS],
            ["They are out."],
        ),
        "Question 1 of 12",
    )
    _, other_run, _ = _ask(
        page,
        provider.script(FAILED, [call("cms_getPage", pageId="Brot og kage")], ["I found no such page."]),
        "no such page",
    )
    _, done_run, _ = _ask(
        page,
        provider.script(
            "Which pages are there, and who links to Jobs?",
            ["I look.", call("cms_getPages"), call("cms_getLinksHere", pageId="jobs"), call("cms_listChangeSets")],
            [call("cms_updatePage", pageId="jobs", title="Work with us")],
            ["There are pages of **bread** and cakes. I renamed *Jobs*:\n\n- it is a draft\n- visitors see it later"],
        ),
        "visitors see it later",
    )
    chat, run, (question, *_) = _ask(
        page,
        provider.script(
            CHRISTMAS,
            ["I look at what is there.", call("cms_getPages"), call("cms_searchPages", query="hours")],
            ["I write the page.", call("cms_createPageWithContent", title="Christmas hours", sections=[_HERO])],
            [call("cms_createChangeSet", name="Christmas", pageIds=["christmas-hours", "jobs"])],
            ["Both edits are in the change set Christmas.", call("cms_publishChangeSet", changeSetId="Christmas")],
            ["It is published."],
        ),
        "Approve once",
    )
    _post(page, "/api/grants", {"tool": "cms_publishPost", "principal": "root", "count": 5, "expiresIn": 28_800})
    _post(page, "/api/people", {"name": "grace", "roles": []})
    at = "2030-12-24T06:00:00+01:00"
    _post(page, "/api/schedules", {"tool": "cms_createPage", "at": at, "arguments": {"title": "Advent"}})
    sets = get_json(page, "/api/views/change-set")["items"]
    pages = get_json(page, "/api/views/page?search=Christmas")["items"]
    return World(
        chat=chat,
        batch_chat=batch_chat,
        run=run,
        done_run=done_run,
        other_run=other_run,
        question=question,
        batch=batch,
        change_set=sets[0]["id"],
        page=pages[0]["id"],
        action=_plan(page, provider),
    )


def _plan(page: Page, provider: Provider) -> str:
    """Let the agent plan that a page goes away, and approve it; the id of the scheduled action."""
    _ask(
        page,
        provider.script(
            PLANNED, [call("cms_expirePage", pageId="delivery", at="2030-12-24T18:00")], ["It is planned."]
        ),
        "Approve once",
    )
    page.get_by_role("button", name="Approve once").click()
    expect(talk(page).get_by_text("It is planned.")).to_be_visible()
    return str(get_json(page, "/api/views/scheduled-action")["items"][0]["id"])


def _ask(page: Page, prompt: str, until: str) -> tuple[str, str, list[str]]:
    """Begin a conversation, and wait for a text; the conversation, its run and its questions."""
    page.goto("/chat")
    say(page, prompt)
    expect(talk(page)).to_be_visible()
    expect(page.get_by_role("main").get_by_text(until).last).to_be_visible()
    chat = page.url.rpartition("/")[2]
    (row,) = get_json(page, f"/api/runs?conversation={chat}")["items"]
    questions: list[dict[str, Any]] = get_json(page, f"/api/questions?run={row['run']}")["items"]
    return chat, row["run"], [each["id"] for each in questions]


def _post(page: Page, path: str, document: dict[str, Any]) -> None:
    headers = {"x-csrf-token": get_json(page, "/api/me")["csrf"], "idempotency-key": uuid.uuid4().hex}
    origin = page.url.partition("/chat")[0]
    answer = page.request.post(path, data=document, headers={**headers, "origin": origin})
    assert answer.ok, answer.text()
