"""Finds the pages and entries that links name, and their addresses."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqlalchemy import ColumnElement, and_, or_, select

from remit.errors import NotFoundError
from remit_cms.models import Content
from remit_cms.storage.keys import name_key
from remit_cms.storage.scope import Scope, slug_of
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind, LivePath, Page, PageTranslation, Revision
from remit_cms.storage.translations import load_texts, localize_texts, slugs_by_locale
from remit_cms.templates.references import (
    KINDS,
    NamedTarget,
    ObjectRef,
    iterate_references,
    iterate_targets,
    replace_references,
    rewrite_links,
)
from remit_cms.templates.slots import SlotType, Structure


@dataclass(frozen=True, slots=True)
class Overlay:
    """What a preview changes of the live site.

    Addresses begin with ``prefix``, ``paths`` are those of some pages by locale, ``snapshots`` the states of some.
    ``hidden`` are the ids of pages that visitors would not see.
    """

    prefix: str = ""
    paths: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    snapshots: Mapping[str, Snapshot] = field(default_factory=dict[str, Snapshot])
    hidden: Collection[str] = ()

    @property
    def is_shown(self) -> ColumnElement[bool]:
        """The condition that a page is shown: it is live or in the preview, which does not hide it."""
        shown: ColumnElement[bool] = Page.live.is_not(None)
        if self.snapshots:
            shown = or_(shown, Page.id.in_(self.snapshots))
        return and_(shown, Page.id.not_in(self.hidden)) if self.hidden else shown


async def link_objects(scope: Scope, structure: Structure, content: Content) -> Content:
    """The content with references in place of what its links name.

    Raises:
        NotFoundError: a reference names nothing, or a list a collection that does not exist.
    """
    await _check_collections(scope, structure, content)
    targets = [*iterate_targets(structure, content)]
    if not targets:
        return content
    found = await find_objects(scope, {target.name for target in targets})

    def find(target: NamedTarget) -> ObjectRef | None:
        named = found.get(target.name)
        if target.kind and (named is None or named.kind != target.kind):
            raise NotFoundError(f"There is no {target.kind} '{target.name}' to link to, or several have that name.")
        return named

    return rewrite_links(structure, content, find)


async def _check_collections(scope: Scope, structure: Structure, content: Content) -> None:
    for slot in structure.slots:
        value = content.get(slot.key)
        if slot.type is SlotType.COLLECTION_REF and isinstance(value, dict):
            await scope.find_definition(str(value.get("collectionId")), Kind.ENTRY)


async def resolve_links(
    scope: Scope, content: Content, locale: str, *, live: bool, overlay: Overlay | None = None
) -> Content:
    """The content with addresses in place of references: of live objects, or of drafts for those who may see these."""
    references = {*iterate_references(content)}
    addresses = await find_addresses(scope, references, locale, live=live, overlay=overlay) if references else {}
    return {key: replace_references(value, addresses) for key, value in content.items()}


async def show_references(
    scope: Scope, structure: Structure, content: Content, locale: str, *, live: bool, overlay: Overlay | None = None
) -> Content:
    """The content with address and title in place of what its references name; what readers do not see is left out."""
    if not has_references(structure):
        return content
    named = {*iterate_references(content)}
    addresses = await find_addresses(scope, named, locale, live=live, overlay=overlay)
    return place_references(
        structure, content, addresses, await find_titles(scope, addresses, locale, live=live, overlay=overlay)
    )


def has_references(structure: Structure) -> bool:
    """Whether a type has fields that name a page or entry, in items of lists too."""
    return any(slot.type is SlotType.REFERENCE for each in structure.slots for slot in (each, *each.fields))


def place_references(
    structure: Structure, content: Content, addresses: Mapping[ObjectRef, str], titles: Mapping[ObjectRef, str]
) -> Content:
    """The content with these addresses and titles in place of what its references name."""
    slots, shown = {slot.key: slot for slot in structure.slots}, Content()
    for key, value in content.items():
        slot = slots.get(key)
        if slot is not None and slot.type is SlotType.LIST and isinstance(value, list):
            shown[key] = [
                place_references(slot.item, each, addresses, titles) if isinstance(each, dict) else each
                for each in value
            ]
        elif slot is None or slot.type is not SlotType.REFERENCE:
            shown[key] = value
        else:
            for each in iterate_references(value):
                if each in addresses:
                    shown[key] = {"url": addresses[each], "text": titles.get(each, "")}
    return shown


async def find_titles(
    scope: Scope, references: Collection[ObjectRef], locale: str, *, live: bool, overlay: Overlay | None = None
) -> dict[ObjectRef, str]:
    """The titles of objects in a language: those that visitors see, or those of the drafts."""
    pinned = (overlay or Overlay()).snapshots
    texts = {each.id: pinned[each.id].texts for each in references if each.id in pinned}
    others = scope.target.id_filter(Page, Page.id, {each.id for each in references} - texts.keys())
    if live:
        is_live = (Revision.page == Page.id) & (Revision.number == Page.live)
        query = select(Page.id, Revision.snapshot).join(Revision, is_live).where(others)
        rows = (await scope.session.execute(query)).all()
        texts |= {page: Snapshot.model_validate(snapshot).texts for page, snapshot in rows}
    else:
        texts |= await load_texts(scope, [*await scope.session.scalars(select(Page).where(others))])
    chain = scope.fallback_chain(locale)
    return {each: localize_texts(texts[each.id], chain).texts.title or "" for each in references if each.id in texts}


async def find_objects(scope: Scope, names: Collection[str]) -> dict[str, ObjectRef]:
    """The objects that names mean: ids, slugs, addresses or exact titles in any locale. Ambiguous names mean none."""
    slugs = {slug_of(name) for name in names}
    paths = {*slugs, *(slug.partition("/")[2] for slug in slugs)} - {""}
    titles = {name_key(name) for name in names}
    table = PageTranslation
    translated = select(table.page).where(
        scope.target.row_filter(table), or_(table.slug.in_(paths), table.title_key.in_(titles))
    )
    named = or_(Page.id.in_(names), Page.slug.in_(paths), Page.title_key.in_(titles), Page.id.in_(translated))
    query = select(Page).where(scope.target.row_filter(Page), Page.kind.in_(KINDS), named)
    pages = (await scope.session.scalars(query)).all()
    texts = await load_texts(scope, pages)
    meant: dict[tuple[str, str], set[ObjectRef]] = {}
    for page in pages:
        refs = [("id", page.id), *(("title", name_key(each.title or "")) for each in texts[page.id].values())]
        for locale, slug in slugs_by_locale(scope, texts[page.id]).items():
            refs += [("path", f"{locale.lower()}/{slug}"), ("path" if locale == scope.default_locale else "slug", slug)]
        for ref in refs:
            meant.setdefault(ref, set()).add(ObjectRef(page.kind, page.id))
    found: dict[str, ObjectRef] = {}
    for name in names:
        ranked = (("id", name), ("path", slug_of(name)), ("slug", slug_of(name)), ("title", name_key(name)))
        objects = next((meant[each] for each in ranked if each in meant), set[ObjectRef]())
        if len(objects) == 1:
            found[name] = next(iter(objects))
    return found


async def find_addresses(
    scope: Scope, references: Collection[ObjectRef], locale: str, *, live: bool, overlay: Overlay | None = None
) -> dict[ObjectRef, str]:
    """The addresses of objects in a locale: those that visitors find, or those that the drafts will have."""
    ids = {each.id for each in references}
    if live:
        query = select(LivePath.page, LivePath.path).where(
            scope.target.row_filter(LivePath), LivePath.locale == locale, LivePath.page.in_(ids)
        )
        paths = {row.page: row.path for row in await scope.session.execute(query)}
    else:
        drafts = select(Page).where(scope.target.id_filter(Page, Page.id, ids), Page.kind.in_(KINDS))
        pages = (await scope.session.scalars(drafts)).all()
        texts = await load_texts(scope, pages)
        paths = {page.id: slugs_by_locale(scope, texts[page.id])[locale] for page in pages}
    overlay = overlay or Overlay()
    paths |= {page: pinned[locale] for page, pinned in overlay.paths.items() if page in ids}
    shown = paths.keys() - {*overlay.hidden}
    return {
        each: overlay.prefix + scope.format_address(locale, paths[each.id]) for each in references if each.id in shown
    }
