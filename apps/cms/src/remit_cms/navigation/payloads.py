"""Payloads and replies of the operations on the navigation."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AliasChoices, Field, StringConstraints, model_validator

from remit.tools import Reference, entity
from remit_cms.models import (
    DocumentReply,
    Line,
    LocaleCode,
    OmittedIfNone,
    OptionalParam,
    ReadPayload,
    WritePayload,
    require_change,
)
from remit_cms.navigation.items import Location
from remit_cms.singles.hosts import MAX_HREF
from remit_cms.singles.payloads import ItemReply, ItemView

_LABEL = "Label of the item, or its id"
_HREF = "Page or post by slug, id or exact title, or an address that begins with https://"
_WHERE = "header, footer or both"
_LOCALE = "Code of the language of the label; the main one if omitted"

_NewLabel = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100), Line]
_Href = Annotated[str, Field(min_length=1, max_length=MAX_HREF)]
_ItemReference = Annotated[str, Field(min_length=1, max_length=200), Reference("navigation-item")]
_Position = Annotated[int, Field(ge=0, le=100)]


class GetNavigation(ReadPayload):
    """In which language to read the navigation."""

    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class AddNavigationItem(WritePayload):
    """A new item."""

    label: _NewLabel = Field(description="What visitors read")
    href: _Href = Field(description=_HREF)
    location: Location = Field(default="header", description=_WHERE)
    position: OptionalParam[_Position] = Field(default=None, description="Place among all items, 0 is the first")


class OneItem(WritePayload):
    """An item."""

    label: _ItemReference = Field(description=_LABEL, validation_alias=AliasChoices("label", "id", "itemId"))


class UpdateNavigationItem(OneItem):
    """Changes to an item. Omitted fields stay as they are."""

    new_label: OptionalParam[_NewLabel] = Field(default=None, description="New label")
    new_href: OptionalParam[_Href] = Field(default=None, description=_HREF)
    new_location: OptionalParam[Location] = Field(default=None, description=_WHERE)
    visible: OptionalParam[bool] = Field(default=None, description="Whether visitors see it")
    new_position: OptionalParam[_Position] = Field(default=None, description="New place, 0 is the first")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        require_change(self, "new_label", "new_href", "new_location", "visible", "new_position")
        return self


class ToggleNavigationItem(OneItem):
    """The item to hide or to show."""


class RemoveNavigationItem(OneItem):
    """The item to remove."""


@entity("navigation-item", name="label")
class NavigationItemView(ItemView):
    """An item."""

    label: str
    location: Location
    visible: bool


class NavigationReply(DocumentReply):
    """All items of the draft, in order."""

    items: list[NavigationItemView]
    total: int
    status: str
    revision: OmittedIfNone[int] = None


@entity("navigation-item", name="label")
class NavigationItemReply(ItemReply):
    """One item."""

    label: str
