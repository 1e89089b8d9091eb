"""Payloads and replies of the operations on redirects."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AliasChoices, Field, model_validator

from remit.tools import Reference, entity
from remit_cms.models import (
    DocumentReply,
    ListPayload,
    ListReply,
    LocaleCode,
    OmittedIfNone,
    OptionalParam,
    ReadPayload,
    WritePayload,
    require_change,
)
from remit_cms.singles.hosts import MAX_HREF
from remit_cms.singles.payloads import ItemReply, ItemView

_PATH = "Address on this site that has no page: /{path}, or /{language}/{path} in another language"
_HREF = "Page or post by slug, id or exact title, or an address that begins with https://"
_LOCALE = "Language in which visitors get the page; that of the path if omitted"

_Path = Annotated[str, Field(min_length=1, max_length=2048)]
_Href = Annotated[str, Field(min_length=1, max_length=MAX_HREF)]
_RedirectReference = Annotated[str, Field(min_length=1, max_length=2048), Reference("redirect")]


class ListRedirects(ReadPayload, ListPayload):
    """Which part of the redirects to list."""


class AddRedirect(WritePayload):
    """A new redirect."""

    path: _Path = Field(description=_PATH)
    href: _Href = Field(description=_HREF)
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class OneRedirect(WritePayload):
    """A redirect."""

    path: _RedirectReference = Field(
        description="Address from which it leads, or its id", validation_alias=AliasChoices("path", "id", "redirectId")
    )


class UpdateRedirect(OneRedirect):
    """Changes to a redirect. Omitted fields stay as they are."""

    new_path: OptionalParam[_Path] = Field(default=None, description="New address from which it leads")
    new_href: OptionalParam[_Href] = Field(default=None, description=_HREF)
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        require_change(self, "new_path", "new_href", "locale_code")
        return self


class RemoveRedirect(OneRedirect):
    """The redirect to remove."""


@entity("redirect", name="path")
class RedirectView(ItemView):
    """A redirect: ``automatic`` if the CMS made it, from an address that a live page left."""

    path: str
    automatic: OmittedIfNone[bool] = None


class RedirectsReply(DocumentReply, ListReply):
    """The redirects in the draft of the owner, and after them those that the CMS made by itself."""

    redirects: list[RedirectView]
    status: str
    revision: OmittedIfNone[int] = None


@entity("redirect", name="path")
class RedirectReply(ItemReply):
    """One redirect."""

    path: str
