"""The direction of languages, and of documents in them."""

from __future__ import annotations

import pytest

from apps.cms.tests.world import World
from remit_cms.rendering.directions import direction_of
from remit_cms.rendering.documents import PageDocument

FROM_RIGHT = ("ar", "ar-EG", "he", "fa-IR", "ur", "yi", "az-Arab", "ku", "pa-Arab-PK", "ckb")
FROM_LEFT = ("en", "de-AT", "az", "ku-Latn", "sr-Cyrl", "ar-Latn-EG", "zh-Hant", "ks-Deva", "de-1996")


def test_languages_are_written_in_the_direction_of_their_script() -> None:
    assert {each: direction_of(each) for each in FROM_RIGHT} == dict.fromkeys(FROM_RIGHT, "rtl")
    assert {each: direction_of(each) for each in FROM_LEFT} == dict.fromkeys(FROM_LEFT, "ltr")


@pytest.mark.parametrize(
    ("locale", "text_locale", "tags"),
    [
        ("he", "he", ('<html lang="he" dir="rtl">', '<main id="content" class="article">')),
        ("he", "ar", ('<html lang="he" dir="rtl">', '<main id="content" class="article" lang="ar">')),
        ("ar", "en", ('<html lang="ar" dir="rtl">', '<main id="content" class="article" lang="en" dir="ltr">')),
        ("en", "fa", ('<html lang="en">', '<main id="content" class="article" lang="fa" dir="rtl">')),
        ("en", "de", ('<html lang="en">', '<main id="content" class="article" lang="de">')),
    ],
)
def test_a_document_and_its_texts_have_their_directions(
    world: World, locale: str, text_locale: str, tags: tuple[str, str]
) -> None:
    document = PageDocument(
        site="Bakery",
        locale=locale,
        text_locale=text_locale,
        title="Bread",
        meta_title="Bread",
        meta_description=None,
        indexing=True,
        sections=(),
        images={},
    )
    html = world.rendering.render_document(document, {})
    assert [tag for tag in tags if tag not in html] == []
