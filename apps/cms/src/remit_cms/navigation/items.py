"""The items of the navigation, as visitors or the draft have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from remit_cms.singles.targets import linked_object, linked_url
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.translations import localize_content
from remit_cms.templates.references import ObjectRef

Location = Literal["header", "footer", "both"]


@dataclass(frozen=True, slots=True)
class Item:
    """An item. It leads to ``target``, a page or entry which may be deleted, or else to ``url``."""

    id: str
    label: str
    location: Location
    visible: bool
    target: ObjectRef | None
    url: str | None

    @property
    def page(self) -> str | None:
        """The id of the page or entry."""
        return None if self.target is None else self.target.id


def read_items(scope: Scope, snapshot: Snapshot | None, locale: str | None = None) -> list[Item]:
    """The items in one state of the navigation, in their order, with labels in a language."""
    if snapshot is None:
        return []
    chain = (*scope.fallback_chain(locale or scope.default_locale), snapshot.locale)
    contents = {each.id: localize_content(each.contents, chain).content for each in snapshot.ordered_sections}
    return [
        Item(
            id=item,
            label=str(content.get("label", "")),
            location=cast("Location", content.get("location", "header")),
            visible=content.get("visible") is not False,
            target=linked_object(content),
            url=linked_url(content),
        )
        for item, content in contents.items()
    ]
