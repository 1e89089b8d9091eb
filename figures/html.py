"""Hostile texts in every field of the CMS, published and rendered: none may run or load anything, in no browser."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from figures.figure import Figure, no_violations
from figures.html_browser import RUN, Browser, Shown, open_browser
from figures.html_site import render_all

_ELSEWHERE: Final = "//elsewhere.example/a.png"
HOSTILE: Final = (
    f"<script>{RUN}</script>",
    f'"><img src=x onerror="{RUN}">',
    f"' autofocus onfocus='{RUN}",
    f"</style><script>{RUN}</script>",
    f"</title></p></a></h1><script>{RUN}</script>",
    f"<svg/onload={RUN}>",
    f"<details open ontoggle={RUN}>",
    f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>',
    f"[x](javascript:{RUN}) ![x](javascript:{RUN}) <javascript:{RUN}>",
    f"javascript:{RUN}",
    f"jAvAsCrIpT&colon;{RUN}",
    f"<!--><script>{RUN}</script>-->",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=x onerror={RUN}&gt;'>",
    f"{{{{ '<script>{RUN}</script>' | safe }}}}{{% raw %}}<script>{RUN}</script>{{% endraw %}}",
    f"```html\n<script>{RUN}</script>\n```\n<script>{RUN}</script>",
    f"data:text/html,<script>{RUN}</script>",
    f"https:{_ELSEWHERE}",
    f'![x](http:{_ELSEWHERE}) ![x](http://192.0.2.1/a.png) "><img src="{_ELSEWHERE}" srcset="http://192.0.2.1/a 2x">',
    f"red;}}body{{background:url({_ELSEWHERE})}}@import 'http:{_ELSEWHERE}';</style><link rel=icon href={_ELSEWHERE}>",
    f"0;url=http:{_ELSEWHERE}\"><meta http-equiv=refresh content='0;url=http:{_ELSEWHERE}'>",
)
_SHORT: Final = (HOSTILE[0], HOSTILE[9], HOSTILE[16], HOSTILE[18])

_ADDRESSES: Final = {"a": "href", "img": "src", "iframe": "src", "form": "action", "link": "href"}
_LOADED: Final = {"img", "source", "video", "audio", "track", "input"}
_LOADED_LINKS: Final = re.compile(r"icon|stylesheet|manifest|preload|prefetch|preconnect", re.IGNORECASE)
_FOREIGN: Final = re.compile(r"\s*([a-z][a-z0-9+.-]*:)?[/\\]{2}", re.IGNORECASE)
_DATA: Final = "application/ld+json"
"""The type of scripts that no browser runs."""
_IN_BROWSER: Final = ("/page", "/de", "/posts", "/kind", "/preview")


def figures(*, short: bool) -> Iterator[Figure]:
    """Measure the figure; ``short`` takes four texts, and parses the documents without a browser."""
    yield asyncio.run(_measure(_SHORT if short else HOSTILE, None if short else shutil.which("chromium")))


async def _measure(texts: tuple[str, ...], path: str | None) -> Figure:
    with TemporaryDirectory() as folder:
        documents = await render_all(Path(folder), texts)
        found = [f"{name}: {fault}" for name, text in documents.items() for fault in find_faults(text)]
        seen = "without a browser"
        if path is not None:
            with open_browser(path, Path(folder)) as browser:
                pages = {name: text for name, text in documents.items() if name.startswith(_IN_BROWSER)}
                shown = {name: _show(browser, text) for name, text in pages.items()}
            found += [f"{name}: {fault}" for name, each in shown.items() for fault in _name_faults(each)]
            own = sum(each.own for each in shown.values())
            seen = f"{len(shown)} shown in Chromium without their policy, whose other {own} requests were counted"
    how = f"{len(texts)} texts in each field, {len(documents)} documents parsed, {seen}"
    return no_violations("html.scripts_run", len(found), len(documents), "; ".join([how, *found[:5]]))


def _show(browser: Browser, document: str) -> Shown:
    """Show a document without the policy that would stop it, and with all its pictures, not only those in sight."""
    bare = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", document)
    return browser.show(bare.replace(' loading="lazy"', ""))


def _name_faults(shown: Shown) -> list[str]:
    return [*(["ran"] if shown.ran else []), *(f"asked {host}" for host in shown.elsewhere)]


class _Parser(HTMLParser):
    """What a browser would run or load of a document."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self._in_style = False
        self._in_data = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_style = tag == "style"
        values = {name: value or "" for name, value in attrs}
        self._in_data = tag == "script" and values == {"type": _DATA}
        if self._in_data:
            return
        if tag in ("script", "iframe", "object", "embed", "base", "form", "svg", "math"):
            self.faults.append(f"<{tag}>")
        if tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self.faults.append("<meta> leads elsewhere")
        loads = tag in _LOADED or (tag == "link" and _LOADED_LINKS.search(values.get("rel", "")) is not None)
        for name, value in values.items():
            address = re.sub(r"[\x00-\x20]", "", value).lower()
            if name.startswith("on") or name == "srcdoc":
                self.faults.append(f"{name} of <{tag}>")
            if name == _ADDRESSES.get(tag) and re.match(r"[a-z]+script:|data:text", address):
                self.faults.append(f"{name} of <{tag}> is {address[:20]}")
            if loads and name in ("src", "srcset", "poster", "href") and any(map(_FOREIGN.match, value.split(","))):
                self.faults.append(f"<{tag}> loads {address[:40]}")
            if name == "style":
                self.handle_style(value)

    def handle_endtag(self, tag: str) -> None:
        self._in_style = self._in_data = False

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.handle_style(data)
        if self._in_data:
            self.handle_json(data)

    def handle_json(self, text: str) -> None:
        """Find data for search engines that is not valid JSON, or that a browser might end too early."""
        try:
            json.loads(text)
        except ValueError:
            self.faults.append(f"the data is not valid JSON: {text[:40]}")
        if "<" in text:
            self.faults.append("the data contains '<'")

    def handle_style(self, css: str) -> None:
        """Find what a style loads: those of the site load nothing."""
        if found := re.search(r"url\(|@import|image-set\(", css, re.IGNORECASE):
            self.faults.append(f"a style loads {css[found.start() : found.start() + 40]}")


def find_faults(document: str) -> list[str]:
    """What would run in a document, or be loaded from elsewhere."""
    parser = _Parser()
    parser.feed(document)
    return parser.faults
