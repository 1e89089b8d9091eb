"""Refuses writes to what changed since their author saw it, without revision numbers to pass.

What a conversation saw is in its journal: reads and writes emit `Seen` with the revision that they showed and its
parts. A person or program without a conversation passes a token that a read gave. Edits of other parts merge.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pydantic import JsonValue
from sqlalchemy import select

from remit.errors import ConflictError, InvalidArgumentsError, NotFoundError
from remit_cms.models import Payload, ReadPayload
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Difference, Snapshot, compare_snapshots, load_snapshot
from remit_cms.storage.tables import Page, Revision
from remit_cms.storage.transactions import Edit
from remit_cms.storage.translations import TEXT_FIELDS, item_content

_MAX_SHOWN = 8
"""Most differences in a refusal."""
STRUCTURE = "structure"
"""The part that says which sections and items there are, and in which order."""


def text_parts(locales: Iterable[str]) -> list[str]:
    """The parts of a page that its title, slug and texts for search engines in these locales are."""
    return [f"texts/{locale}" for locale in locales]


def content_parts(locales: Iterable[str], section: str = "") -> list[str]:
    """The parts that the content of one section, or of all sections, in these locales is."""
    return [f"content/{locale}/{section}".rstrip("/") for locale in locales]


async def check_not_stale(edit: Edit, page: Page, before: Snapshot, written: Sequence[str]) -> None:
    """Refuse a write to these parts of a page that another changed since the conversation of the call saw them.

    What the conversation never saw it may write: it overwrites nothing that it took for something else. A refusal
    shows what changed, so that the conversation has seen it then.

    Raises:
        ConflictError: says what changed, and who changed it last.
    """
    seen = await edit.last_seen(page.kind, page.id, *written)
    conflicts: dict[str, int] = {}
    states: dict[int, Snapshot] = {}
    changed: dict[int, frozenset[str]] = {}
    for part in written:
        number = int(seen.get(part, page.revision))
        if number >= page.revision:
            continue
        if number not in states:
            states[number] = await _load(edit, page, number)
            changed[number] = frozenset(iterate_changed_parts(states[number], before))
        if part in changed[number]:
            conflicts[part] = number
    if not conflicts:
        return
    edit.show(page, *conflicts)
    oldest = min(conflicts.values())
    raise ConflictError(await _describe(edit, page, compare_snapshots(states[oldest], before)))


def give_token(payload: Payload, page: Page | None) -> str | None:
    """The token of a page, if it is asked for: a person or program says with it later what it saw."""
    is_asked = isinstance(payload, ReadPayload) and payload.with_token
    return _make_token(page) if is_asked and page is not None else None


def _make_token(page: Page) -> str:
    return base64.urlsafe_b64encode(f"{page.id} {page.revision}".encode()).decode().rstrip("=")


async def check_token(scope: Scope, page: Page, token: str | None) -> None:
    """Refuse a call about a page that has changed at all since a token was given.

    Raises:
        ConflictError: says what changed, and who changed it last.
        InvalidArgumentsError: the token is none, or of something else.
    """
    if token is None or token == _make_token(page):
        return
    before, after = [await _load(scope, page, number) for number in (_read_token(token, page), page.revision)]
    raise ConflictError(await _describe(scope, page, compare_snapshots(before, after)))


def _read_token(token: str, page: Page) -> int:
    try:
        name, _, number = (
            base64.b64decode(token + "=" * (-len(token) % 4), b"-_", validate=True).decode().partition(" ")
        )
        if name == page.id and 0 < int(number) < page.revision:
            return int(number)
    except (binascii.Error, ValueError):
        pass
    raise InvalidArgumentsError(
        f"ifUnchanged: '{token[:40]}' is no token of '{page.title}'. Read it with withToken true, and pass its token."
    )


async def _load(scope: Scope, page: Page, number: int) -> Snapshot:
    """A revision, or a page without anything if it was purged."""
    try:
        return await load_snapshot(scope, page.id, number)
    except NotFoundError:
        return Snapshot(id=page.id, kind=page.kind, locale=page.locale, slug="", title="")


async def _describe(scope: Scope, page: Page, differences: list[Difference]) -> str:
    last = select(Revision.author).where(Revision.page == page.id, Revision.number == page.revision)
    author = await scope.session.scalar(last)
    shown = [f"{each.where}: '{each.before}' is now '{each.after}'" for each in differences[:_MAX_SHOWN]]
    more = f"; and {len(differences) - _MAX_SHOWN} more" if len(differences) > _MAX_SHOWN else ""
    said = "; ".join(shown) or "it was changed and changed back"
    return (
        f"'{page.title}' has changed since it was read, last by {author}: {said}{more}. Nothing was "
        "written, so that no edit is lost."
    )


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
    sections = sorted(snapshot.sections, key=lambda section: (section.sort_order, section.id))
    return {
        f"{STRUCTURE}/order": [section.id for section in sections],
        **{f"{STRUCTURE}/order/{each.id}/{slot}": order for each in sections for slot, order in each.lists.items()},
    }
