"""Describes why a write to what another changed is refused: the difference, and where the rest of it can be read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from sqlalchemy import select

from remit_cms.storage.differences import Difference
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind, Page, Revision

NOTHING_WRITTEN = "Nothing was written, so that no edit is lost."
"""Ends each refusal to overwrite what another changed."""

_MAX_SHOWN = 8
"""Most differences in a refusal."""
_MAX_READS = 3
"""Most reads that it names."""


class PartDifference(NamedTuple):
    """A difference, the part of the page that it is in, and whether it shows all of what stands there now."""

    part: str
    difference: Difference
    is_whole: bool


class Refusal:
    """What a refusal shows.

    Args:
        differences: the differences in the parts that another has changed.
        parts: those parts.
    """

    def __init__(self, differences: Sequence[PartDifference], parts: AbstractSet[str]) -> None:
        self.shown = [each.difference for each in differences[:_MAX_SHOWN]]
        self.more = len(differences) - len(self.shown)
        shown = {each.part for each in differences[:_MAX_SHOWN] if each.is_whole}
        hidden = {each.part for each in differences} - shown
        self.shown_parts = sorted(part for part in parts if part in shown or _is_shown_item(part, shown, hidden))
        """The parts that it shows in full: the conversation has seen them then."""
        self.other_parts = sorted({*parts} - {*self.shown_parts})


async def describe_refusal(scope: Scope, page: Page, draft: Snapshot, refusal: Refusal) -> str:
    """A refusal to write to a page, of which ``draft`` is the state that the author has not seen."""
    reads = [*dict.fromkeys(_iterate_reads(draft, refusal.other_parts))]
    if len(reads) > _MAX_READS:
        reads = [f"{_read_of(draft)} with includeContent true" if draft.kind == Kind.PAGE else _read_of(draft)]
    rest = f" The whole text is in {', '.join(reads)}." if reads else ""
    return await describe_change(scope, page, draft.title, refusal.shown, more=refusal.more) + rest


async def describe_change(
    scope: Scope, page: Page, title: str, differences: Sequence[Difference], *, more: int | None = None
) -> str:
    """Who changed a page last, and what."""
    last = select(Revision.author).where(Revision.page == page.id, Revision.number == page.revision)
    author = await scope.session.scalar(last)
    shown = [f"{each.where}: '{each.before}' is now '{each.after}'" for each in differences[:_MAX_SHOWN]]
    left = len(differences) - len(shown) if more is None else more
    changes = "; ".join(shown) or "it is another revision"
    return (
        f"'{title}' has changed since it was read, last by {author}: {changes}{f'; and {left} more' if left else ''}. "
        f"{NOTHING_WRITTEN}"
    )


def _is_shown_item(part: str, shown: AbstractSet[str], hidden: AbstractSet[str]) -> bool:
    """Whether a part says that there is an item of a list, all of whose fields are shown."""
    match part.split("/"):
        case [_, "item", *item]:
            return bool(_fields_of(item, shown)) and not _fields_of(item, hidden)
        case _:
            return False


def _fields_of(item: Sequence[str], parts: Iterable[str]) -> list[str]:
    return [part for part in parts if part.split("/")[2:-1] == [*item]]


def _iterate_reads(draft: Snapshot, parts: Iterable[str]) -> Iterator[str]:
    """The calls that show parts of a draft."""
    numbers = {section.id: section.number for section in draft.sections}
    for part in parts:
        kind, code, section, *_ = [*part.split("/"), ""]
        language = f" (localeCode {code})" if kind in ("texts", "content") and code != draft.locale else ""
        if draft.kind != Kind.PAGE or kind != "content":
            yield _read_of(draft) + language
        elif numbers.get(section):
            yield f"cms_getSectionContent {draft.slug}/s{numbers[section]}{language}"
        else:
            yield f"{_read_of(draft)} with includeContent true{language}"


def _read_of(draft: Snapshot) -> str:
    """The call that shows a draft."""
    match draft.kind:
        case Kind.SETTINGS:
            return "cms_getSiteSettings"
        case Kind.NAVIGATION:
            return "cms_getNavigation"
        case Kind.REDIRECTS:
            return "cms_listRedirects"
        case Kind.ENTRY:
            tool = "cms_getPost" if draft.slug.startswith("posts/") else "cms_getEntryContent"
            return f"{tool} {draft.slug}"
        case _:
            return f"cms_getPage {draft.slug}"
