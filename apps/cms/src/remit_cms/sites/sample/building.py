"""Makes the sample site of its texts and pictures, as a value that is written like an imported one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final, cast

from pydantic import JsonValue

from remit_cms.images.pictures import Picture
from remit_cms.models import Content
from remit_cms.sites.package import DocumentPart, ImagePart, LanguagePart, RedirectPart, SitePackage, TemplatePart
from remit_cms.sites.sample.pictures import draw_picture
from remit_cms.storage.singles import NAVIGATION, REDIRECTS, SETTINGS, SingleType
from remit_cms.storage.snapshots import MetaSnapshot, SectionSnapshot, Snapshot
from remit_cms.storage.tables import Kind
from remit_cms.storage.translations import PageTexts
from remit_cms.templates.builtin import BUILTIN_TEMPLATES, DOCUMENT_TEMPLATES
from remit_cms.templates.slots import Row, Slot, SlotType, Structure

_FILE: Final = Path(__file__).parent / "site.yaml"
_LANGUAGES: Final = ("en", "de")
_MADE: Final = datetime(2025, 7, 1, 8, tzinfo=UTC)

_BREADS: Final = TemplatePart(
    kind=Kind.ENTRY,
    key="breads",
    name="Breads",
    description="What lies on the shelf.",
    structure=Structure(
        rows=(
            Row(slots=(Slot(key="picture", type=SlotType.IMAGE, label="Picture"),)),
            Row(slots=(Slot(key="price", type=SlotType.TEXT, label="Weight and price"),)),
            Row(slots=(Slot(key="text", type=SlotType.RICH_TEXT, label="Text", required=True),)),
        )
    ),
)


@cache
def build_sample() -> tuple[SitePackage, dict[str, bytes]]:
    """The sample site, and the contents of its images by digest. The same each time."""
    return _build(draw_picture)


@cache
def outline_sample() -> SitePackage:
    """The sample site without its pictures, which take longest to make: for previews."""
    package, _ = _build(lambda name: Picture(name.encode(), "image/jpeg", 1, 1))
    return package


def _build(draw: Callable[[str], Picture]) -> tuple[SitePackage, dict[str, bytes]]:
    import yaml  # noqa: PLC0415 - slow to import, seldom needed

    texts: dict[str, Any] = yaml.safe_load(_FILE.read_text("utf-8"))
    images, contents = _draw_images(texts["images"], draw)
    alts = {key: alt for key, (_, _, alt) in texts["images"].items()}
    sources = [("page", key, each) for key, each in texts["pages"].items()]
    sources += [
        ("entry", key, _as_entry("breads", ("picture", "price", "text"), each)) for key, each in texts["breads"].items()
    ]
    fields = ("cover", "author", "category", "excerpt", "body")
    sources += [("entry", key, _as_entry("posts", fields, each)) for key, each in texts["posts"].items()]
    documents = [_document(kind, key, each, alts) for kind, key, each in sources]
    navigation = [_item(number, *each) for number, each in enumerate(texts["navigation"])]
    documents.append(_single(NAVIGATION, navigation))
    redirects = [_redirect(number, *each) for number, each in enumerate(texts["short_addresses"])]
    documents.append(_single(REDIRECTS, redirects))
    values = _by_language(texts["settings"], alts)
    settings = SectionSnapshot(id="values", definition=SETTINGS.template, sort_order=0, contents=values)
    documents.append(_single(SETTINGS, [settings]))
    package = SitePackage(
        name=texts["name"],
        languages=[LanguagePart(code="en", name="English"), LanguagePart(code="de", name="Deutsch")],
        templates=[*_templates(), _BREADS],
        images=images,
        documents=documents,
        redirects=[RedirectPart(locale=code, path=path, page=page) for code, path, page in texts["redirects"]],
    )
    return package, contents


def _templates() -> list[TemplatePart]:
    kinds = [(Kind.PAGE, each) for each in BUILTIN_TEMPLATES]
    kinds += [(Kind(kind), each) for kind, each in DOCUMENT_TEMPLATES.items()]
    return [
        TemplatePart(kind=kind, key=each.key, name=each.name, description=each.description, structure=each.structure)
        for kind, each in kinds
    ]


def _draw_images(texts: Mapping[str, Any], draw: Callable[[str], Picture]) -> tuple[list[ImagePart], dict[str, bytes]]:
    parts: list[ImagePart] = []
    contents: dict[str, bytes] = {}
    for key, (focal_x, focal_y, alt) in texts.items():
        picture = draw(key)
        contents[picture.digest] = picture.content
        parts.append(
            ImagePart(
                id=key,
                source=picture.digest,
                digest=picture.digest,
                media_type="image/jpeg",
                width=picture.width,
                height=picture.height,
                name=f"{key}.jpg",
                alt=alt["en"],
                focal_x=focal_x,
                focal_y=focal_y,
                created_at=_MADE,
            )
        )
    return parts, contents


def _as_entry(collection: str, fields: tuple[str, ...], source: Mapping[str, Any]) -> dict[str, Any]:
    """An entry as a page with one section."""
    rest = {key: each for key, each in source.items() if key not in fields}
    return {**rest, "sections": [{collection: {key: source[key] for key in fields}}]}


def _document(kind: str, key: str, source: Mapping[str, Any], alts: Mapping[str, Any]) -> DocumentPart:
    title, slug, meta = source["title"], source["slug"], source.get("meta", {})
    numbers = count(1)
    sections = [
        _section(f"{key}-{number}", template, number if kind == "page" else 0, content, alts, numbers)
        for number, each in enumerate(source["sections"], 1)
        for template, content in each.items()
    ]
    state = Snapshot(
        id=key,
        kind=kind,
        locale="en",
        slug=slug["en"],
        title=title["en"],
        indexing=source.get("indexing", True),
        meta=MetaSnapshot(description=meta.get("en")),
        translations={"de": PageTexts(title=title["de"], slug=slug["de"], meta_description=meta.get("de"))},
        sections=sections,
        last_section=len(sections) if kind == "page" else 0,
        last_item=next(numbers) - 1,
    )
    given = cast("date | None", source.get("date"))
    made = _MADE if given is None else datetime.combine(given, time(8), UTC)
    return DocumentPart(draft=state, live=state, created_at=made, updated_at=made, published_at=made)


def _section(
    name: str,
    template: str,
    number: int,
    source: Mapping[str, Any],
    alts: Mapping[str, Any],
    numbers: Iterator[int],
) -> SectionSnapshot:
    """A section; its lists are those values of which each part has fields."""
    items = {
        slot: {f"i{next(numbers)}": each for each in cast("list[dict[str, Any]]", value)}
        for slot, value in source.items()
        if isinstance(value, list) and not isinstance(cast("list[Any]", value)[-1], str)
    }
    contents = _by_language({slot: value for slot, value in source.items() if slot not in items}, alts)
    for slot, by_item in items.items():
        texts = {item: _by_language(each, alts) for item, each in by_item.items()}
        for code in _LANGUAGES:
            contents[code][slot] = {item: each[code] for item, each in texts.items()}
    return SectionSnapshot(
        id=name,
        definition=template,
        sort_order=max(number - 1, 0),
        number=number,
        lists={slot: [*by_item] for slot, by_item in items.items()},
        contents=contents,
    )


def _item(number: int, label: Mapping[str, str], page: str, location: str) -> SectionSnapshot:
    content: Content = {"label": label["en"], "target": {"page": page}, "location": location, "visible": True}
    contents: dict[str, Content] = {"en": content, "de": {"label": label["de"]}}
    return SectionSnapshot(id=f"item-{number}", definition=NAVIGATION.template, sort_order=number, contents=contents)


def _redirect(number: int, path: str, page: str) -> SectionSnapshot:
    contents: dict[str, Content] = {"en": {"path": path, "target": {"page": page}}}
    return SectionSnapshot(id=f"redirect-{number}", definition=REDIRECTS.template, sort_order=number, contents=contents)


def _single(single: SingleType, sections: list[SectionSnapshot]) -> DocumentPart:
    slug, title = single.slug, single.title
    state = Snapshot(id=slug, kind=single.kind, locale="en", slug=slug, title=title, indexing=False, sections=sections)
    return DocumentPart(draft=state, live=state, created_at=_MADE, updated_at=_MADE, published_at=_MADE)


def _by_language(source: Mapping[str, Any], alts: Mapping[str, Any]) -> dict[str, Content]:
    """The content of a section by language. What is the same in both stands in the first alone."""
    contents: dict[str, Content] = {code: {} for code in _LANGUAGES}
    for slot, value in source.items():
        for code in _LANGUAGES:
            found = _value(value, code) if slot not in _IMAGES else {"imageId": value, "alt": alts[value][code]}
            if code == _LANGUAGES[0] or found != contents[_LANGUAGES[0]][slot]:
                contents[code][slot] = found
    return contents


_IMAGES: Final = ("image", "cover", "picture")


def _value(value: Any, code: str) -> JsonValue:
    if isinstance(value, list):
        text, page = cast("list[Any]", value)
        return {"text": text[code], "url": f"page:{page}"}
    if isinstance(value, dict) and {*_LANGUAGES} == {*cast("dict[str, Any]", value)}:
        return cast("dict[str, Any]", value)[code]
    return cast("JsonValue", value)
