"""Finds types, and says what they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import and_, func, or_, select

from remit.errors import ConflictError, NotFoundError
from remit_cms.storage.scope import Scope, parse_structure
from remit_cms.storage.tables import Kind, PageSection, SectionDefinition
from remit_cms.templates.builtin import BUILTIN_TEMPLATES, DOCUMENT_TEMPLATES
from remit_cms.templates.slots import Structure
from remit_cms.templates.values import describe_slot
from remit_cms.types.payloads import TypeKind, TypeView

DESIGNED: Final = frozenset(template.key for template in BUILTIN_TEMPLATES)
"""The templates of sections with a design of their own, which shows their fields and no others."""
POSTS: Final = DOCUMENT_TEMPLATES["entry"]
_KINDS: Final = (Kind.PAGE.value, Kind.ENTRY.value)


async def find_type(scope: Scope, id_or_key: str) -> SectionDefinition:
    """The type with this id, key or name.

    Raises:
        NotFoundError: names all types that the site has made, and posts.
    """
    named = or_(
        SectionDefinition.id == id_or_key,
        SectionDefinition.key == id_or_key.casefold(),
        func.lower(SectionDefinition.name) == id_or_key.casefold(),
    )
    of_kind = and_(scope.target.row_filter(SectionDefinition), SectionDefinition.kind.in_(_KINDS))
    rows = (await scope.session.scalars(select(SectionDefinition).where(of_kind, named))).all()
    if rows:
        return min(rows, key=lambda row: (row.id != id_or_key, row.key != id_or_key.casefold(), row.key))
    own = ", ".join(row.key for row in await list_types(scope, None))
    raise NotFoundError(f"There is no type '{id_or_key}'. The types of the site: {own}. cms_defineType makes one.")


async def list_types(scope: Scope, kind: TypeKind | None) -> list[SectionDefinition]:
    """The types of a kind, by key; of all kinds without the templates of sections that every site has."""
    of_kind = and_(scope.target.row_filter(SectionDefinition), SectionDefinition.kind.in_(_KINDS))
    rows = await scope.session.scalars(select(SectionDefinition).where(of_kind).order_by(SectionDefinition.key))
    return [row for row in rows if (kind_of(row) == kind if kind else row.key not in DESIGNED)]


def kind_of(row: SectionDefinition) -> TypeKind:
    """What a type is of."""
    if row.kind == Kind.PAGE:
        return "section"
    return "single" if parse_structure(row).is_single else "entries"


async def count_entries(scope: Scope) -> Mapping[str, int]:
    """How many drafts there are of each type, by its id."""
    query = (
        select(PageSection.definition, func.count())
        .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
        .where(scope.target.row_filter(SectionDefinition), SectionDefinition.kind == Kind.ENTRY)
        .group_by(PageSection.definition)
    )
    return {row[0]: row[1] for row in await scope.session.execute(query)}


def view_type(row: SectionDefinition, entries: int | None = None) -> TypeView:
    """A type as operations show it."""
    structure, kind = parse_structure(row), kind_of(row)
    return TypeView(
        id=row.id,
        key=row.key,
        name=row.name,
        kind=kind,
        fields=[describe_slot(slot) for slot in structure.shown.slots],
        sorted_by=structure.shown_keys.get(structure.sorted_by),
        entries=entries if kind != "section" else None,
    )


def check_may_change(row: SectionDefinition, old: Structure, new: Structure) -> None:
    """Refuse changes of fields that a design, or the tools of posts, take for granted.

    Raises:
        ConflictError: says what can be changed.
    """
    if row.key in DESIGNED and old != new:
        raise ConflictError(
            f"'{row.key}' has a design of its own, which shows its fields and no others. Its name can be changed; for "
            "other fields define a section of your own with cms_defineType."
        )
    if row.key != POSTS.key:
        return
    changed = {slot.key: (slot.name, slot.type) for slot in new.slots}
    for slot in POSTS.structure.slots:
        if changed.get(slot.key) != ("", slot.type):
            raise ConflictError(
                f"'{slot.key}' belongs to all posts: it keeps its name and kind, and stays. Posts can have further "
                "fields, other labels and another order."
            )
