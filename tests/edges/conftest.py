"""A browser, a provider that streams, and a server of the CMS for each file of tests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import cast

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from figures.figure import BUILD
from scripts.build_console import build
from tests.edges.provider import Provider
from tests.edges.served import Server
from tests.edges.watched import Watch

PATIENCE_MILLISECONDS = int(os.environ.get("REMIT_EDGES_MS", "120000"))
"""How long a page may take to show something, on a busy machine; nothing here takes a tenth of that on another."""

DESKTOP = (1440, 900)
PHONE = (390, 844)

_OPTIONS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)

OpenWindow = Callable[..., Page]


@pytest.fixture(scope="session")
def console() -> Path:
    """The folder of the built console."""
    return build()


@pytest.fixture(scope="session")
def provider() -> Iterator[Provider]:
    """The provider of the model."""
    with Provider() as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    program = os.environ.get("REMIT_CHROMIUM") or shutil.which("chromium")
    if program is None:
        pytest.skip("there is no Chromium: install it (Debian: apt-get install chromium), or name it in REMIT_CHROMIUM")
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*_OPTIONS])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The program that finds what some people cannot read or reach."""
    program = BUILD / "edges/console/node_modules/axe-core/axe.min.js"
    if not program.exists():
        pytest.skip("npm could not install axe-core")
    return program.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, console: Path, provider: Provider) -> Iterator[Server]:
    """A server of the CMS, whose model is the provider."""
    with Server(tmp_path_factory.mktemp("home"), console, provider.environ) as running:
        yield running


@pytest.fixture(scope="module")
def sign_in(chromium: Browser) -> Callable[[Server, str], dict[str, object]]:
    """Signs a person in at a server, once; the cookies."""
    known: dict[tuple[str, str], dict[str, object]] = {}

    def sign_in(server: Server, person: str = "") -> dict[str, object]:
        key = (str(server.home), person)
        if key not in known:
            context = chromium.new_context()
            page = context.new_page()
            page.goto(server.link_for(person) if person else server.link)
            known[key] = {**context.storage_state()}
            context.close()
        return known[key]

    return sign_in


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember a failure, so that its windows are photographed before they are closed."""
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


def _photograph(pages: Sequence[Page], name: str) -> None:
    for number, page in enumerate(pages):
        with suppress(PlaywrightError):
            page.screenshot(path=BUILD / "edges" / "failed" / f"{name}-{number}.png", timeout=10_000)


@pytest.fixture
def open_window(
    request: pytest.FixtureRequest, chromium: Browser, sign_in: Callable[[Server, str], dict[str, object]]
) -> Iterator[OpenWindow]:
    """Opens windows, each with storage of its own, in which a person is signed in. All are watched."""
    watches: list[Watch] = []
    pages: list[Page] = []
    with ExitStack() as windows:

        def open_window(
            server: Server, path: str = "/", *, person: str = "", size: tuple[int, int] = DESKTOP, dark: bool = False
        ) -> Page:
            context = chromium.new_context(
                storage_state=sign_in(server, person),  # pyright: ignore[reportArgumentType] # what a context returned
                viewport={"width": size[0], "height": size[1]},
                color_scheme="dark" if dark else "light",
                reduced_motion="reduce",
                locale="en-GB",
                timezone_id="Europe/Berlin",
                has_touch=size == PHONE,
                base_url=server.url,
            )
            windows.callback(context.close)
            context.set_default_timeout(PATIENCE_MILLISECONDS)
            watches.append(Watch(context, server.url))
            pages.append(context.new_page())
            pages[-1].goto(path)
            return pages[-1]

        yield open_window
        if cast("pytest.Item", request.node).stash.get(_FAILED, default=False):
            _photograph(pages, cast("pytest.Item", request.node).name)
    for watch in watches:
        watch.check()
