"""Takes the pictures of the console for its guide again: ``make edges ARGS=tests/edges/pictures.py``."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page

from tests.cli.kit import ROOT
from tests.edges.conftest import DESKTOP, PHONE, OpenWindow
from tests.edges.office_world import build_world
from tests.edges.provider import Provider
from tests.edges.screen import expect_in_preview
from tests.edges.served import Server
from tests.edges.test_screens import look_at

pytestmark = pytest.mark.process

PICTURES: Final = {
    "chat": "/chat/{chat}",
    "inbox": "/inbox/{batch}?batch",
    "runs": "/runs",
    "run": "/runs/{run}?tab=why",
    "replay": "/runs/{done_run}/replay",
    "changes": "/objects/change-set/{change_set}",
    "tools": "/tools/cms_publishPage",
    "policy": "/policy",
}
_MOST_BYTES: Final = 150_000


def test_the_pictures_of_the_guide_are_taken(
    tmp_path: Path, console: Path, provider: Provider, open_window: OpenWindow
) -> None:
    with Server(tmp_path, console, provider.environ, app="cms") as server:
        take_pictures(server, provider, open_window)


def take_pictures(server: Server, provider: Provider, open_window: OpenWindow) -> None:
    """Build a world and photograph its screens."""
    page = open_window(server, size=DESKTOP)
    world = build_world(page, provider)
    for name, path in PICTURES.items():
        look_at(page, world, path)
        if name in ("chat", "changes"):
            expect_in_preview(page, "Between the years")
        photograph(page, name)
    phone = open_window(server, size=PHONE, dark=True)
    look_at(phone, world, "/chat/{chat}")
    photograph(phone, "phone")


def photograph(page: Page, name: str) -> None:
    """Save a window as a picture of the guide, in WebP."""
    page.evaluate("() => document.fonts.ready")
    session: Any = page.context.new_cdp_session(page)  # untyped
    taken: dict[str, Any] = session.send("Page.captureScreenshot", {"format": "webp", "quality": 82})
    content = base64.b64decode(taken["data"])
    assert len(content) <= _MOST_BYTES
    (ROOT / f"docs/guides/pictures/console-{name}.webp").write_bytes(content)
