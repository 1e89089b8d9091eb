"""Questions are answered in a browser: approved, denied, edited, expired, overtaken, in a batch, by one of two."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.edges.conftest import OpenWindow
from tests.edges.provider import Provider, call
from tests.edges.screen import ask_to_publish, card, get_json, receipt, say, talk
from tests.edges.served import Server

pytestmark = pytest.mark.process


def test_an_approved_call_runs_once(server: Server, provider: Provider, open_window: OpenWindow) -> None:
    page = open_window(server)
    question = ask_to_publish(page, provider, "Spring menu")
    expect(question).to_contain_text("Asked because it is high-risk. You may answer.")
    page.keyboard.press("y")
    expect(question.get_by_role("button", name="Approve once")).to_be_focused()
    page.keyboard.press("Enter")
    expect(talk(page).get_by_text("What you decided about Spring menu")).to_be_visible()
    expect(receipt(page)).to_contain_text("Published the page Spring menu")
    expect(page.get_by_role("textbox", name="Message")).to_be_visible()
    published = [each for each in calls_of(page) if each["tool"] == "cms_publishPage"]
    assert [each["state"] for each in published] == ["done"]


def test_a_denied_call_does_not_run_and_the_reason_reaches_the_agent(
    server: Server, provider: Provider, open_window: OpenWindow
) -> None:
    page = open_window(server)
    question = ask_to_publish(page, provider, "Summer menu")
    question.get_by_role("button", name="Deny…").click()
    page.get_by_label("Why not?").fill("The prices are old")
    page.get_by_role("button", name="Deny", exact=True).click()
    expect(talk(page).get_by_text("What you decided about Summer menu")).to_be_visible()
    (refused,) = [each for each in calls_of(page) if each["tool"] == "cms_publishPage"]
    assert refused["state"] == "denied"
    assert "The prices are old" in refused["error"]


def test_an_edited_call_is_asked_about_again_and_runs_as_edited(
    server: Server, provider: Provider, open_window: OpenWindow
) -> None:
    page = open_window(server)
    question = ask_to_publish(page, provider, "Autumn menu", "Autumn bread")
    question.get_by_role("button", name="Edit").click()
    page.get_by_role("textbox", name="Page").fill("autumn-bread")
    page.get_by_role("button", name="Approve as edited").click()
    card(page, "Publish the page “Autumn bread”?").get_by_role("button", name="Approve once").click()
    expect(talk(page).get_by_text("What you decided about Autumn menu")).to_be_visible()
    expect(receipt(page)).to_contain_text("Published the page Autumn bread")
    expect(receipt(page)).not_to_contain_text("Published the page Autumn menu")


def test_a_question_that_nobody_answers_ends_without_the_call(
    server: Server, provider: Provider, open_window: OpenWindow
) -> None:
    prompt = provider.script(
        "Hide the page Allergens", [call("cms_unpublishPage", pageId="allergens")], ["Nobody answered about Allergens."]
    )
    page = open_window(server)
    say(page, prompt)
    expect(talk(page).get_by_text("Nobody answered about Allergens.")).to_be_visible()
    (question,) = questions_of(page)
    assert (question["status"], question["decision"]) == ("expired", None)
    page.goto(f"/inbox/{question['id']}")
    expect(page.get_by_role("article")).to_contain_text("Nobody answered in time")
    expect(page.get_by_role("article")).to_contain_text("It was not done. The agent was told.")
    expect(page.get_by_role("button", name="Approve once")).to_have_count(0)


def test_what_was_approved_for_an_old_state_is_asked_about_again(
    server: Server, provider: Provider, open_window: OpenWindow
) -> None:
    page, other = open_window(server), open_window(server)
    question = ask_to_publish(page, provider, "Winter menu")
    prompt = provider.script(
        "Rename it meanwhile", [call("cms_updatePage", pageId="winter-menu", title="Winter bread")], ["Renamed."]
    )
    say(other, prompt)
    expect(talk(other).get_by_text("Renamed.")).to_be_visible()
    question.get_by_role("button", name="Approve once").click()
    again = card(page, "Publish the page “Winter bread”?")
    expect(again).to_contain_text("Asked again, because the state has changed since it was shown")
    again.get_by_role("button", name="Approve once").click()
    expect(receipt(page)).to_contain_text("Published the page Winter bread")


def test_questions_alike_are_decided_in_one_table_row_by_row(
    server: Server, provider: Provider, open_window: OpenWindow
) -> None:
    titles = [f"Batch {number}" for number in (1, 2, 3)]
    prompt = provider.script(
        "Publish three pages",
        [call("cms_createPage", title=title) for title in titles],
        [call("cms_publishPage", pageId=title) for title in titles],
        ["Two of three are out."],
    )
    page = open_window(server)
    say(page, prompt)
    expect(page.get_by_text("Question 1 of 3")).to_be_visible()
    page.get_by_role("link", name="Inbox").click()
    page.get_by_role("link", name="Publish the page, 3 times").click()
    page.get_by_role("checkbox", name="Publish the page Batch 2").uncheck()
    page.get_by_role("button", name="Approve 2, deny 1").click()
    expect(page.get_by_text("Nothing waits.")).to_be_visible()
    page.get_by_role("link", name="Publish three pages").click()
    expect(talk(page).get_by_text("Two of three are out.")).to_be_visible()
    for title in ("Batch 1", "Batch 3"):
        expect(receipt(page)).to_contain_text(f"Published the page {title}")
    expect(receipt(page)).not_to_contain_text("Published the page Batch 2")


def test_of_two_people_one_answers_and_the_other_is_told(
    server: Server, provider: Provider, open_window: OpenWindow
) -> None:
    page = open_window(server)
    question = ask_to_publish(page, provider, "Easter menu")
    (asked,) = questions_of(page)
    other = open_window(server, f"/inbox/{asked['id']}", person="grace")
    expect(card(other, "Publish the page “Easter menu”?").get_by_role("button", name="Approve once")).to_be_visible()
    question.get_by_role("button", name="Approve once").click()
    settled = other.get_by_role("article", name="Publish the page “Easter menu”")
    expect(settled).to_contain_text("you had it open")
    expect(settled).to_contain_text("Your answer was not needed and is not recorded.")
    expect(other.get_by_role("button", name="Approve once")).to_have_count(0)
    expect(talk(page).get_by_text("What you decided about Easter menu")).to_be_visible()


def run_of(page: Page) -> str:
    """The last run of the conversation in a window."""
    conversation = page.url.rpartition("/")[2]
    rows: list[dict[str, Any]] = get_json(page, f"/api/runs?conversation={conversation}")["items"]
    return rows[0]["run"]


def calls_of(page: Page) -> list[dict[str, Any]]:
    """The calls of the last run in a window."""
    return get_json(page, f"/api/runs/{run_of(page)}")["root"]["calls"]


def questions_of(page: Page) -> list[dict[str, Any]]:
    """The questions of the last run in a window."""
    return get_json(page, f"/api/questions?status=all&run={run_of(page)}")["items"]
