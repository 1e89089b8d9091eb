"""Where a type is used: drafts and live revisions with content of it, and what a change of the type does to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue
from sqlalchemy import ColumnElement, Text, cast, select
from sqlalchemy.orm import QueryableAttribute

from remit.errors import ConflictError
from remit.tools import Change
from remit_cms.models import Content, name_some, pluralize
from remit_cms.publishing.changes import in_words
from remit_cms.storage.approved import reads_otherwise
from remit_cms.storage.planning import plan_set
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import (
    ChangeSet,
    Kind,
    Page,
    PageSection,
    Revision,
    ScheduledAction,
    SectionContent,
    SectionDefinition,
    TrashedPage,
)
from remit_cms.storage.translations import item_content, list_visible
from remit_cms.templates.fitting import find_misfit, fit_content
from remit_cms.templates.slots import Slot, Structure
from remit_cms.templates.values import is_empty, iterate_items

_MAX_VALUE = 40
_IDS = ("id", "imageId")


@dataclass(frozen=True, slots=True)
class Use:
    """Content of a type, by locale, in the draft of a document or in what visitors see of it."""

    page: str
    title: str
    path: str
    is_live: bool
    locale: str
    contents: Mapping[str, Content]
    lists: Mapping[str, list[str]]


async def load_uses(scope: Scope, definition: SectionDefinition) -> list[Use]:
    """All content of a type, drafts first."""
    return [*await _load_drafts(scope, definition), *[each async for each in _iterate_live(scope, definition)]]


async def _load_drafts(scope: Scope, definition: SectionDefinition) -> list[Use]:
    of_type = PageSection.definition == definition.id
    sections = select(PageSection, Page).join(Page, Page.id == PageSection.page).where(of_type)
    rows = select(SectionContent).join(PageSection, PageSection.id == SectionContent.section).where(of_type)
    contents: dict[str, dict[str, Content]] = {}
    for row in await scope.session.scalars(rows):
        contents.setdefault(row.section, {})[row.locale] = row.content
    order = (Page.slug, Page.id, PageSection.sort_order)
    return [
        Use(
            page.id,
            page.title,
            page.slug,
            is_live=False,
            locale=page.locale,
            contents=contents.get(section.id, {}),
            lists=section.lists,
        )
        for section, page in (await scope.session.execute(sections.order_by(*order))).all()
    ]


async def _iterate_live(scope: Scope, definition: SectionDefinition) -> AsyncIterator[Use]:
    query = (
        select(Page, Revision.snapshot)
        .join(Revision, (Page.id == Revision.page) & (Page.live == Revision.number))
        .where(scope.target.row_filter(Page), _mentions(Revision.snapshot, definition.key))
        .order_by(Page.slug, Page.id)
    )
    for page, stored in (await scope.session.execute(query)).all():
        snapshot = Snapshot.model_validate(stored)
        for section in snapshot.ordered_sections:
            if section.definition == definition.key:
                path = page.live_path or page.slug
                yield Use(
                    page.id,
                    snapshot.title,
                    path,
                    is_live=True,
                    locale=snapshot.locale,
                    contents=section.contents,
                    lists=section.lists,
                )


def _mentions(column: QueryableAttribute[dict[str, JsonValue]], key: str) -> ColumnElement[bool]:
    """Whether stored JSON has a text: a condition that reads no JSON, for a first choice."""
    return cast(column, Text).contains(f'"{key}"', autoescape=True)


async def find_due(
    scope: Scope, definition: SectionDefinition, old: Structure, new: Structure
) -> list[ScheduledAction]:
    """The scheduled actions that would show visitors something else than was approved, once a type has changed."""
    actions = select(ScheduledAction, ChangeSet).join(ChangeSet, ChangeSet.id == ScheduledAction.change_set)
    due = actions.where(scope.target.row_filter(ScheduledAction), ScheduledAction.state == "scheduled")
    found: list[ScheduledAction] = []
    for action, change_set in (await scope.session.execute(due.order_by(ScheduledAction.at))).all():
        planned = await plan_set(scope, change_set, at=action.at)
        states = [each.wanted for each in planned if each.wanted is not None]
        key = definition.key
        if any(reads_otherwise(scope, state, {key: old}, {key: new}) for state in states):
            found.append(action)
    return found


async def check_unused(scope: Scope, definition: SectionDefinition) -> None:
    """Refuse to delete a type that something uses.

    Raises:
        ConflictError: names what uses it, and says how to let it go.
    """
    uses = await load_uses(scope, definition)
    documents = {each.page: f"'{each.title}' (/{each.path})" for each in uses}
    trashed = await _find_trashed(scope, definition)
    lists = await _find_lists(scope, definition)
    obstacles = [
        f"{what}: {name_some(names)}"
        for what, names in (
            (f"{len(documents)} of it {'is' if len(documents) == 1 else 'are'} there", [*documents.values()]),
            ("in the trash, where cms_purgePage deletes them for good", trashed),
            ("listed on", lists),
        )
        if names
    ]
    if obstacles:
        raise ConflictError(f"The type '{definition.name}' is in use. {'; '.join(obstacles)}. Nothing was deleted.")


async def _find_trashed(scope: Scope, definition: SectionDefinition) -> list[str]:
    query = (
        select(TrashedPage.title, Revision.snapshot)
        .join(Revision, (TrashedPage.page == Revision.page) & (TrashedPage.revision == Revision.number))
        .where(scope.target.row_filter(TrashedPage), _mentions(Revision.snapshot, definition.key))
        .order_by(TrashedPage.title)
    )
    rows = (await scope.session.execute(query)).all()
    return [f"'{row.title}'" for row in rows if definition.key in _definitions(row.snapshot)]


def _definitions(stored: Mapping[str, JsonValue]) -> set[str]:
    return {section.definition for section in Snapshot.model_validate(stored).sections}


async def _find_lists(scope: Scope, definition: SectionDefinition) -> list[str]:
    """The pages that list entries of a type, as drafts or live."""
    if definition.kind != Kind.ENTRY:
        return []
    drafts = (
        select(Page.title, SectionContent.content)
        .join(PageSection, PageSection.page == Page.id)
        .join(SectionContent, SectionContent.section == PageSection.id)
        .where(scope.target.row_filter(Page), _mentions(SectionContent.content, definition.key))
    )
    live = (
        select(Page.title, Revision.snapshot)
        .join(Revision, (Page.id == Revision.page) & (Page.live == Revision.number))
        .where(scope.target.row_filter(Page), _mentions(Revision.snapshot, definition.key))
    )
    rows = [*(await scope.session.execute(drafts)).all(), *(await scope.session.execute(live)).all()]
    return sorted({f"'{title}'" for title, stored in rows if definition.key in _listed(stored)})


def _listed(value: JsonValue) -> Iterator[str]:
    """The collections that are listed somewhere in stored content."""
    if isinstance(value, dict):
        if isinstance(name := value.get("collectionId"), str):
            yield name
        for each in value.values():
            yield from _listed(each)
    elif isinstance(value, list):
        for each in value:
            yield from _listed(each)


def check_content_fits(definition: SectionDefinition, old: Structure, new: Structure, uses: Sequence[Use]) -> None:
    """Refuse a change of a type that existing content does not follow.

    Raises:
        ConflictError: says how many have a value that is none of the new type, or lack one that is required, and names
            some of them.
    """
    former = {slot.key: slot for slot in old.slots}
    obstacles: list[str] = []
    for slot in new.slots:
        before, name = former.get(slot.key), new.shown_key(slot.key)
        if before is None or (before.type, before.options, before.fields) != (slot.type, slot.options, slot.fields):
            misfits = [*_find_misfits(slot, uses)]
            if misfits:
                form = f"one of {', '.join(slot.options)}" if slot.options else slot.type.value
                obstacles.append(f"{len(misfits)} values of '{name}' are no {form}: {name_some(misfits)}")
        for field in _newly_required(before, slot):
            lacking = [*dict.fromkeys(_name(each) for each in uses if _lacks_in_items(slot, field, each))]
            if lacking:
                obstacles.append(
                    f"'{field.key}' would be required in each item of '{name}', and items of "
                    f"{pluralize(len(lacking), 'document')} have no value of it: {name_some(lacking)}"
                )
        if slot.required and slot.default is None and not (before is not None and before.required):
            lacking = [*dict.fromkeys(_name(each) for each in uses if _lacks(new, slot, each))]
            if lacking:
                obstacles.append(
                    f"'{name}' would be required, and {pluralize(len(lacking), 'document')} "
                    f"{'has' if len(lacking) == 1 else 'have'} no value of it: {name_some(lacking)}; give a value for "
                    "what has none"
                )
    if obstacles:
        raise ConflictError(f"The type '{definition.name}' was not changed. {'. '.join(obstacles)}.")


def _newly_required(before: Slot | None, slot: Slot) -> list[Slot]:
    """The fields of the items of a list that need a value, and did not before."""
    required = {each.key for each in (before.fields if before else ()) if each.required}
    return [each for each in slot.fields if each.required and each.key not in required]


def _lacks_in_items(slot: Slot, field: Slot, use: Use) -> bool:
    content = use.contents.get(use.locale, {})
    return any(is_empty(item_content(content, slot.key, item).get(field.key)) for item in use.lists.get(slot.key, ()))


def _find_misfits(slot: Slot, uses: Sequence[Use]) -> Iterator[str]:
    found: dict[str, None] = {}
    for use in uses:
        for locale, content in use.contents.items():
            value = content.get(slot.key)
            if not is_empty(value) and find_misfit(slot, value):
                language = "" if locale == use.locale else f" in {locale}"
                found[f"{_name(use)}{language} has '{_shorten(value, _MAX_VALUE)}'"] = None
    yield from found


def _lacks(structure: Structure, slot: Slot, use: Use) -> bool:
    return is_empty(fit_content(structure, use.contents.get(use.locale, {})).get(slot.key))


def count_values(slot: Slot, uses: Sequence[Use]) -> int:
    """How many documents have a value of a slot."""
    return len({use.page for use in uses for each in use.contents.values() if not is_empty(each.get(slot.key))})


def compare_visible(scope: Scope, old: Structure, new: Structure, uses: Sequence[Use]) -> list[Change]:
    """What visitors see of documents that are live, before and after a change of their type, field by field."""
    changes: list[Change] = []
    for use in uses:
        for locale in scope.locales if use.is_live else ():
            chain = scope.fallback_chain(locale)
            where = f"'{use.title}' ({scope.format_address(locale, use.path)})"
            former, latter = (_read_visible(each, use, chain) for each in (old, new))
            changes += [
                Change(f"{where}: {name}", former.get(key, ""), latter.get(key, ""))
                for key, name in _name_fields(old, new).items()
                if former.get(key) != latter.get(key)
            ]
            orders = [[key for key in each if key in former and key in latter] for each in (former, latter)]
            if orders[0] != orders[1]:
                names = (
                    ", ".join(each.shown_key(key) for key in order)
                    for each, order in zip((old, new), orders, strict=True)
                )
                changes.append(Change(f"{where}: order", *names))
    return changes


def _name_fields(old: Structure, new: Structure) -> dict[str, str]:
    """What people call the fields that a type has or had, by key, in its order."""
    return {slot.key: each.shown_key(slot.key) for each in (old, new) for slot in each.slots}


def _read_visible(structure: Structure, use: Use, chain: Sequence[str]) -> dict[str, str]:
    """What visitors read in each field that has a value, with its label if it has one."""
    visible = list_visible(structure, use.contents, chain, use.lists)
    texts = [(key, label, in_words(_without_ids(value))) for key, label, value in visible]
    return {key: f"{label}: {text}" if label else text for key, label, text in texts}


def _without_ids(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_without_ids(each) for each in value]
    if isinstance(value, dict):
        return {key: _without_ids(each) for key, each in value.items() if key not in _IDS}
    return value


def _name(use: Use) -> str:
    return f"'{use.title}' (/{use.path}{', live' if use.is_live else ''})"


def _shorten(value: JsonValue, longest: int) -> str:
    if isinstance(value, bool):
        value = "yes" if value else "no"
    if isinstance(value, list):
        items = [part for item in iterate_items(value) for key, part in item.items() if key != "id"]
        value = ", ".join(_shorten(part, longest) for part in items)
    if isinstance(value, dict):
        value = next((str(value[key]) for key in ("alt", "text", "caption", "url", "imageId") if value.get(key)), "")
    words = " ".join(str(value).split())
    return words if len(words) <= longest else f"{words[: longest - 1]}…"
