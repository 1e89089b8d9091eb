"""Every page of the sites that the CMS serves is right HTML, and readable by everybody, in both languages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser

from figures.figure import BUILD
from tests.edges.conftest import DESKTOP, PATIENCE_MILLISECONDS, PHONE
from tests.edges.site_world import Served, serve_sites
from tests.edges.tally import add_violations
from tests.edges.test_screens import FIND_SERIOUS
from tests.edges.watched import Watch

pytestmark = pytest.mark.process

CHECKER: Final = BUILD / "edges/html_checker/node_modules/vnu-jar/build/dist/vnu.jar"
Scheme = Literal["light", "dark"]
_WRONG: Final = '<!doctype html><html lang="en"><title>x</title><img src="/a.png"><p style="color:#ddd">faint'
"""A document with an error and something serious, which both programs must find."""
_LINK: Final = re.compile(r'href="(/[^"#]*)"')
_SECONDS: Final = 240


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_sites(tmp_path_factory.mktemp("sites")) as running:
        yield running


@pytest.fixture(scope="module")
def pages(served: Served) -> dict[str, str]:
    """All documents of both sites by their addresses: those that links lead to, that of no page, and previews."""
    found = {address: read(address) for address in served.previews}
    assert all('class="notice"' in text for text in found.values())
    for url in served.urls.values():
        waiting = ["/", "/nothing", *re.findall(rf"<loc>{re.escape(url)}(.*?)</loc>", read(f"{url}/sitemap.xml"))]
        while waiting:
            path = waiting.pop()
            if f"{url}{path}" not in found:
                text = found[f"{url}{path}"] = read(f"{url}{path}")
                waiting += [each for each in _LINK.findall(text) if "." not in each]
    return found


def read(address: str) -> str:
    try:
        with urlopen(address, timeout=_SECONDS) as response:  # noqa: S310 - a server of this process
            return response.read().decode()
    except HTTPError as error:
        return error.read().decode()


def test_every_page_is_right_html(pages: dict[str, str], tmp_path: Path) -> None:
    java = shutil.which("java")
    if java is None or not CHECKER.exists():
        pytest.skip("there is no Java, or npm could not install vnu-jar")
    files: list[Path] = []
    for number, text in enumerate([*pages.values(), _WRONG]):
        files.append(tmp_path / f"{number}.html")
        files[-1].write_text(text, encoding="utf-8")
    line = [java, "-jar", str(CHECKER), "--errors-only", "--exit-zero-always", "--format", "json", *map(str, files)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=_SECONDS, check=True)
    addresses = dict(zip((each.name for each in files), [*pages, "wrong"], strict=True))
    said = json.loads(done.stderr)["messages"]
    found = [(addresses[each["url"].rpartition("/")[2]], each["message"]) for each in said]
    errors = [f"{address}: {message}" for address, message in found if address != "wrong"]
    assert len(errors) < len(found), "the checker does not find the error that is there"
    add_violations("site.html_errors", len(errors), len(pages), "errors of the Nu Html Checker on pages of two sites")
    assert errors == []


@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")], ids=["desk", "phone"])
def test_every_page_can_be_read_by_everybody(
    axe: str, chromium: Browser, pages: dict[str, str], served: Served, size: tuple[int, int], scheme: Scheme
) -> None:
    serious: list[str] = []
    sideways: list[str] = []
    for url in served.urls.values():
        context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        context.set_default_timeout(PATIENCE_MILLISECONDS)
        watch, page = Watch(context, url), context.new_page()
        for address in [each for each in pages if each.startswith(url)]:
            page.goto(address)
            if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
                sideways.append(address)
            page.evaluate(axe)
            serious += [f"{address}: {found}" for found in page.evaluate(FIND_SERIOUS)]
        page.goto("about:blank")
        page.set_content(_WRONG)
        page.evaluate(axe)
        assert {each.partition(":")[0] for each in page.evaluate(FIND_SERIOUS)} == {"color-contrast", "image-alt"}
        context.close()
        watch.check()
    add_violations(
        "site.axe_serious", len(serious), len(pages), "serious or critical findings of axe, by page and window"
    )
    add_violations("site.sideways_scroll", len(sideways), len(pages), "pages that are wider than their window")
    assert (serious, sideways) == ([], [])
