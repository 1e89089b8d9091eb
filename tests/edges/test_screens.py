"""Every screen of the console is readable by everybody: light and dark, on a desk and on a phone, in words."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from figures.agui_reader import read_frames
from tests.edges.conftest import DESKTOP, PHONE, OpenWindow
from tests.edges.office_world import World, build_world
from tests.edges.provider import Provider
from tests.edges.screen import get_json, talk
from tests.edges.served import Server
from tests.edges.streams import check_streams
from tests.edges.tally import add_violations

pytestmark = pytest.mark.process

SCREENS: Final = {
    "/chat": "New conversation",
    "/chat/{chat}": "Approve once",
    "/chat/{batch_chat}": "Question 1 of 12",
    "/inbox/{question}": "Approve once",
    "/inbox/{batch}?batch": "Approve 12",
    "/inbox?show=settled": "Settled",
    "/runs": "no such page|Danish",
    "/runs/{run}": "Created the page",
    "/runs/{run}?tab=why": "Why",
    "/runs/{run}?tab=saw": "Instructions",
    "/runs/{run}?tab=journal": "item \\d",
    "/runs/{done_run}/replay": "Identical",
    "/compare/{done_run}/{other_run}": "ifference|differ",
    "/tools": "Publish",
    "/tools/cms_publishPage": "Try it",
    "/policy": "high risk|High risk",
    "/policy/grants": "0 of 5",
    "/objects/change-set": "Christmas",
    "/objects/change-set/{change_set}": "After the changes",
    "/objects/page": "Christmas hours",
    "/objects/page/{page}": "Christmas hours",
    "/objects/scheduled-action?month=2030-12": "Delivery",
    "/objects/scheduled-action?look=list": "Delivery",
    "/objects/scheduled-action/{action}": "goes away",
    "/objects/scheduled-action/2030-12-24": "On this day",
    "/settings/model": "REMIT_MODEL",
    "/settings/agents": "Editor",
    "/settings/people": "grace",
    "/settings/tokens": "oken",
    "/settings/schedules": "Advent|reate",
    "/settings/usage": "okens",
    "/settings/you": "root",
    "/more": "Settings",
    "/approvals/{question}": "Publish the change set",
    "/account": "root",
}
"""The address of each screen, and what is there when it is."""

_IDENT: Final = re.compile(r"\b[0-9a-f]{12,}\b")
FIND_SERIOUS: Final = """async () => {
  const found = await axe.run(document, { resultTypes: ["violations"], iframes: false });
  const bad = found.violations.filter((each) => ["serious", "critical"].includes(each.impact));
  return bad.flatMap((each) => each.nodes.map((node) => `${each.id}: ${node.target.join(" ")} ${node.failureSummary}`));
}"""


@pytest.fixture(scope="module")
def worlds() -> dict[str, World]:
    """The world of the server of this file, once it is built."""
    return {}


@pytest.fixture
def world(worlds: dict[str, World], server: Server, provider: Provider, open_window: OpenWindow) -> World:
    if "" not in worlds:
        worlds[""] = build_world(open_window(server), provider)
    return worlds[""]


def look_at(page: Page, world: World, path: str) -> None:
    """Open a screen, and wait until it is there."""
    page.goto(world.address(path))
    expect(page.locator("body").get_by_text(re.compile(SCREENS[path])).locator("visible=true").first).to_be_visible()
    expect(page.get_by_text("Loading", exact=True)).to_have_count(0)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_every_screen_can_be_read_by_everybody(
    axe: str, world: World, server: Server, open_window: OpenWindow, size: tuple[int, int]
) -> None:
    page = open_window(server, "/chat", size=size)
    serious: list[str] = []
    machine: list[str] = []
    sideways: list[str] = []
    for path in SCREENS:
        look_at(page, world, path)
        text = page.locator("body").inner_text()
        machine += [f"{path}: {found}" for found in ['{"', *_IDENT.findall(text)] if found in text]
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            sideways.append(path)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            page.evaluate(axe)
            serious += [f"{path}, {scheme}: {found}" for found in page.evaluate(FIND_SERIOUS)]
    n = len(SCREENS)
    add_violations("axe.serious", len(serious), 2 * n, "serious or critical findings of axe, by screen, light and dark")
    add_violations("console.machine_words", len(machine), n, "screens with JSON, ids or digests above a fold")
    add_violations("console.sideways_scroll", len(sideways), n, "screens that are wider than their window")
    assert (serious, machine, sideways) == ([], [], [])


def test_the_stream_of_every_run_is_accepted(world: World, server: Server, open_window: OpenWindow) -> None:
    page = open_window(server)
    rows: list[dict[str, Any]] = get_json(page, "/api/runs?limit=100")["items"]
    runs: list[str] = [row["run"] for row in rows if row["status"] != "scheduled"]
    assert world.run in runs
    texts = [page.request.get(f"/api/runs/{run}/events").text() for run in runs]
    check_streams(*([event for _, event in read_frames(text)] for text in texts))


def test_a_run_is_stepped_through_again(world: World, server: Server, open_window: OpenWindow) -> None:
    page = open_window(server, f"/runs/{world.done_run}")
    page.get_by_role("link", name="Replay").click()
    expect(page.get_by_text(re.compile("Identical, \\d+ items of its journal"))).to_be_visible()
    place = page.get_by_text(re.compile("Step \\d+ of \\d+")).inner_text()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_text(place)).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(place)).to_be_visible()


def test_a_question_is_answered_on_a_phone(world: World, server: Server, open_window: OpenWindow) -> None:
    page = open_window(server, f"/approvals/{world.question}", size=PHONE)
    expect(page.get_by_text("Publish the change set")).to_be_visible()
    page.goto("/inbox")
    page.get_by_role("link", name="Publish the change set").tap()
    page.get_by_role("button", name="Approve once").tap()
    expect(page.get_by_role("article")).to_contain_text("You approved")
    page.get_by_role("link", name="Open it").tap()
    expect(talk(page).get_by_text("It is published.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
