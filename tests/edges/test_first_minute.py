"""A newcomer without a model or a key: the console offers three ways to an answer, and each leads to one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.edges.conftest import PHONE, OpenWindow
from tests.edges.provider import Provider
from tests.edges.screen import card, expect_in_preview, receipt, say
from tests.edges.served import Server

pytestmark = pytest.mark.process

KEY = "canary-of-a-key"


@pytest.fixture
def fresh(tmp_path: Path, console: Path) -> Iterator[Server]:
    """A server without a model: nothing names one, and no weights are here."""
    environ = {"REMIT_MODEL": "", "OPENAI_API_KEY": "", "OPENAI_BASE_URL": "", "REMIT_CACHE": str(tmp_path / "cache")}
    with Server(tmp_path / "home", console, environ, app="cms") as running:
        yield running


@pytest.mark.parametrize("size", [(1440, 900), PHONE], ids=["desk", "phone"])
def test_the_rehearsal_leads_from_the_first_page_to_a_published_one(
    fresh: Server, open_window: OpenWindow, size: tuple[int, int]
) -> None:
    page = open_window(fresh, size=size)
    expect(page.get_by_role("heading", name="Which model should the editor use?")).to_be_in_viewport()
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("link", name="A script")).to_be_visible()
    page.get_by_role("button", name="Create a page Wedding cakes").click()
    expect(page.get_by_text("Script: The page Wedding cakes is there")).to_be_visible()
    expect(receipt(page)).to_contain_text("Wedding cakes")
    if size != PHONE:
        expect_in_preview(page, "We bake wedding cakes")
    page.get_by_role("button", name="Publish the page Wedding cakes.").click()
    question = card(page, "Publish the page “Wedding cakes”?")
    question.get_by_role("button", name="Approve once").click()
    expect(page.get_by_text("Script: Visitors see the page Wedding cakes now.")).to_be_visible()
    say(page, "What is the weather?")
    expect(page.get_by_text("Script: I am not a model")).to_be_visible()


def test_what_was_asked_without_a_model_is_answered_when_a_key_is_given(
    fresh: Server, provider: Provider, open_window: OpenWindow
) -> None:
    page = open_window(fresh)
    prompt = provider.script("Say hello", ["Hello, newcomer."])
    say(page, prompt)
    expect(page.get_by_text("no model is chosen")).to_be_visible()
    page.goto("/settings/model")
    page.get_by_role("textbox", name="Model").fill("openai:tiny")
    page.get_by_role("textbox", name="Key").fill(KEY)
    page.get_by_text("Another endpoint").click()
    page.get_by_label("An address that speaks the OpenAI API").fill(provider.environ["OPENAI_BASE_URL"])
    page.get_by_role("button", name="Test and use").click()
    expect(page.get_by_text("kept on the server")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("Hello, newcomer.")).to_be_visible()
    assert KEY not in fresh.said
