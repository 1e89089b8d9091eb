"""The console's files are served with its one page at all of its addresses, and a page until it is built."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Mount
from starlette.testclient import TestClient

from remit import App, Runtime
from remit.errors import SetupError
from remit.server import build_server, console
from remit.server.guard import Guard
from remit.server.pages.style import DARK, ICON, LIGHT
from tests.server.shop import authenticate, refund

ROOT = Path(__file__).parents[2]
PAGE = '<!doctype html><head><base href="/" /></head><script type="module" src="./assets/index-1.js"></script>'


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A built console."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path / "assets/index-1.js").write_text("run()")
    return tmp_path


@contextmanager
def serve(folder: Path | None, under: str = "") -> Generator[TestClient]:
    app = build_server(
        Runtime(App(name="shop", tools=[refund])), authenticate, console=folder, middleware=[Middleware(Guard)]
    )
    served = Starlette(routes=[Mount(under, app=app)]) if under else app
    with TestClient(served, "http://localhost") as browser:
        yield browser


@pytest.mark.parametrize("path", ["/", "/chat", "/chat/c-1", "/runs/r1/replay", "/objects/page/p1"])
def test_every_address_of_the_console_has_its_page(built: Path, path: str) -> None:
    with serve(built) as browser:
        answer = browser.get(path)
    assert (answer.status_code, answer.text) == (200, PAGE.replace('<base href="/" />', '<base href="/">'))
    policy = answer.headers["content-security-policy"]
    assert "base-uri 'self'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "no-store"


def test_the_page_knows_under_which_address_it_is_served(built: Path) -> None:
    with serve(built, under="/remit") as browser:
        assert '<base href="/remit/">' in browser.get("/remit/runs/r1").text
        assert browser.get("/remit/assets/index-1.js").text == "run()"


def test_files_are_kept_for_ever_and_nothing_beside_them_is_served(built: Path) -> None:
    (built.parent / "secret.txt").write_text("secret")
    with serve(built) as browser:
        script = browser.get("/assets/index-1.js")
        assert (script.text, script.headers["cache-control"]) == ("run()", "public, max-age=31536000, immutable")
        assert browser.get("/icon.svg").text == "<svg/>"
        for path in ("/assets/..%2f..%2fsecret.txt", "/assets/none.js", "/elsewhere", "/secret.txt", "/runs.html"):
            assert browser.get(path).status_code == 404
        assert browser.get("/api/runs").status_code == 401


def test_until_the_console_is_built_a_page_says_so_and_loads_again(built: Path) -> None:
    later = built / "later"
    (built / ".making-later-1").mkdir()
    with serve(later) as browser:
        answer = browser.get("/chat")
        assert (answer.status_code, answer.headers["refresh"]) == (200, "3")
        assert "The console is being built" in answer.text
        assert "You need to do nothing." in answer.text
        assert browser.get("/icon.svg").status_code == 404
        assert browser.get("/assets/index-1.js").status_code == 404
        (later / "assets").mkdir(parents=True)
        (later / "assets/index-1.js").write_text("run()")
        (later / "index.html").write_text(PAGE)
        assert "index-1.js" in browser.get("/chat").text
        assert browser.get("/assets/index-1.js").text == "run()"


def test_a_build_that_failed_is_told_with_its_log(built: Path) -> None:
    (built / ".making-other-1").mkdir()
    with serve(built / "later") as browser:
        answer = browser.get("/chat")
    assert "refresh" not in answer.headers
    assert f"The console could not be built; {built / 'later.log'} says why." in answer.text


def test_without_a_console_a_page_says_so_and_its_addresses_do_not_exist(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(console, "PACKAGED", tmp_path / "static")
    monkeypatch.setattr(console, "_SCRIPT", tmp_path / "build_console.py")
    with serve(None) as browser:
        assert browser.get("/chat").status_code == 404
        start = browser.get("/")
    assert (start.status_code, start.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "It has no console for people, because none is built." in start.text
    assert str(tmp_path) not in start.text, "a visitor learns nothing of the machine"
    assert console.check_console(None) == "no console is built; give --console FOLDER"


def test_in_a_checkout_the_line_that_builds_the_console_is_told_and_makes_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(console, "PACKAGED", tmp_path / "static")
    said = console.check_console(None)
    assert said.startswith("no console is built; to build it, add --console ")
    script = shlex.split(said.partition("$(")[2].rpartition(")")[0])
    assert [Path(each) for each in script] == [Path(sys.executable), ROOT / "scripts/build_console.py"]


def test_a_folder_without_a_page_is_no_console_unless_it_is_being_built(built: Path) -> None:
    assert console.check_console(built) == f"the console in {built}"
    later = built / "later"
    with pytest.raises(
        SetupError, match=r"later has no index\.html, so it does not contain the console; to build it, add --console "
    ):
        console.check_console(later)
    (built / "later.log").touch()
    assert console.check_console(later).endswith("which is being built; a page says so until it is there")
    later.mkdir()
    with pytest.raises(SetupError, match=r"no index\.html"):
        console.check_console(later)


@pytest.mark.parametrize("has_console", [True, False])
def test_a_browser_gets_an_icon_and_a_page_where_there_is_nothing(
    monkeypatch: pytest.MonkeyPatch, built: Path, *, has_console: bool
) -> None:
    monkeypatch.setattr(console, "PACKAGED", built / "static")
    with serve(built if has_console else None) as browser:
        icon = browser.get("/favicon.ico")
        page = browser.get("/nothing", headers={"accept": "text/html,*/*"})
        assert browser.get("/nothing").json()["code"] == "NO_ROUTE"
    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "There is nothing here" in page.text


def test_plain_pages_have_the_colours_of_the_console() -> None:
    light, dark = re.findall(
        r'\[data-theme="(?:light|dark)"\] \{\n([^}]*--canvas[^}]*)\}',
        (ROOT / "console/src/styles/tokens.css").read_text(encoding="utf-8"),
    )
    for colours, tokens in ((LIGHT, light), (DARK, dark)):
        named = dict(re.findall(r"--([a-z0-9-]+): ([^;]+);", tokens))
        assert {name: named[name] for name in colours} == colours


def test_the_icon_of_plain_pages_is_that_of_the_console() -> None:
    assert (ROOT / "console/public/icon.svg").read_text(encoding="utf-8").strip() == ICON


def test_a_wheel_serves_the_console_that_it_holds(monkeypatch: pytest.MonkeyPatch, built: Path) -> None:
    monkeypatch.setattr(console, "PACKAGED", built)
    with serve(None) as browser:
        assert browser.get("/chat").status_code == 200


def test_the_server_knows_the_addresses_of_the_console() -> None:
    routes = (ROOT / "console/src/app/routes.tsx").read_text(encoding="utf-8")
    assert {*re.findall(r'^  \["/([a-z]+)', routes, re.MULTILINE)} == {*console.ADDRESSES}
