"""Pages as strangers serve them are read as browsers show them, or the error says why there is no text."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.cms.tests.world import World
from figures.ssrf import ListedHits
from figures.ssrf_world import Internet, Page
from remit.http.decoding import decode_body, is_binary
from remit_cms.web.payloads import FetchContent, FetchedPage
from remit_cms.web.research import Research
from tests.strangers.charsets import DECLARED
from tests.strangers.pages import PAGES, StrangePage


async def fetch(page: StrangePage, home: Path) -> FetchedPage:
    headers = {**({"content-type": page.kind} if page.kind else {}), **page.headers}
    async with Internet(pages={"/page": Page(page.body, headers=headers)}) as internet:
        research = Research(internet.http(), ListedHits([]))
        payload = FetchContent(urls=["http://mill.example/page"], text_max_characters=50_000)
        (found,) = (await research.fetch_content(World(home).call(), payload)).pages
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
async def test_a_page_is_read_as_browsers_show_it(page: StrangePage, tmp_path: Path) -> None:
    found = await fetch(page, tmp_path)
    assert page.says in (found.error or "")
    assert bool(found.error) == bool(page.says), found
    text = found.text or ""
    assert [each for each in page.texts if each not in text] == []
    assert [each for each in page.hidden if each in text] == []
    assert page.omits in " ".join(found.omitted or ())
    assert found.is_cut == page.is_cut


@pytest.mark.parametrize(("label", "content", "text"), DECLARED)
def test_a_page_is_read_in_the_charset_that_its_server_names(label: str, content: bytes, text: str) -> None:
    assert decode_body(content, f'text/plain; charset="{label}"') == text


def test_a_text_that_was_cut_within_a_letter_stays_in_its_charset() -> None:
    assert decode_body("g\u00e4".encode()[:-1], "text/plain", is_cut=True) == "g"
    assert decode_body("g\u00e4".encode()[:-1], "text/plain") == "g\u00c3"


def test_a_text_with_a_few_odd_signs_is_a_text() -> None:
    assert not is_binary("a\x00b")
    assert not is_binary("\x1b[1mbold\x1b[0m\f")
    assert is_binary("\x00\x01\x02")
