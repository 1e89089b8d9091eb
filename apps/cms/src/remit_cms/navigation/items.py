"""The items of the navigation, as visitors or the draft have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from remit_cms.navigation.targets import find_linked, linked_id, linked_url
from remit_cms.storage.documents import load_document
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.translations import localize_content

Location = Literal["header", "footer", "both"]


@dataclass(frozen=True, slots=True)
class Item:
    """An item. It leads to ``page``, or else to ``url``; to neither if its page was deleted."""

    id: str
    label: str
    location: Location
    visible: bool
    page: Page | None
    url: str | None
    wanted: str | None
    """The id of the page that it should lead to."""


async def load_items(scope: Scope, *, live: bool, locale: str | None = None) -> list[Item]:
    """The items in their order, with labels in a language."""
    return await read_items(scope, await load_document(scope, Kind.NAVIGATION, live=live), locale)


async def read_items(scope: Scope, snapshot: Snapshot | None, locale: str | None = None) -> list[Item]:
    """The items in one state of the navigation."""
    if snapshot is None:
        return []
    sections = snapshot.ordered_sections
    chain = (*scope.fallback_chain(locale or scope.default_locale), snapshot.locale)
    contents = [localize_content(section.contents, chain).content for section in sections]
    pages = await find_linked(scope, [*contents])
    return [
        Item(
            id=section.id,
            label=str(content.get("label", "")),
            location=cast("Location", content.get("location", "header")),
            visible=content.get("visible") is not False,
            page=pages.get(linked_id(content) or ""),
            url=linked_url(content),
            wanted=linked_id(content),
        )
        for section, content in zip(sections, contents, strict=True)
    ]
