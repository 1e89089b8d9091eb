"""What tests do and look for in a window of the console."""

from __future__ import annotations

import time
from typing import Any, cast

from playwright.sync_api import Locator, Page, expect

from tests.cli.kit import PATIENCE
from tests.edges.provider import Provider, call


def say(page: Page, text: str) -> None:
    """Send a message."""
    page.get_by_role("textbox", name="Message").fill(text)
    page.get_by_role("button", name="Send").click()


def talk(page: Page) -> Locator:
    """The conversation."""
    return page.get_by_role("log")


def receipt(page: Page) -> Locator:
    """The last receipt of the conversation."""
    return page.get_by_role("group", name="What changed").last


def card(page: Page, heading: str) -> Locator:
    """The card of a question, by its heading."""
    return page.get_by_role("article", name=heading)


def expect_in_preview(page: Page, text: str) -> None:
    """Wait until the preview shows a text. A frame without scripts has no timers: Playwright cannot wait in it."""
    expect(page.locator("iframe")).to_be_visible()
    until = time.monotonic() + PATIENCE
    while page.frame_locator("iframe").get_by_text(text).count() == 0:
        assert time.monotonic() < until, f"the preview does not show {text!r}"
        page.evaluate("() => new Promise(requestAnimationFrame)")


def get_json(page: Page, path: str) -> dict[str, Any]:
    """A document of the server, for the person in this window."""
    return cast("dict[str, Any]", page.request.get(path).json())


def ask_to_publish(page: Page, provider: Provider, title: str, *others: str) -> Locator:
    """Let the agent make pages and ask whether it may publish the first one; the card of its question."""
    prompt = provider.script(
        f"Make the page {title} and publish it",
        [call("cms_createPage", title=each) for each in (title, *others)],
        [call("cms_publishPage", pageId=title)],
        [f"What you decided about {title} is done."],
    )
    say(page, prompt)
    question = card(page, f"Publish the page “{title}”?")
    expect(question).to_be_visible()
    return question
