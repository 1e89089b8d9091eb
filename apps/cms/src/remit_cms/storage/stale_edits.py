"""Refuses writes to what changed since their author saw it, without revision numbers to pass.

What a conversation saw is in its journal: reads and writes emit `Seen` with the revision that they showed and its
parts. Edits of other parts merge. A person or program without a conversation passes a token instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue

from remit.errors import ConflictError, NotFoundError
from remit_cms.storage.differences import PathDifference, compare_paths
from remit_cms.storage.refusals import PartDifference, Refusal, describe_refusal
from remit_cms.storage.scope import EARLIER, Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshot, load_snapshot
from remit_cms.storage.tables import Page
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import TEXT_FIELDS, PageTexts, item_content, localize_content, localize_texts

STRUCTURE = "structure"
"""The part that says which sections and items there are, and in which order."""


def text_parts(locales: Iterable[str]) -> list[str]:
    """The parts of a page that its title, slug and texts for search engines in these locales are."""
    return [f"texts/{locale}" for locale in locales]


def content_parts(locales: Iterable[str], section: str = "") -> list[str]:
    """The parts that the content of one section, or of all sections, in these locales is."""
    return [f"content/{locale}/{section}".rstrip("/") for locale in locales]


def structure_parts(section: str, *, items: bool) -> list[str]:
    """The parts that say that there is a section, and which items its lists have in which order."""
    return [f"{STRUCTURE}/{what}/{section}" for what in (("section", "item", "order") if items else ("section",))]


def read_parts(snapshot: Snapshot, chain: Sequence[str], sections: Collection[str] | None = None) -> list[str]:
    """The parts of content that a reader of the first locale sees, in some sections or in all.

    These are its own, and those of other locales that stand in for what it lacks.
    """
    own = [""] if sections is None else sections
    parts = [part for section in own for part in content_parts(chain[:1], section)]
    for section in snapshot.sections:
        if sections is None or section.id in sections:
            stand_ins = localize_content(section.contents, chain, section.lists).untranslated
            parts += [f"content/{code}/{section.id}/{key.replace('.', '/')}" for key, code in stand_ins.items()]
    return parts


async def find_read_parts(scope: Scope, page: Page, locale: str, sections: Collection[str] | None = None) -> list[str]:
    """The same of the draft of a page."""
    chain = scope.fallback_chain(locale)
    snapshot = Snapshot.model_construct(sections=[]) if len(chain) == 1 else await build_snapshot(scope, page)
    return read_parts(snapshot, chain, sections)


def read_text_parts(texts: Mapping[str, PageTexts], chain: Sequence[str], own: str) -> list[str]:
    """The parts of title, slug and texts for search engines that a reader sees of a page whose own locale is given."""
    stand_ins = localize_texts(texts, chain).untranslated
    indexing = [] if own == chain[0] else [f"texts/{own}/indexing"]
    return [*text_parts(chain[:1]), *(f"texts/{code}/{field}" for field, code in stand_ins.items()), *indexing]


async def check_not_stale(edit: Edit, page: Page, before: Snapshot, written: Sequence[str]) -> None:
    """Refuse a write to these parts of a page that another changed since the conversation of the call saw them.

    What the conversation never saw it may write: it overwrites nothing that it took for something else. A refusal
    shows what changed; the conversation has seen then what it shows in full.

    Raises:
        ConflictError: says what changed, and who changed it last.
    """
    states: dict[int, Snapshot] = {}
    changed: dict[int, frozenset[str]] = {}

    async def has_changed(part: str, number: int) -> bool:
        if number >= page.revision:
            return False
        if number not in states:
            states[number] = await load_state(edit, page, number)
            changed[number] = frozenset(iterate_changed_parts(states[number], before))
        return part in changed[number]

    seen = await edit.last_seen(page.kind, page.id, *written)
    doubtful = [part for part in written if part not in seen or await has_changed(part, int(seen[part]))]
    # A later look at an earlier state, such as the live page, does not undo the look at the newer one.
    earlier = await edit.last_seen(EARLIER + page.kind, page.id, *doubtful) if doubtful else {}
    newest = {part: max(int(each[part]) for each in (seen, earlier) if part in each) for part in {*seen, *earlier}}
    conflicts = {part: newest[part] for part in doubtful if part in newest and await has_changed(part, newest[part])}
    if not conflicts:
        return
    differences = [
        difference
        for number in sorted({*conflicts.values()})
        for difference in _iterate_part_differences(states[number], before)
        if conflicts.get(difference.part) == number
    ]
    refusal = Refusal(differences, {*conflicts})
    if refusal.shown_parts:
        edit.show(page, *refusal.shown_parts)
    raise ConflictError(await describe_refusal(edit, page, before, refusal))


def show_comparison(scope: Scope, page: Page, number: int, differences: Sequence[PathDifference]) -> None:
    """Tell the journal what a comparison shows in full of a revision of a page."""
    parts = [_part_of(each.path, page.locale) for each in differences if each.is_whole]
    if parts:
        scope.show_revision(page, number, *parts)


async def load_state(scope: Scope, page: Page, number: int) -> Snapshot:
    """A revision, or a page without anything if it was purged."""
    try:
        return await load_snapshot(scope, page.id, number)
    except NotFoundError:
        return Snapshot(id=page.id, kind=page.kind, locale=page.locale, slug="", title="")


def _iterate_part_differences(before: Snapshot, after: Snapshot) -> Iterator[PartDifference]:
    for path, difference, is_whole in compare_paths(before, after):
        yield PartDifference(_part_of(path, after.locale), difference, is_whole)


def _part_of(path: tuple[str, ...], locale: str) -> str:
    """The part that a path of a page in this locale is."""
    match path:
        case ("order", *rest):
            return "/".join([STRUCTURE, "order", *rest])
        case (field,) if (name := field.replace(" ", "_")) in {*TEXT_FIELDS, "indexing"}:
            return f"texts/{locale}/{name}"
        case (section,):
            return f"{STRUCTURE}/section/{section}"
        case (field, code):
            return f"texts/{code}/{field.replace(' ', '_')}"
        case (section, code, *rest):
            return "/".join([*content_parts([code], section), *rest])
        case _:
            raise ValueError(path)


def iterate_changed_parts(before: Snapshot, after: Snapshot) -> Iterator[str]:
    """The parts in which two states differ. An order differs if what both have stands in another one."""
    old, new = _values(before), _values(after)
    yield from (part for part in {**old, **new} if old.get(part) != new.get(part))
    orders = _orders(after)
    for part, order in _orders(before).items():
        following = orders.get(part, [])
        if [each for each in order if each in following] != [each for each in following if each in order]:
            yield part


def _values(snapshot: Snapshot) -> Mapping[str, JsonValue]:
    """The values of a page by the part that each is."""
    values: dict[str, JsonValue] = {f"texts/{snapshot.locale}/indexing": snapshot.indexing}
    for locale, texts in snapshot.texts.items():
        values |= {f"texts/{locale}/{field}": getattr(texts, field) for field in TEXT_FIELDS}
    for section in snapshot.sections:
        values[f"{STRUCTURE}/section/{section.id}"] = section.definition
        for slot, order in section.lists.items():
            values |= {f"{STRUCTURE}/item/{section.id}/{slot}/{item}": True for item in order}
        for locale, content in section.contents.items():
            (place,) = content_parts([locale], section.id)
            for slot, value in content.items():
                if slot not in section.lists:
                    values[f"{place}/{slot}"] = value
                    continue
                for item in section.lists[slot]:
                    parts = item_content(content, slot, item)
                    values |= {f"{place}/{slot}/{item}/{field}": part for field, part in parts.items()}
    return values


def _orders(snapshot: Snapshot) -> Mapping[str, list[str]]:
    """The orders of a page by the part that each is."""
    sections = snapshot.ordered_sections
    return {
        f"{STRUCTURE}/order": [section.id for section in sections],
        **{f"{STRUCTURE}/order/{each.id}/{slot}": order for each in sections for slot, order in each.lists.items()},
    }
