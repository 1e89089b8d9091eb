"""Pages as people see them."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from pydantic import JsonValue
from sqlalchemy import update

from apps.cms.tests.rendering.document import Document
from apps.cms.tests.world import ELSEWHERE, HOME, World
from remit.errors import InvalidArgumentsError, NotFoundError
from remit_cms.models import Content
from remit_cms.pages.payloads import Meta, UpdatePage
from remit_cms.sections.payloads import UpdateSectionContent
from remit_cms.storage.tables import SectionDefinition
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from remit_cms.templates.slots import Slot, SlotType

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "{{ 1234 * 1000 }}{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "<svg/onload=alert(1)>",
    "<!--<script>-->",
    "&lt;script&gt;",
    "<base href=https://evil.example>",
]


def filled(slot: Slot, text: str) -> Content:  # noqa: PLR0911 - one answer for each kind
    """A slot with ``text`` wherever it takes a text."""
    match slot.type:
        case SlotType.IMAGE:
            return {slot.key: {"url": "/media/a.png", "alt": text}}
        case SlotType.MEDIA:
            return {slot.key: {"url": "/media/a.mp4", "caption": text}}
        case SlotType.LINK:
            return {slot.key: {"text": text, "url": "/a?x=" + text.replace(" ", "+").replace("\\", "")}}
        case SlotType.DATE | SlotType.NUMBER | SlotType.YES_NO | SlotType.REFERENCE:
            return {}
        case SlotType.OPTION | SlotType.COLLECTION_REF:
            return {slot.key: slot.options[0] if slot.options else {"collectionId": "posts"}}
        case SlotType.LIST:
            return {slot.key: [{key: value for each in slot.fields for key, value in filled(each, text).items()}]}
        case SlotType.TEXT | SlotType.RICH_TEXT:
            pass
    return {slot.key: text}


def every_section(text: str) -> list[tuple[str, Content]]:
    """A section of every template with ``text`` in every slot."""
    return [
        (
            template.key,
            {key: value for slot in template.structure.slots for key, value in filled(slot, text).items()},
        )
        for template in BUILTIN_TEMPLATES
    ]


@pytest.mark.parametrize("hostile", HOSTILE)
async def test_hostile_text_in_every_field_is_shown_and_never_obeyed(world: World, hostile: str) -> None:
    page = await world.page("About", *every_section(hostile))
    await world.pages.update_page(
        world.call(),
        UpdatePage(page_id=page.id, title=hostile, meta=Meta(title=hostile, description=hostile)),
    )
    document = Document(await world.rendering.render(HOME, "about"))
    innocent = Document(await world.rendering.render(HOME, (await world.page("Other", *every_section("x"))).id))
    assert set(document.tags) <= {*innocent.tags, "strong"}
    assert {name for name, _ in document.attributes} <= {name for name, _ in innocent.attributes} | {"content"}
    assert document.tags.count("script") == 0
    assert "1234000" not in "".join(document.texts)


async def test_a_page_is_a_complete_document_with_a_strict_policy(world: World) -> None:
    await world.page("About", ("hero", {"heading": "We bake bread"}))
    html = await world.rendering.render(HOME, "about")
    document = Document(html)
    attributes = dict(document.attributes)
    assert html.startswith('<!doctype html>\n<html lang="en">')
    policy = next(
        value for name, value in document.attributes if name == "content" and value and "default-src" in value
    )
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest}'",
        "img-src 'self' data:",
        "media-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    assert attributes["lang"] == "en"
    assert "We bake bread" in document.texts
    assert "url(" not in style[1]
    assert "@import" not in style[1]


async def test_a_page_has_one_main_heading(world: World) -> None:
    await world.page("Opened", ("hero", {"heading": "Big"}), ("hero", {"heading": "Small"}))
    await world.page("Plain", ("text", {"heading": "Small", "content": "# Loud"}))
    await world.page("Empty")
    opened, plain, empty = [await world.rendering.render(HOME, slug) for slug in ("opened", "plain", "empty")]
    assert re.findall(r"<h1>(.*?)</h1>", opened) == ["Big"]
    assert re.findall(r"<h1>(.*?)</h1>", plain) == ["Plain"]
    assert re.findall(r"<h1>(.*?)</h1>", empty) == ["Empty"]


async def test_a_page_of_texts_alone_is_set_like_an_article(world: World) -> None:
    gallery: Content = {"pictures": []}
    await world.page("Words", ("text", {"content": "We bake."}), ("faq", {"questions": [{"question": "When?"}]}))
    await world.page("Both", ("text", {"content": "We bake."}), ("gallery", gallery))
    words, both = [await world.rendering.render(HOME, slug) for slug in ("words", "both")]
    assert re.findall(r'<main id="content"(.*?)>', words) == [' class="article"']
    assert re.findall(r'<main id="content"(.*?)>', both) == [""]
    assert re.findall(r'class="(block.*?)"', both) == ["block text", "block wide gallery"]


async def test_headings_of_texts_are_below_those_around_them(world: World) -> None:
    steps: list[JsonValue] = [{"title": "Knead", "text": "# By hand\n\n## Long"}]
    await world.page(
        "Baking",
        ("hero", {"heading": "Bread", "content": "# Ours"}),
        ("steps", {"heading": "Steps", "content": "# First", "steps": steps}),
        ("steps", {"steps": steps}),
        ("text", {"content": "# Alone"}),
        ("text", {"heading": "Text", "content": "### With"}),
    )
    html = await world.rendering.render(HOME, "baking")
    assert re.findall(r"<(h\d)>(.*?)</h\d>", html) == [
        *(("h1", "Bread"), ("h2", "Ours")),
        *(("h2", "Steps"), ("h3", "First"), ("h3", "Knead"), ("h4", "By hand"), ("h5", "Long")),
        *(("h2", "Knead"), ("h3", "By hand"), ("h4", "Long")),
        ("h2", "Alone"),
        *(("h2", "Text"), ("h3", "With")),
    ]


async def test_every_template_shows_every_one_of_its_texts(world: World) -> None:
    for template in BUILTIN_TEMPLATES:
        content = {
            key: value
            for number, slot in enumerate(template.structure.slots)
            for key, value in filled(slot, f"words{number}").items()
        }
        page = await world.page(template.name, (template.key, content))
        html = await world.rendering.render(HOME, page.slug)
        for number, slot in enumerate(template.structure.slots):
            wordless = slot.type in (SlotType.OPTION, SlotType.COLLECTION_REF)
            assert wordless or f"words{number}" in html, (template.key, slot.key)


async def test_a_template_of_the_sites_own_is_shown_slot_by_slot(world: World) -> None:
    sections = every_section("hello")
    await world.page("About", *sections)
    async with world.database.write() as session:
        await session.execute(
            update(SectionDefinition)
            .where(SectionDefinition.site == HOME.site)
            .values(key="own-" + SectionDefinition.key)
        )
    html = await world.rendering.render(HOME, "about")
    assert html.count('class="block own-') == len(sections)
    for part in ("<p>hello</p>", "<h2>hello</h2>", 'alt="hello"', "<video", '<a class="button"'):
        assert part in html


async def test_a_picture_from_elsewhere_is_linked_and_not_fetched(world: World) -> None:
    for url in ("https://evil.example/a.png", "//evil.example/a.png"):
        page = await world.page(f"Page {url}", ("hero", {"heading": "x", "image": {"url": url, "alt": "A loaf"}}))
        html = await world.rendering.render(HOME, page.slug)
        assert "<img" not in html
        assert f'<a href="{url}"' in html
    await world.page("Film", ("media", {"media": {"url": "https://evil.example/a.mp4"}}))
    assert "<video" not in await world.rendering.render(HOME, "film")


async def test_a_page_is_shown_in_another_language_with_the_default_where_it_is_silent(world: World) -> None:
    page = await world.page("About", ("hero", {"heading": "We bake", "subheading": "Daily"}))
    await world.sections.update_section_content(
        world.call(),
        UpdateSectionContent(page_section_id=page.sections[0].id, content={"heading": "Wir backen"}, locale_code="de"),
    )
    german = await world.rendering.render(HOME, "about", "de")
    assert '<html lang="de">' in german
    assert "<h1>Wir backen</h1>" in german
    assert "Daily" in german


async def test_drafts_and_hidden_pages_ask_not_to_be_indexed(world: World) -> None:
    page = await world.page("About")
    assert '<meta name="robots" content="noindex">' in await world.rendering.render(HOME, page.slug)


async def test_search_engine_texts_are_in_the_head(world: World) -> None:
    page = await world.page("About")
    assert "<title>About · Local site</title>" in await world.rendering.render(HOME, "about")
    await world.pages.update_page(
        world.call(), UpdatePage(page_id=page.id, meta=Meta(title="Bakery", description="Bread & cake"))
    )
    html = await world.rendering.render(HOME, "about")
    assert "<title>Bakery</title>" in html
    assert '<meta name="description" content="Bread &amp; cake">' in html


async def test_a_page_is_written_whole_where_its_site_language_and_slug_say(world: World, tmp_path: Path) -> None:
    await world.page("About", ("hero", {"heading": "Hi"}))
    english = await world.rendering.write(HOME, "about")
    german = await world.rendering.write(HOME, "about", "de")
    assert english == tmp_path / "sites" / "local-site" / "main" / "about.html"
    assert german == tmp_path / "sites" / "local-site" / "main" / "de" / "about.html"
    assert english.read_text() == await world.rendering.render(HOME, "about")
    assert sorted(path.name for path in english.parent.iterdir()) == ["about.html", "de"]


async def test_a_write_that_fails_leaves_the_page_before_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    await world.page("About")
    path = await world.rendering.write(HOME, "about")
    before = path.read_text()

    def full(self: Path, target: Path) -> Path:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space left"):
        await world.rendering.write(HOME, "about")
    assert path.read_text() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["about.html"]


async def test_what_is_not_there_is_not_rendered(world: World) -> None:
    await world.page("About")
    with pytest.raises(NotFoundError, match="There is no page or entry 'about'"):
        await world.rendering.render(ELSEWHERE, "about")
    with pytest.raises(InvalidArgumentsError, match="No locale 'fr'"):
        await world.rendering.write(HOME, "about", "fr")
