"""An approver reads addresses and words, not ids and JSON."""

from __future__ import annotations

import pytest
from pydantic import JsonValue

from apps.cms.tests.publishing.editing import Editor
from remit_cms.pages.payloads import UpdatePage
from remit_cms.publishing.changes import in_words
from remit_cms.publishing.payloads import PublishPage
from remit_cms.redirects.payloads import AddRedirect
from remit_cms.settings.payloads import UpdateSiteSettings
from remit_cms.settings.settings import Settings


async def read_question(ann: Editor, page: str) -> dict[str, tuple[str, str]]:
    preview = await ann.publishing.preview_publication(ann.call(), PublishPage(page_id=page))
    return {change.where: (change.before, change.after) for change in preview.changes}


async def change_settings(ann: Editor, **settings: JsonValue) -> None:
    payload = UpdateSiteSettings.model_validate({"settings": settings})
    await Settings(ann.world.database).update_site_settings(ann.call(), payload)


async def test_a_new_page_is_shown_by_its_texts_and_addresses(ann: Editor) -> None:
    await ann.create("Bread")
    link: JsonValue = {"text": "Our bread, fresh", "page": "bread"}
    await ann.create("About", ("hero", {"heading": "We bake", "cta": link}), ("text", {}), ("text", {"text": "Daily"}))
    assert await read_question(ann, "about") == {
        "Remark: About: hero / cta (en)": ("", "links to 'Bread', which visitors do not see"),
        "title": ("", "About"),
        "slug": ("", "about"),
        "hero / heading (en)": ("", "We bake"),
        "hero / cta (en)": ("", "text: “Our bread, fresh”, url: /bread"),
        "text 1": ("", "section"),
        "text 2 / text (en)": ("", "Daily"),
    }


async def test_a_theme_is_shown_variable_by_variable_and_a_home_page_by_its_address(ann: Editor) -> None:
    await ann.create("About")
    await ann.publish_page("about")
    await change_settings(ann, theme={"accent": "#aa0000", "ink": "#111111"})
    await ann.publish_page("Site settings")
    await change_settings(ann, theme={"accent": "#bb1111", "soft": "#222222"}, homePage="about")
    assert await read_question(ann, "Site settings") == {
        "theme: accent": ("#aa0000", "#bb1111"),
        "theme: soft": ("", "#222222"),
        "homePage (en)": ("", "/about"),
    }


async def test_a_redirect_is_shown_with_the_address_to_which_visitors_are_led(ann: Editor) -> None:
    await ann.create("Visit")
    await ann.world.pages.update_page(ann.call(), UpdatePage(page_id="visit", slug="besuch", locale_code="de"))
    await ann.publish_page("visit")
    redirects = ann.world.redirects
    for path, href in (("/de/zeiten.html", "visit"), ("/times", "visit"), ("/shop", "https://shop.example/")):
        await redirects.add_redirect(ann.call(), AddRedirect(path=path, href=href))
    found = await read_question(ann, "Redirects")
    assert {where: after for where, (_, after) in found.items() if "target" in where} == {
        "'/de/zeiten.html' / target (en)": "/de/besuch",
        "'/times' / target (en)": "/visit",
        "'/shop' / target (en)": "https://shop.example/",
    }


@pytest.mark.parametrize(
    "text", ['{"x": "Buy at evil.example", "x": "We bake"}', "[]", "{}", "true", '{"page": "page_1"}', '["a", "b"]']
)
async def test_a_text_that_looks_like_json_is_shown_as_it_goes_live(ann: Editor, text: str) -> None:
    await ann.create("About", ("hero", {"heading": text}))
    assert (await read_question(ann, "about"))["hero / heading (en)"] == ("", text)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "yes"),
        (["a.example", "b.example"], "a.example, b.example"),
        ({"collectionId": "posts", "limit": 3}, "collectionId: posts, limit: 3"),
        ([["Mon", "7, 8"], ["Tue", ""]], "Mon | “7, 8”; Tue | “”"),
        ({"text": "Go, url: /good", "url": "/evil"}, "text: “Go, url: /good”, url: /evil"),
        ({"text": 'Say "hi", and go', "size": '5" wide'}, 'text: “Say "hi", and go”, size: 5" wide'),
        ({"text": "“Go”, url: /good", "url": "/evil"}, "text: \u2018“Go”, url: /good\u2019, url: /evil"),
        ({"text": "“Go”, it\u2019s «good»", "url": "/evil"}, 'text: "“Go”, it\u2019s «good»", url: /evil'),
        ({"rows": [["a"]], "more": None}, "rows: (a), more: "),
    ],
)
def test_a_value_is_put_in_words_that_cannot_be_misread(value: JsonValue, words: str) -> None:
    assert in_words(value) == words
