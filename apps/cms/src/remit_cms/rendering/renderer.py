"""Renders a page as an HTML document, and writes it where a browser can open it."""

from __future__ import annotations

import asyncio
import os
import tempfile
from base64 import b64encode
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from jinja2 import FileSystemLoader
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup
from pydantic import JsonValue
from sqlalchemy import select

from remit_cms.models import Content
from remit_cms.navigation.items import Item, Location, load_items
from remit_cms.rendering.rich_text import render_rich_text
from remit_cms.sections.contents import load_sections
from remit_cms.settings.values import load_settings
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope, Target, parse_structure
from remit_cms.storage.tables import Page, SectionDefinition
from remit_cms.storage.transactions import open_view
from remit_cms.templates.slots import Slot, SlotType, Structure
from remit_cms.templates.values import url_scheme

_TEMPLATE_FOLDER: Final = Path(__file__).parent / "html"


@dataclass(frozen=True, slots=True)
class RenderableField:
    """A filled slot, ready to render: rich text is safe HTML, the template escapes everything else."""

    key: str
    type: str
    value: JsonValue | Markup


@dataclass(frozen=True, slots=True)
class RenderableSection:
    """A section, ready to render. ``fields`` are in the template's order."""

    key: str
    fields: tuple[RenderableField, ...]

    @property
    def content(self) -> dict[str, JsonValue | Markup]:
        """The values by slot key."""
        return {field.key: field.value for field in self.fields}


class PageRenderer:
    """Renders the pages of all sites.

    Args:
        database: the database with the pages.
        folder: documents go to ``<folder>/<site>/<environment>/<slug>.html``, and those of other locales than the
            default to a subfolder each.
    """

    def __init__(self, database: Database, folder: Path) -> None:
        self._database = database
        self._folder = folder
        self._jinja = SandboxedEnvironment(
            loader=FileSystemLoader(_TEMPLATE_FOLDER), autoescape=True, trim_blocks=True, lstrip_blocks=True
        )
        self._css = (_TEMPLATE_FOLDER / "site.css").read_text()

    async def render(self, target: Target, id_or_slug: str, locale: str | None = None) -> str:
        """The page with this id or slug as an HTML document.

        Raises:
            NotFoundError: no such page.
            InvalidArgumentsError: the site has no such locale.
        """
        async with open_view(self._database, target) as scope:
            return await self._render_document(scope, await scope.find_page(id_or_slug), scope.resolve_locale(locale))

    async def write(self, target: Target, id_or_slug: str, locale: str | None = None) -> Path:
        """Write the page's document atomically, and return its path."""
        async with open_view(self._database, target) as scope:
            page, code = await scope.find_page(id_or_slug), scope.resolve_locale(locale)
            text = await self._render_document(scope, page, code)
            folder = self._folder / target.site / target.environment
            path = (folder if code == scope.default_locale else folder / code) / f"{page.slug}.html"
        await asyncio.to_thread(_write_atomically, path, text)
        return path

    async def _render_document(self, scope: Scope, page: Page, locale: str) -> str:
        settings = await load_settings(scope, live=False, locale=locale)
        items = [_to_link(item) for item in await load_items(scope, live=False, locale=locale) if item.visible]
        css = self._css + settings.theme_css
        blocks = await _prepare_sections(scope, page, locale)
        return self._jinja.get_template("page.html").render(
            policy=_content_security_policy(css),
            style=Markup(css),  # noqa: S704 - our own file, and values that settings check
            site=settings.name,
            tagline=settings.tagline,
            header=[item for item in items if item and item.location in ("header", "both")],
            footer=[item for item in items if item and item.location in ("footer", "both")],
            page_id=page.id,
            locale=locale,
            title=page.title,
            meta_title=page.meta_title or f"{page.title} · {settings.name}",
            meta_description=page.meta_description,
            indexing=page.indexing and page.status == "published",
            blocks=blocks,
            opened=bool(blocks) and blocks[0].key == "hero",
        )


@dataclass(frozen=True, slots=True)
class RenderableLink:
    """A link of the navigation. ``page`` is the id of the page that it leads to, if it is one of this site."""

    label: str
    href: str
    location: Location
    page: str | None


def _to_link(item: Item) -> RenderableLink | None:
    """A link to a document beside this one, or to another server; None for one whose page was deleted."""
    href = item.url or (f"{item.page.slug}.html" if item.page else None)
    return None if href is None else RenderableLink(item.label, href, item.location, item.wanted)


def _content_security_policy(css: str) -> str:
    digest = b64encode(sha256(css.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src 'self' data:; media-src 'self'; "
        "base-uri 'none'; form-action 'none'"
    )


async def _prepare_sections(scope: Scope, page: Page, locale: str) -> list[RenderableSection]:
    views = await load_sections(scope, page, locale=locale)
    rows = await scope.session.scalars(
        select(SectionDefinition).where(
            scope.target.row_filter(SectionDefinition), SectionDefinition.key.in_({view.section_key for view in views})
        )
    )
    structures = {row.key: parse_structure(row) for row in rows}
    return [prepare_section(view.section_key, structures[view.section_key], view.content or {}) for view in views]


def prepare_section(key: str, structure: Structure, content: Content) -> RenderableSection:
    """Prepare the content of a section: render rich text, and drop unsafe links."""
    return RenderableSection(
        key,
        tuple(
            RenderableField(slot.key, slot.type.value, value)
            for slot in structure.slots
            if (value := _prepare_value(slot, content.get(slot.key))) is not None
        ),
    )


def _prepare_value(slot: Slot, value: JsonValue) -> JsonValue | Markup:
    if slot.type is SlotType.RICH_TEXT:
        return render_rich_text(value) if isinstance(value, str) and value.strip() else None
    if isinstance(value, dict):
        scheme = url_scheme(str(value.get("url", "")))
        return {**value, "local": scheme == ""} if scheme is not None else None
    return value or None


def _write_atomically(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-", suffix=".html")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
