"""The documents of which a site has one, as values: what each is called, and what stands in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from remit_cms.storage.missing import ITEM, REDIRECT, Sort
from remit_cms.storage.tables import Kind
from remit_cms.templates.builtin import DOCUMENT_TEMPLATES


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleType:
    """A document of which a site has one, and which nobody makes: it is there from the start, without content.

    It has one section with values, whose id is that of the document; or items in order, each of them a section.

    Args:
        kind: the kind of the document.
        title: what people call it.
        translated: the slots that have a value per language; the others have one in all.
        divided: the slots with values of which each key is edited by itself.
    """

    kind: Kind
    title: str
    translated: frozenset[str] = frozenset()
    divided: frozenset[str] = frozenset()

    @property
    def slug(self) -> str:
        """The slug of the document. No page can have it, since it begins with ``_``."""
        return f"_{self.kind}"

    @property
    def template(self) -> str:
        """The key of the template of its sections."""
        return DOCUMENT_TEMPLATES[self.kind].key


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsType(SingleType):
    """A document with items.

    Args:
        item: what an item is called.
        naming_slot: the slot by which people name an item.
        most: so many items it may have.
        is_ordered: whether the order of items means something to visitors.
    """

    item: Sort
    naming_slot: str
    most: int
    is_ordered: bool = False


SETTINGS: Final = SingleType(
    kind=Kind.SETTINGS,
    title="Site settings",
    translated=frozenset({"name", "tagline"}),
    divided=frozenset({"theme"}),
)
REDIRECTS: Final = ItemsType(kind=Kind.REDIRECTS, title="Redirects", item=REDIRECT, naming_slot="path", most=500)
NAVIGATION: Final = ItemsType(
    kind=Kind.NAVIGATION,
    title="Navigation",
    translated=frozenset({"label"}),
    item=ITEM,
    naming_slot="label",
    most=50,
    is_ordered=True,
)

ITEMS: Final[Mapping[str, ItemsType]] = {each.kind: each for each in (REDIRECTS, NAVIGATION)}
"""Those with items, by kind."""

SINGLES: Final[Mapping[str, SingleType]] = {SETTINGS.kind: SETTINGS, **ITEMS}
"""All of them by kind, in the order in which an approver of all should read them."""
