"""What a person sees while processes die in the middle of a run, and after it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.cli.kit import command
from tests.edges.conftest import OpenWindow
from tests.edges.provider import Provider, call
from tests.edges.screen import receipt, say, talk
from tests.edges.served import APP, Program, Server

pytestmark = pytest.mark.process


@pytest.fixture
def processes() -> Iterator[ExitStack]:
    """Ends the processes that a test starts."""
    with ExitStack() as started:
        yield started


def expect_whole(page: Page) -> None:
    """Wait for the end of the run; nothing of it came twice."""
    expect(talk(page).get_by_text("It was interrupted, and is whole.")).to_be_visible()
    expect(receipt(page)).to_contain_text("Night bread")
    expect(page.get_by_role("button", name="Stop")).to_be_hidden()
    for once in ("Make the page Night bread", "I make it.", "It was interrupted, and is whole."):
        expect(talk(page).get_by_text(once, exact=True)).to_have_count(1)
    expect(talk(page).locator("summary").get_by_text("Created the page Night bread")).to_have_count(1)


def script(provider: Provider, gate: threading.Event) -> str:
    return provider.script(
        "Make the page Night bread",
        ["I make it.", call("cms_createPage", title="Night bread")],
        ["It was interrupted, ", gate, "and is whole."],
    )


def test_a_run_goes_on_when_its_server_is_killed_and_started_again(
    tmp_path: Path, console: Path, provider: Provider, open_window: OpenWindow, processes: ExitStack
) -> None:
    gate = threading.Event()
    first = processes.enter_context(Server(tmp_path, console, provider.environ))
    page = open_window(first)
    say(page, script(provider, gate))
    expect(talk(page).get_by_text("It was interrupted,")).to_be_visible()
    first.kill()
    expect(page.get_by_text("The server does not answer.").first).to_be_visible()
    gate.set()
    processes.enter_context(Server(tmp_path, console, provider.environ, port=first.port))
    expect_whole(page)
    expect(page.get_by_text("The server does not answer.")).to_have_count(0)


def test_a_run_goes_on_in_another_executor_when_its_own_is_killed(
    tmp_path: Path, console: Path, provider: Provider, open_window: OpenWindow, processes: ExitStack
) -> None:
    gate = threading.Event()
    server = processes.enter_context(Server(tmp_path, console, provider.environ, "--concurrency", "0"))
    executor = processes.enter_context(Program(command("executor", "--app", APP), server.environ))
    page = open_window(server)
    say(page, script(provider, gate))
    expect(talk(page).get_by_text("Created the page Night bread")).to_be_visible()
    executor.kill()
    gate.set()
    processes.enter_context(Program(command("executor", "--app", APP), server.environ))
    expect_whole(page)


def test_an_answer_that_a_person_stops_keeps_its_words_and_goes_on_when_asked_to(
    server: Server, provider: Provider, open_window: OpenWindow
) -> None:
    gate = threading.Event()
    page = open_window(server)
    say(page, provider.script("Tell me of the bread", ["It begins with flour, ", gate, "and ends."]))
    expect(talk(page).get_by_text("It begins with flour,")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    expect(talk(page).get_by_text("Stopped before the answer was complete.")).to_be_visible()
    expect(talk(page).get_by_text("It begins with flour,")).to_be_visible()
    gate.set()
    provider.script("Go on where you stopped.", ["It ends with crumbs."])
    page.get_by_role("button", name="Go on").click()
    expect(talk(page).get_by_text("It ends with crumbs.")).to_be_visible()
