"""Refuses writes to what changed since their author saw it, without revision numbers to pass.

What a conversation saw is in its journal: reads and writes emit `Seen` with the revision that they showed and its
parts. Edits of other parts merge. A person or program without a conversation passes a token instead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from remit.errors import ConflictError, NotFoundError
from remit_cms.storage.differences import PathDifference, compare_paths
from remit_cms.storage.merging import empty_state
from remit_cms.storage.parts import content_parts, iterate_changed_parts, part_of, text_parts
from remit_cms.storage.refusals import PartDifference, Refusal, describe_refusal
from remit_cms.storage.scope import EARLIER, Scope
from remit_cms.storage.snapshots import Snapshot, build_snapshot, load_snapshot, load_structures_of
from remit_cms.storage.tables import Page
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import PageTexts, localize_content, localize_texts
from remit_cms.templates.slots import Structure


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
    structures = await load_structures_of(edit, before, *states.values())
    differences = [
        difference
        for number in sorted({*conflicts.values()})
        for difference in _iterate_part_differences(states[number], before, structures)
        if conflicts.get(difference.part) == number
    ]
    refusal = Refusal(differences, {*conflicts})
    if refusal.shown_parts:
        edit.show(page, *refusal.shown_parts)
    raise ConflictError(await describe_refusal(edit, page, before, refusal))


def show_comparison(scope: Scope, page: Page, number: int, differences: Sequence[PathDifference]) -> None:
    """Tell the journal what a comparison shows in full of a revision of a page."""
    parts = [part_of(each.path, page.locale) for each in differences if each.is_whole]
    if parts:
        scope.show_revision(page, number, *parts)


async def load_state(scope: Scope, page: Page, number: int) -> Snapshot:
    """A revision, or a page without anything if it was purged."""
    try:
        return await load_snapshot(scope, page.id, number)
    except NotFoundError:
        return empty_state(page)


def _iterate_part_differences(
    before: Snapshot, after: Snapshot, structures: Mapping[str, Structure]
) -> Iterator[PartDifference]:
    for path, difference, is_whole in compare_paths(before, after, structures):
        yield PartDifference(part_of(path, after.locale), difference, is_whole)
