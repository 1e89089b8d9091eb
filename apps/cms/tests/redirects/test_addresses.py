"""Redirects to addresses of the site itself: whichever way the host and the language are written."""

from __future__ import annotations

import pytest

from apps.cms.tests.publishing.editing import Editor
from apps.cms.tests.redirects.test_redirects import add, ann, update
from remit.errors import NotFoundError
from remit_cms.pages.payloads import TranslatePage

__all__ = ["ann"]

OTHER = "https://shop.example.com/?locale=de"


async def test_the_language_of_an_address_is_kept_unless_another_one_is_said(ann: Editor) -> None:
    await ann.update((await ann.create("About us")).id, slug="about")
    german = TranslatePage(page_id="page_1", locale_code="de", title="Über uns", slug="ueber-uns")
    await ann.world.pages.translate_page(ann.call(), german)
    await ann.publish_page("page_1")
    assert (await add(ann, "/de/alt", "https://bakery.example/about")).href == "/about"
    assert (await add(ann, "/de/alt-2", "/en/about")).href == "/about"
    assert (await add(ann, "/old", "/de/ueber-uns", locale_code="en")).href == "/about"
    assert (await update(ann, "redirect_3", new_href="/de/ueber-uns")).href == "/de/ueber-uns"
    assert (await update(ann, "redirect_3", new_href=OTHER)).href == OTHER


@pytest.mark.parametrize(
    "host",
    [
        "BAKERY.example:443",
        "bakery.example:8443",
        "ann@bakery.example",
        "bakery.example.",
        "\uff42akery.example",
        "b%61kery.example",
        "bakery\u00ad.example",
        "bakery\u3002example",
    ],
)
async def test_the_site_is_known_however_its_host_is_written(ann: Editor, host: str) -> None:
    await ann.create("About")
    assert (await add(ann, "/old", f"https://{host}/about")).href == "/about"
    with pytest.raises(NotFoundError, match="There is no page or entry"):
        await add(ann, "/loop", f"https://{host}/loop")
