"""Payloads and replies of the operations on sections."""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import AliasChoices, BeforeValidator, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from remit.tools import entity
from remit_cms.models import (
    Content,
    ContentInput,
    CursorPayload,
    DocumentReply,
    IdOrKey,
    ListReference,
    ListReply,
    LocaleCode,
    NeededParam,
    OmittedIfNone,
    OptionalParam,
    PageName,
    Payload,
    ReadPayload,
    Reply,
    SectionReference,
    View,
    WritePayload,
    WriteReply,
    empty_content,
    is_none,
    parse_content,
    parse_list,
    refuse_two_names,
)
from remit_cms.templates.values import FIELD_NAMES

_PAGE = "Id, slug or title of the page"
_SECTION = "Id of the section; or its template's key, if the page has one such section"
_ITS_PAGE = "Id, slug or exact title of the page that has the section"
_ITS_ENTRY = "Id, slug or exact title of the page that has the section, or of the entry"
_OF_ENTRY = f"{_SECTION}; or the key of the entry's type"
_DEFINITION = "Key of a section template, from cms_listSectionTemplates"
_LOCALE = "Code of a language of the site; the main one if omitted"

_ITEM = "Id of the item in the list, or its exact title or question"

_ItemName = Annotated[str, Field(min_length=1, max_length=1000)]
_Order = Annotated[int, Field(ge=0, le=1000)]


_OF_PAGE = AliasChoices("pageId", "id", "slug")
_OF_SECTION = AliasChoices("pageSectionId", "sectionId", "id")
_PAGE_OF_SECTION = AliasChoices("pageId", "page")
_OF_TEMPLATE = AliasChoices("definitionId", "sectionDefId", "sectionKey", "key", "template")


def _gather_fields(value: object) -> object:
    """Put fields of a template that stand beside ``content`` into it."""
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, object]", value)
    beside = {key: each for key, each in given.items() if key in FIELD_NAMES}
    content = parse_content(given.get("content", {})) if beside else None
    if not isinstance(content, dict) or beside.keys() & content.keys():
        return given
    others = {key: each for key, each in given.items() if key not in beside}
    return {**others, "content": {**beside, **cast("dict[str, object]", content)}}


class SectionInput(Payload):
    """A section to add to a page. Its fields may stand beside ``content``, too."""

    definition_id: IdOrKey = Field(description=_DEFINITION, validation_alias=_OF_TEMPLATE)
    content: ContentInput = Field(
        default_factory=empty_content,
        description="The fields of the template with their values",
    )

    @model_validator(mode="before")
    @classmethod
    def _accept_fields_beside(cls, value: object) -> object:
        return _gather_fields(value)


class SectionPayload(Payload):
    """A section of a page. Without the page, its id is enough, or page/template.

    Models give the page and the section apart: of one text for both, such as page/template, they copy the example.
    """

    page_id: NeededParam[PageName] = Field(
        default=None, description=_ITS_PAGE, validation_alias=_PAGE_OF_SECTION, exclude_if=is_none
    )
    page_section_id: SectionReference = Field(description=_SECTION, validation_alias=_OF_SECTION)

    @model_validator(mode="before")
    @classmethod
    def _join_page_and_section(cls, value: object) -> object:
        return join_page_and_section(value)


def join_page_and_section(value: object) -> object:
    """The arguments with page and section as one text, by which a section is looked up."""
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, object]", value)
    pages = [key for key in ("page_id", *_PAGE_OF_SECTION.choices) if isinstance(given.get(str(key)), str)]
    sections = [key for key in ("page_section_id", *_OF_SECTION.choices) if isinstance(given.get(str(key)), str)]
    if not pages or not sections:
        return given
    page, section = str(given[str(pages[0])]).strip(), str(given[str(sections[0])]).strip()
    others = {key: each for key, each in given.items() if key != pages[0]}
    return {**others, str(sections[0]): section if "/" in section else f"{page.strip('/')}/{section}"}


SectionInputs = Annotated[list[SectionInput], BeforeValidator(parse_list)]
"""Sections to add to a page: a list, or the text of one."""


class GetPageSections(ReadPayload, CursorPayload):
    """The page whose sections to list."""

    page_id: PageName = Field(description=_PAGE, validation_alias=_OF_PAGE)
    include_content: bool = Field(default=False, description="Give the content of every section too")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @model_validator(mode="before")
    @classmethod
    def _refuse_two_pages(cls, value: object) -> object:
        return refuse_two_names(value, *map(str, _OF_PAGE.choices))


class GetSectionContent(SectionPayload, ReadPayload):
    """The section to read."""

    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class GetSectionFields(Payload):
    """The template to describe."""

    definition_id: IdOrKey = Field(description=_DEFINITION, validation_alias=AliasChoices(*_OF_TEMPLATE.choices, "id"))


class AddSectionToPage(SectionInput, WritePayload):
    """A section and the position at which to add it. It is a draft, whatever ``status`` models give it elsewhere.

    Models are not told of ``sort_order``, which they would fill in: `MoveSection` has it.
    """

    page_id: PageName = Field(description=_PAGE, validation_alias=AliasChoices("pageId", "slug"))
    sort_order: SkipJsonSchema[_Order | None] = Field(default=None, exclude_if=is_none)
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)
    status: SkipJsonSchema[str] = Field(default="draft", max_length=20, exclude_if=lambda status: status == "draft")

    @field_validator("status")
    @classmethod
    def _require_draft(cls, status: str) -> str:
        if status not in ("draft", "unpublished"):
            raise ValueError("a new section is a draft; visitors see it once its page is published (cms_publishPage)")
        return "draft"


class UpdateSectionContent(SectionPayload, WritePayload):
    """New values for fields of a section, which may stand beside ``content``, too."""

    content: ContentInput = Field(description="The fields to change, with their new values; null empties one")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @model_validator(mode="before")
    @classmethod
    def _accept_fields_beside(cls, value: object) -> object:
        return _gather_fields(value)


class MoveSection(SectionPayload, WritePayload):
    """The section to move, and where to."""

    sort_order: OptionalParam[_Order] = Field(default=None, description="New place, 0 is the top; the end if omitted")
    new_page_id: OptionalParam[PageName] = Field(
        default=None, description="Another page to put it on, if it leaves its own"
    )


class ItemPayload(SectionPayload, WritePayload):
    """A section with a list, or the only section of an entry. ``list_field`` is needed where a type has several."""

    page_id: NeededParam[PageName] = Field(
        default=None, description=_ITS_ENTRY, validation_alias=_PAGE_OF_SECTION, exclude_if=is_none
    )
    page_section_id: ListReference = Field(description=_OF_ENTRY, validation_alias=_OF_SECTION)
    list_field: SkipJsonSchema[str | None] = None


class AddListItem(ItemPayload):
    """A new item."""

    item: ContentInput = Field(description="The fields of the item with their values")
    position: OptionalParam[_Order] = Field(
        default=None, description="Place in the list, 0 is the top; the end if omitted"
    )
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class UpdateListItem(ItemPayload):
    """New values for fields of an item."""

    item_id: _ItemName = Field(description=_ITEM)
    item: ContentInput = Field(description="The fields to change, with their new values; null empties one")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class MoveListItem(ItemPayload):
    """An item and its new place."""

    item_id: _ItemName = Field(description=_ITEM)
    position: OptionalParam[_Order] = Field(default=None, description="New place, 0 is the top; the end if omitted")


class RemoveListItem(ItemPayload):
    """The item to remove."""

    item_id: _ItemName = Field(description=_ITEM)


class DeletePageSection(SectionPayload, WritePayload):
    """The section to delete. Models are not told of ``confirmed``: a person confirms."""

    confirmed: SkipJsonSchema[bool] = False


@entity("section", name="section_key")
class SectionBrief(View):
    """A section in short. ``section_key`` is its template's key, ``ref`` its page and number, such as about/s3."""

    id: str
    ref: OmittedIfNone[str] = None
    section_key: str


class SectionView(SectionBrief):
    """A section.

    ``content`` is present on request, and with it ``ref``. A page that is read without it says of a long one how many
    characters it has as JSON. ``untranslated`` names the fields that the locale lacks, and the locale whose values they
    have.
    """

    sort_order: int
    characters: OmittedIfNone[int] = None
    locale_code: OmittedIfNone[str] = None
    content: OmittedIfNone[Content] = None
    untranslated: OmittedIfNone[dict[str, str]] = None


class FieldView(View):
    """A field of a section template, and the format of its value."""

    key: str
    type: str
    label: str
    required: bool
    write: str
    options: OmittedIfNone[list[str]] = None


@entity("template")
class TemplateView(View):
    """A section template. Its key serves as definitionId."""

    id: str
    key: str
    name: str
    description: str
    fields: OmittedIfNone[list[str]] = None


class SectionReply(DocumentReply):
    """One section."""

    section: SectionView
    page_id: str
    revision: int


class SectionWriteReply(WriteReply):
    """A section that was added, changed or moved, and the ids of items that were added to its lists."""

    section: SectionBrief
    new_items: OmittedIfNone[list[str]] = None


class SectionsReply(DocumentReply, ListReply):
    """The sections of a page, in order."""

    sections: list[SectionView]
    page_id: str
    revision: int


class ItemWriteReply(WriteReply):
    """An item of a list that was added, changed, moved or removed, and its section."""

    item_id: str
    section: SectionBrief


class FieldsReply(Reply):
    """The fields of a template."""

    definition: TemplateView
    fields: list[FieldView]


class TemplatesReply(Reply):
    """The templates of a site."""

    templates: list[TemplateView]
    total: int


class SectionDeletion(WriteReply):
    """A deleted section, or the question whether to delete it."""

    page_section_id: str
    requires_confirmation: OmittedIfNone[bool] = None
