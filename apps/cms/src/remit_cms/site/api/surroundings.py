"""What stands around the pages of a site, as the API gives it: types, navigation and settings."""

from __future__ import annotations

from sqlalchemy import and_, or_, select

from remit_cms.settings.values import read_settings
from remit_cms.site.api.documents import Reader
from remit_cms.site.api.models import Field, Language, Navigation, NavigationItem, Settings, Type, Types
from remit_cms.site.api.values import Values
from remit_cms.site.feeds import find_collections
from remit_cms.site.menus import link_items
from remit_cms.storage.images import load_images
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.tables import Kind, Locale, SectionDefinition
from remit_cms.templates.slots import Slot, Structure


async def load_types(scope: Scope) -> list[tuple[SectionDefinition, Structure]]:
    """The types of sections, and the collections with entries that visitors see, by key.

    The name of a collection is public with its first entry, which a person has approved.
    """
    shown = and_(SectionDefinition.kind == Kind.ENTRY, SectionDefinition.key.in_(await find_collections(scope)))
    query = select(SectionDefinition).where(
        scope.target.row_filter(SectionDefinition), or_(SectionDefinition.kind == Kind.PAGE, shown)
    )
    rows = await scope.session.scalars(query.order_by(SectionDefinition.key))
    return [(row, parse_structure(row)) for row in rows]


async def list_types(reader: Reader) -> Types:
    """The types, with their fields."""
    return Types(
        items=[
            Type(
                key=row.key,
                name=row.name,
                kind="entry" if row.kind == Kind.ENTRY else "section",
                fields=_show_fields(structure),
            )
            for row, structure in await load_types(reader.scope)
        ]
    )


def _show_fields(structure: Structure) -> list[Field]:
    def show(slot: Slot) -> Field:
        return Field(
            key=structure.shown_key(slot.key),
            type=slot.type.value,
            label=slot.label,
            required=slot.required,
            options=[*slot.options],
            fields=_show_fields(slot.item),
        )

    return [show(slot) for slot in structure.slots]


async def read_navigation(reader: Reader) -> Navigation:
    """The visible items that lead somewhere."""
    return Navigation(
        items=[
            NavigationItem(
                id=link.item.id,
                label=link.item.label,
                location=link.item.location,
                url=link.href if link.item.page is None else f"{reader.url}{link.href}",
                page=link.item.page,
            )
            for link in await link_items(reader.scope, reader.locale, reader.edition)
        ]
    )


async def show_settings(reader: Reader) -> Settings:
    """What visitors see of the settings. Editors' instructions and the hosts of forms are left out."""
    scope = reader.scope
    settings = await read_settings(scope, reader.edition.settings, reader.locale)
    rows = await scope.session.scalars(select(Locale).where(Locale.site == scope.target.site))
    languages = {row.code: row for row in rows}
    images = await load_images(scope, [{"logo": settings.logo}])
    home = reader.edition.home or reader.edition.stand_in
    return Settings(
        name=settings.name,
        tagline=settings.tagline,
        url=reader.url,
        locale=reader.locale,
        languages=[
            Language(code=code, name=languages[code].name, is_default=code == scope.default_locale)
            for code in scope.locales
        ],
        home_page=None if home is None else home.page,
        logo=None if settings.logo is None else Values(reader.url, images).read_image(settings.logo),
        time_zone=settings.time_zone or "UTC",
        theme=settings.theme or {},
    )
