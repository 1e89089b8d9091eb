"""A page is made by chat, with a script in the model's place and with a model that streams."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.cli.kit import ROOT
from tests.edges.conftest import OpenWindow
from tests.edges.provider import Provider, call
from tests.edges.screen import card, expect_in_preview, receipt, say, talk
from tests.edges.served import Server

pytestmark = pytest.mark.process

SECTIONS = [{"definitionId": "hero", "content": {"heading": "We bake every morning", "subheading": "By hand."}}]


@pytest.fixture
def rehearsal(tmp_path: Path, console: Path) -> Iterator[Server]:
    """A server whose model is the script of the rehearsal."""
    environ = {"REMIT_MODEL": f"scripted:{ROOT}/apps/cms/src/remit_cms/rehearsal.json"}
    with Server(tmp_path, console, environ, app="cms") as running:
        yield running


def test_the_rehearsal_makes_a_page_and_asks_before_it_deletes_one(rehearsal: Server, open_window: OpenWindow) -> None:
    page = open_window(rehearsal)
    say(page, "Create a page Wedding cakes with a hero section that says we bake wedding cakes")
    expect(page.get_by_text("The page Wedding cakes is there")).to_be_visible()
    expect(receipt(page)).to_contain_text("Wedding cakes")
    expect_in_preview(page, "We bake wedding cakes")
    say(page, "Delete the page Jobs.")
    question = card(page, "Delete the page “Jobs”?")
    expect(question).to_contain_text("Your own step")
    question.get_by_role("button", name="Delete the page").click()
    expect(page.get_by_text("That is all this script can say of Jobs")).to_be_visible()
    expect(receipt(page)).to_contain_text("Jobs")


def test_a_page_is_made_while_its_words_are_read(server: Server, provider: Provider, open_window: OpenWindow) -> None:
    gate = threading.Event()
    prompt = provider.script(
        "Make a page about our mornings",
        ["I make the ", "page.", call("cms_createPageWithContent", title="Mornings", sections=SECTIONS)],
        ["Visitors find it ", gate, "under Mornings."],
    )
    page = open_window(server)
    say(page, prompt)
    expect(page.get_by_text("I make the page.")).to_be_visible()
    expect(talk(page).get_by_text("Visitors find it")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    gate.set()
    expect(page.get_by_text("Visitors find it under Mornings.")).to_be_visible()
    expect(receipt(page)).to_contain_text("Mornings")
    expect_in_preview(page, "We bake every morning")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()


def test_a_reload_in_mid_stream_loses_and_doubles_nothing(
    server: Server, provider: Provider, open_window: OpenWindow
) -> None:
    gate = threading.Event()
    prompt = provider.script(
        "Which pages are there, slowly",
        ["I look. ", call("cms_getPages")],
        ["First half. ", gate, "Second half."],
    )
    page = open_window(server)
    say(page, prompt)
    expect(page.get_by_text("First half.")).to_be_visible()
    page.reload()
    expect(page.get_by_text("First half.")).to_be_visible()
    gate.set()
    expect(page.get_by_text("First half. Second half.")).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    expect(talk(page).get_by_role("status")).to_have_count(0)
    for once in (prompt, "I look.", "First half. Second half."):
        expect(talk(page).get_by_text(once)).to_have_count(1)
    expect(talk(page).get_by_role("listitem")).to_have_count(1)
    whole = talk(page).inner_text()
    page.reload()
    expect(page.get_by_text("First half. Second half.")).to_be_visible()
    expect(talk(page)).to_have_text(whole, use_inner_text=True)
