"""Payloads and replies of the operations on pages."""

from __future__ import annotations

import operator
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, StringConstraints, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from remit.tools import entity
from remit_cms.models import (
    CursorPayload,
    DocumentReply,
    Line,
    ListPayload,
    ListReply,
    LocaleCode,
    OmittedIfNone,
    OptionalParam,
    PageName,
    PageReference,
    Payload,
    ReadPayload,
    Reply,
    SlugText,
    View,
    WritePayload,
    WriteReply,
    is_none,
    refuse_two_names,
    require_change,
)
from remit_cms.sections.payloads import SectionInput, SectionInputs, SectionView

_PAGE = "Id, slug or exact title of the page"
_OF_PAGE = AliasChoices("pageId", "id")
_LOCALE = "Code of a language of the site; the main one if omitted"
_SLUG = "Name in the address: a-z, 0-9 and '-'"

_TITLE_NAMES = AliasChoices("title", "name")

_MetaTitle = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), Line]
_MetaText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500), Line]
_ParentName = Annotated[str, Field(max_length=200)]
_Title = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Line, Field(description="Page title")
]


class GetPages(ListPayload):
    """The pages to list."""

    limit: int = Field(default=50, description="Most pages to give (1-100)", ge=1, le=100)
    locale_code: OptionalParam[LocaleCode] = Field(
        default=None, description="Code of the language of the titles; tells which are not translated"
    )


class GetPage(ReadPayload, CursorPayload):
    """The page to read, and the parts of it to include."""

    page_id: PageName = Field(description=_PAGE, validation_alias=AliasChoices("pageId", "id", "slug"))
    include_content: bool = Field(default=False, description="Give the content of every section too")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @model_validator(mode="before")
    @classmethod
    def _refuse_two_pages(cls, value: object) -> object:
        return refuse_two_names(value, "pageId", "id", "slug")


class Meta(Payload):
    """What search engines show of a page."""

    title: OptionalParam[_MetaTitle] = Field(default=None, description="Title for search engines")
    description: OptionalParam[_MetaText] = Field(default=None, description="Description for search engines")


class CreatePage(Payload):
    """A new page. Its texts for search engines are not told: `UpdatePage` has them."""

    title: _Title = Field(validation_alias=_TITLE_NAMES)
    slug: OptionalParam[SlugText] = Field(default=None, description=f"{_SLUG}; made from the title if omitted")
    sections: SectionInputs = Field(
        default_factory=list[SectionInput], description="Sections, from top to bottom", max_length=20
    )
    indexing: SkipJsonSchema[bool | None] = Field(default=None, exclude_if=is_none)
    meta: SkipJsonSchema[Meta | None] = Field(default=None, exclude_if=is_none)


class CreatePageWithContent(CreatePage):
    """A new page with its sections."""

    sections: SectionInputs = Field(description="Sections, from top to bottom (1-20)", min_length=1, max_length=20)


class UpdatePage(WritePayload):
    """Changes to a page. Omitted fields stay as they are.

    Models are not told of ``slug``, ``indexing`` and ``meta``, which they would fill in: `MovePage` and
    `UpdatePageMeta` have them.
    """

    page_id: PageReference = Field(description=_PAGE, validation_alias=_OF_PAGE)
    title: OptionalParam[_Title] = Field(default=None, description="New title", validation_alias=_TITLE_NAMES)
    slug: SkipJsonSchema[SlugText | None] = Field(default=None, exclude_if=is_none)
    indexing: SkipJsonSchema[bool | None] = Field(default=None, exclude_if=is_none)
    meta: SkipJsonSchema[Meta | None] = Field(default=None, exclude_if=is_none)
    locale_code: SkipJsonSchema[LocaleCode | None] = None

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        if all(value is None for value in (self.title, self.slug, self.indexing, self.meta)):
            raise ValueError(
                "nothing to change; give a title; cms_movePage has the address, cms_updatePageMeta the rest"
            )
        return self


class UpdatePageMeta(WritePayload):
    """What search engines show of a page. Omitted parts stay as they are."""

    page_id: PageReference = Field(description=_PAGE, validation_alias=_OF_PAGE)
    title: OptionalParam[_MetaTitle] = Field(default=None, description="Title for search engines")
    description: OptionalParam[_MetaText] = Field(default=None, description="Description for search engines")
    indexing: OptionalParam[bool] = Field(default=None, description="Whether search engines may list the page")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @property
    def update(self) -> UpdatePage:
        """The same as an update."""
        return UpdatePage(
            page_id=self.page_id,
            indexing=self.indexing,
            meta=Meta(title=self.title, description=self.description),
            locale_code=self.locale_code,
            with_token=self.with_token,
            if_unchanged=self.if_unchanged,
        )

    @model_validator(mode="after")
    def _require_part(self) -> Self:
        require_change(self, "title", "description", "indexing")
        return self


class TranslatePage(WritePayload):
    """The texts of a page in another language. Omitted ones stay as they are."""

    page_id: PageReference = Field(description=_PAGE, validation_alias=_OF_PAGE)
    locale_code: LocaleCode = Field(description="Code of the language")
    title: OptionalParam[_Title] = Field(default=None, description="Title in that language")
    slug: OptionalParam[SlugText] = Field(default=None, description="Slug in that language")
    meta: SkipJsonSchema[Meta | None] = Field(default=None, exclude_if=is_none)

    @property
    def update(self) -> UpdatePage:
        """The same as an update."""
        return UpdatePage(**{name: getattr(self, name) for name in TranslatePage.model_fields})

    @model_validator(mode="after")
    def _require_text(self) -> Self:
        if all(value is None for value in (self.title, self.slug, self.meta)):
            raise ValueError("nothing to translate; give title or slug in that language")
        return self


class CopyPage(Payload):
    """The page to copy, and what its copy is called."""

    page_id: PageReference = Field(description=_PAGE, validation_alias=_OF_PAGE)
    title: _Title
    slug: OptionalParam[SlugText] = Field(default=None, description=f"{_SLUG}; made from the title if omitted")


class MovePage(WritePayload):
    """The page to move, and its new place: another slug, or another page above it."""

    page_id: PageReference = Field(description=_PAGE, validation_alias=_OF_PAGE)
    slug: OptionalParam[SlugText] = Field(default=None, description="New name of the page in its address")
    parent_id: OptionalParam[_ParentName] = Field(
        default=None, description="The page to put it below, named likewise; / for the top"
    )

    def update_of(self, page_id: str) -> UpdatePage:
        """The new slug as an update of the page with this id, whose token has been checked."""
        return UpdatePage(page_id=page_id, slug=self.slug, with_token=self.with_token)

    @model_validator(mode="after")
    def _require_place(self) -> Self:
        if (self.slug is None) == (self.parent_id is None):
            raise ValueError("give slug or parentId, one of them at a time")
        return self


class GetLinksHere(CursorPayload):
    """The page whose links to list."""

    page_id: PageName = Field(description=f"{_PAGE}, or its id in the trash")


class DeletePage(WritePayload):
    """The page to delete. Models are not told of ``confirmed``: a person confirms."""

    page_id: PageReference = Field(description=_PAGE, validation_alias=AliasChoices("pageId", "id", "slug"))
    confirmed: SkipJsonSchema[bool] = False
    remove_from_navigation: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)

    @model_validator(mode="after")
    def _leave_navigation(self) -> Self:
        if self.remove_from_navigation:
            raise ValueError("a deletion changes no navigation; cms_removeNavigationItem removes an item of it")
        return self


class FindResource(Payload):
    """A search by name."""

    query: str = Field(description="Title or slug of a page, roughly", min_length=1, max_length=200)
    limit: int = Field(default=5, description="Most matches to give (1-20)", ge=1, le=20)
    resource_type: SkipJsonSchema[Literal["page", "post", "entry"] | None] = Field(default=None, exclude_if=is_none)

    @field_validator("resource_type", mode="before")
    @classmethod
    def _refuse_others(cls, value: object) -> object:
        if value in ("section", "collection"):
            raise ValueError("this finds pages and posts; cms_getPageSections lists sections, cms_listTypes types")
        return value


class SearchPages(Payload):
    """A search in texts."""

    query: str = Field(description="Words to look for in titles and texts", min_length=1, max_length=500)
    limit: int = Field(default=5, description="Maximum results to return (1-20)", ge=1, le=20)
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description="Language to search in; all if omitted")


@entity("page", name="title")
class PageBrief(View):
    """A page in a list. ``untranslated`` names the texts that the locale lacks, and the locale that they are in."""

    id: str
    title: str
    slug: str
    status: str
    untranslated: OmittedIfNone[dict[str, str]] = None


class MetaView(View):
    """What search engines show of a page."""

    title: OmittedIfNone[str] = None
    description: OmittedIfNone[str] = None


class PageView(PageBrief):
    """A page."""

    revision: int
    indexing: bool
    locale_code: OmittedIfNone[str] = None
    meta: OmittedIfNone[MetaView] = None
    sections: list[SectionView]


@entity("page", name="title")
class Match(View):
    """A page found by a search, or an entry: then ``kind`` says so.

    ``score`` is between 0 and 1; ``locale_code`` is the locale of the texts found.
    """

    id: str
    title: str
    slug: str
    score: float
    locale_code: OmittedIfNone[str] = None
    kind: OmittedIfNone[str] = None


class PageReply(DocumentReply, ListReply):
    """One page, with its content if that was asked for or is small. ``total`` counts its sections."""

    page: PageView


class PageWriteReply(WriteReply):
    """A page that was made or changed, and the sections that were made with it."""

    page: PageBrief
    sections: OmittedIfNone[list[SectionView]] = None


@entity("page", name="title")
class LinkView(View):
    """A place that links to a page: in the draft of an object, in what visitors see of it, or in both."""

    kind: str
    id: str
    title: str
    place: str
    draft: bool
    live: bool


class LinksReply(ListReply):
    """What links to a page, by title."""

    links: list[LinkView]


class PagesReply(ListReply):
    """Pages by slug."""

    pages: list[PageBrief]


class MatchesReply(Reply):
    """Pages found by a search, best first."""

    matches: list[Match]


class PageDeletion(WriteReply):
    """A deleted page, or the question whether to delete it."""

    page_id: str
    change_set_id: OmittedIfNone[str] = None
    requires_confirmation: OmittedIfNone[bool] = None
