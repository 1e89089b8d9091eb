"""Takes a published change set over from another environment of the site, as a change set of drafts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import or_, select

from remit import LeafContext
from remit.errors import ConflictError, NotFoundError
from remit_cms.models import pluralize
from remit_cms.sites.merging import check_types, find_new_links, merge_edit
from remit_cms.sites.payloads import PromoteChangeSet, PromotionReply
from remit_cms.sites.renaming import Renaming
from remit_cms.storage.change_sets import find_free_name, open_set
from remit_cms.storage.claims import REMOVALS, add_claims
from remit_cms.storage.counterparts import add_counterparts, find_counterparts, find_origins
from remit_cms.storage.database import Database
from remit_cms.storage.documents import find_single, make_document
from remit_cms.storage.image_documents import add_image
from remit_cms.storage.images import Image, ImageContent, iterate_image_slots
from remit_cms.storage.layers import load_edits
from remit_cms.storage.merging import find_beginning
from remit_cms.storage.missing import CHANGE_SET, not_found
from remit_cms.storage.parts import iterate_changed_parts
from remit_cms.storage.removals import claim_removal
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.singles import SINGLES
from remit_cms.storage.snapshots import (
    Snapshot,
    apply_snapshot,
    build_snapshot,
    load_structures_of,
    reserve_numbers,
)
from remit_cms.storage.tables import ChangeSet, Claim, Environment, Kind, Page, Revision, TrashedPage
from remit_cms.storage.transactions import Edit, edit_once
from remit_cms.storage.translations import check_slugs_are_free
from remit_cms.storage.trash import find_trashed_page, restore_page
from remit_cms.templates.references import ObjectRef, iterate_references

_ACTION = "promote_change_set"


@dataclass(frozen=True, slots=True)
class _Source:
    """What a change set made of a document elsewhere: its edits in order, or one of `REMOVALS`."""

    id: str
    kind: Kind
    slug: str
    edits: tuple[tuple[Snapshot | None, Snapshot], ...] = ()
    removal: int | None = None

    @property
    def states(self) -> list[Snapshot]:
        """All states that its edits begin and end with."""
        return [state for edit in self.edits for state in edit if state is not None]


class Promotion:
    """Change sets that go from one environment of a site to another."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def promote_change_set(self, ctx: LeafContext, payload: PromoteChangeSet) -> PromotionReply:
        """Take over a published change set of another environment as drafts here. Then: cms_publishChangeSet."""

        async def work(edit: Edit) -> PromotionReply:
            source = await _open_source(edit, payload.from_environment)
            found = await _find_published(source, payload.change_set_id)
            documents = await _load_sources(source, found)
            ids, images = await _find_ids(edit, source, documents)
            name = await find_free_name(edit, f"{found.name} from {payload.from_environment}"[:190])
            change_set = await open_set(edit, name, None)
            pages = [await _promote(edit, change_set, each, ids) for each in documents]
            changed = [page for page in pages if page is not None]
            if not changed:
                raise ConflictError(f"There is nothing to take over: the drafts here are as '{found.name}' made them.")
            sections = [(old, new) for (_, old), new in ids.sections.items()]
            await add_counterparts(edit, [*((each.id, ids.documents[each.id]) for each in documents), *sections])
            edit.add_change("change-set", change_set.id, 1, name=change_set.name)
            copied = f", with {pluralize(images, 'image')}" if images else ""
            titles = ", ".join(f"'{page.title}'" for page in changed)
            message = (
                f"The change set '{change_set.name}' has the edits of {titles}{copied}. cms_getChangeSet shows them"
            )
            return PromotionReply(change_set_id=change_set.id, pages=[page.id for page in changed], message=message)

        return await edit_once(self._database, ctx, payload, PromotionReply, work)


async def _open_source(edit: Edit, environment: str) -> Scope:
    """The other environment, in the same transaction.

    Raises:
        NotFoundError: the site has none of that name besides this one.
    """
    query = select(Environment.name).where(Environment.site == edit.target.site).order_by(Environment.name)
    others = [each for each in await edit.session.scalars(query) if each != edit.target.environment]
    if environment not in others:
        named = ", ".join(others) or "none"
        raise NotFoundError(f"This site has no other environment '{environment}'. Its other environments: {named}.")
    return Scope(session=edit.session, target=Target(edit.target.site, environment), locales=edit.locales)


async def _find_published(source: Scope, name: str) -> ChangeSet:
    named = or_(ChangeSet.id == name, ChangeSet.name == name)
    query = select(ChangeSet).where(source.target.row_filter(ChangeSet), named)
    found = sorted(await source.session.scalars(query), key=lambda each: each.id != name)
    if not found:
        raise not_found(CHANGE_SET, name)
    if found[0].state != "published":
        state = f"{found[0].state} in {source.target.environment}"
        raise ConflictError(f"The change set '{found[0].name}' is {state}. Only what is published is taken over.")
    return found[0]


async def _load_sources(source: Scope, change_set: ChangeSet) -> list[_Source]:
    """The documents of a change set in the order in which approvers read them.

    Images are left out: each environment has its own, and what pages show is in their slots.
    """
    query = select(Claim.page, Claim.number).where(Claim.change_set == change_set.id).order_by(Claim.page, Claim.number)
    claimed: dict[str, list[int]] = {}
    for row in await source.session.execute(query):
        claimed.setdefault(row.page, []).append(row.number)
    made = [await _load_source(source, page, numbers) for page, numbers in claimed.items()]
    return sorted((each for each in made if each.kind is not Kind.IMAGE), key=lambda each: (each.slug, each.id))


async def _load_source(source: Scope, page: str, numbers: list[int]) -> _Source:
    query = select(Revision.snapshot).where(source.target.row_filter(Revision), Revision.page == page)
    newest = (await source.session.scalars(query.order_by(Revision.number.desc()).limit(1))).one()
    last = Snapshot.model_validate(newest)  # also of a page that was deleted
    removals = [number for number in numbers if number in REMOVALS]
    edits = [] if removals else await load_edits(source, page, numbers)
    return _Source(page, Kind(last.kind), last.slug, (*edits,), removals[0] if removals else None)


async def _find_ids(edit: Edit, source: Scope, documents: list[_Source]) -> tuple[Renaming, int]:
    """The ids that all objects of some documents have here, and how many images were copied for them.

    Raises:
        ConflictError: a type is not here, or has not the same fields.
    """
    states = [state for each in documents for state in each.states]
    await check_types(source, edit, states)
    contents = [content for state in states for section in state.sections for content in section.contents.values()]
    linked = {reference for content in contents for reference in iterate_references({**content})}
    sections = {(state.id, section.id) for state in states for section in state.sections}
    named = {each.id for each in documents} | {each.id for each in linked} | {section for _, section in sections}
    here = await find_counterparts(edit, await find_origins(edit, named))
    ids = {each: here[each.id] for each in linked if each.id in here}
    ids |= {ObjectRef(each.kind, each.id): await _find_id(edit, each, here) for each in documents}
    shown = {str(slot["imageId"]) for content in contents for slot in iterate_image_slots(content)}
    images, copied = await _copy_images(edit, source, shown)
    await _check_links(source, documents, ids)
    kept = {key: here[key[1]] for key in sections if key[1] in here and key[0] != key[1]}
    return Renaming(edit.new_id, ids, images, kept), copied


async def _find_id(edit: Edit, document: _Source, here: dict[str, str]) -> str:
    if document.kind in SINGLES:
        single = await find_single(edit, document.kind)
        return edit.new_id(document.kind.value) if single is None else single.id
    return here.get(document.id) or edit.new_id(document.kind.value)


async def _check_links(source: Scope, documents: list[_Source], known: Mapping[ObjectRef, str]) -> None:
    """Refuse edits that link to documents of the other environment that are not here.

    Raises:
        ConflictError: names them.
    """
    linked = {link for each in documents for before, after in each.edits for link in find_new_links(before, after)}
    missing = [each.id for each in linked - known.keys()]
    rows = await source.session.scalars(select(Page.title).where(source.target.id_filter(Page, Page.id, missing)))
    if titles := sorted(rows):
        named = ", ".join(f"'{title}'" for title in titles)
        raise ConflictError(f"The edits link to {named}, which is not here. The change set that made it comes first.")


async def _copy_images(edit: Edit, source: Scope, wanted: Iterable[str]) -> tuple[dict[str, str], int]:
    """The images here with the same file, by the id elsewhere; those that are missing here are copied."""
    query = select(Image).where(source.target.id_filter(Image, Image.id, wanted))
    theirs = [*await source.session.scalars(query.order_by(Image.id))]
    same = select(Image).where(edit.target.row_filter(Image), Image.source.in_([each.source for each in theirs]))
    found = (await edit.session.scalars(same)).all()
    for each in found:
        if each.is_deleted:
            trashed = await find_trashed_page(edit, each.id)
            await restore_page(edit, trashed, trashed.slug)
    own = {each.source: each.id for each in found}
    own_columns = ("id", "site", "environment", "size", "revision", "conversation", "author", "created_at")
    kept = [column.key for column in Image.__table__.columns if column.key not in own_columns]
    copied = 0
    for each in theirs:
        if each.source in own:
            continue
        content = (await edit.session.get_one(ImageContent, each.digest)).content
        image = await add_image(edit, content, **{name: getattr(each, name) for name in kept})
        own[each.source], copied = image.id, copied + 1
    return {each.id: own[each.source] for each in theirs}, copied


async def _promote(edit: Edit, change_set: ChangeSet, document: _Source, ids: Renaming) -> Page | None:
    """Lay the edits of a document over its draft here, or make it; None if nothing changes.

    Raises:
        ConflictError: names what differs here.
    """
    page = await edit.session.get(Page, ids.documents[document.id])
    if document.removal is not None:
        if page is not None:
            await claim_removal(edit, change_set, page, document.removal)
        return page
    edits = [(None if before is None else ids.rename(before), ids.rename(after)) for before, after in document.edits]
    draft = await build_snapshot(edit, page) if page is not None else find_beginning(edits[0][1])
    merged, structures = draft, await load_structures_of(edit, *(after for _, after in edits))
    for before, after in edits:
        merged = merge_edit(merged, before, after, structures)
    if merged is None or (draft is not None and not [*iterate_changed_parts(draft, merged)]):
        return None
    await check_slugs_are_free(edit, merged.id, merged.texts)
    if page is None or draft is None:
        await _check_is_new(edit, merged)
        page = await make_document(
            edit, document.kind, merged.title, merged.slug, document=merged.id, locale=merged.locale
        )
    else:  # a new section is numbered as one that is added here
        known = {each.id for each in draft.sections}
        sections = [each if each.id in known else each.model_copy(update={"number": 0}) for each in merged.sections]
        merged = merged.model_copy(update={"sections": sections})
    reserve_numbers(page, merged)
    await apply_snapshot(edit, page, merged)
    await save_revision(edit, page, _ACTION, in_set=False, is_checked=False)
    await add_claims(edit, change_set, page.id, [page.revision])
    return page


async def _check_is_new(edit: Edit, document: Snapshot) -> None:
    """Refuse to make a document that was deleted here.

    Raises:
        ConflictError: says how it comes back.
    """
    deleted = select(TrashedPage.page).where(edit.target.row_filter(TrashedPage), TrashedPage.page == document.id)
    if await edit.session.scalar(deleted) is not None:
        raise ConflictError(f"'{document.title}' was deleted here. cms_restorePage brings it back first.")
