"""Payloads and replies of the operations on types."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from remit.tools import entity
from remit_cms.models import (
    IdOrKey,
    Line,
    LocaleCode,
    OmittedIfNone,
    OptionalParam,
    Payload,
    Reply,
    SlugText,
    View,
)

TypeKind = Literal["entries", "section", "single"]
ItemFieldType = Literal["text", "richText", "date", "number", "yesNo", "option", "image", "media", "link", "reference"]
FieldType = Literal[ItemFieldType, "list"]

MAX_FIELDS = 30
MAX_ITEM_FIELDS = 10
_KEY_PATTERN = r"^[a-zA-Z][a-zA-Z0-9]{0,39}$"
_TYPE = "Key of the type"
_VALUE = "The value where there is none"
_LABEL = "What people read; the words of the key if omitted"
_OPTIONS = "The values of an option"

_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Line]
_Label = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200), Line]
_Value = Annotated[str, StringConstraints(max_length=1000)]
_FieldKey = Annotated[str, Field(pattern=_KEY_PATTERN)]
_FieldName = Annotated[str, Field(min_length=1, max_length=40)]
_Option = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Line]
_Options = Annotated[list[_Option], Field(max_length=50)]


class ItemField(Payload):
    """A field of the items of a list."""

    key: _FieldKey = Field(description="Name of the field in letters and digits")
    type: ItemFieldType = Field(description="Kind of its values")
    label: OptionalParam[_Label] = Field(default=None, description=_LABEL)
    required: bool = Field(default=False, description="Whether each item needs a value")
    options: _Options = Field(default_factory=list[str], description=_OPTIONS)


_ItemFields = Annotated[list[ItemField], Field(max_length=MAX_ITEM_FIELDS)]


class FieldInput(Payload):
    """A new field of a type."""

    key: _FieldKey = Field(description="Name of the field in letters and digits")
    type: FieldType = Field(description="Kind of its values; a date may have a time, a reference is a page or entry")
    label: OptionalParam[_Label] = Field(default=None, description=_LABEL)
    required: bool = Field(default=False, description="Whether it needs a value")
    options: _Options = Field(default_factory=list[str], description=_OPTIONS)
    value: OptionalParam[_Value] = Field(default=None, description=_VALUE)
    fields: _ItemFields = Field(
        default_factory=list[ItemField], description="What each item of a list has; one text if omitted"
    )


class FieldChange(Payload):
    """A change of one field. What is omitted stays as it is."""

    key: _FieldName = Field(description="Name of the field")
    new_key: OptionalParam[_FieldKey] = Field(default=None, description="New name of the field")
    type: OptionalParam[FieldType] = Field(default=None, description="New kind of its values")
    label: OptionalParam[_Label] = Field(default=None, description="What people read")
    required: OptionalParam[bool] = Field(default=None, description="Whether it needs a value")
    options: OptionalParam[_Options] = Field(default=None, description="All values of an option")
    value: OptionalParam[_Value] = Field(default=None, description=_VALUE)
    fields: OptionalParam[_ItemFields] = Field(default=None, description="All that each item of a list has")


class ListTypes(Payload):
    """The types to list."""

    kind: OptionalParam[TypeKind] = Field(default=None, description="Only those of this kind")


class DefineType(Payload):
    """A new type."""

    name: _Name = Field(description="Name of the type, as people read it")
    fields: list[FieldInput] = Field(
        description="Its fields beside the title, which each has", min_length=1, max_length=MAX_FIELDS
    )
    kind: TypeKind = Field(
        default="entries",
        description="entries have pages of their own and a list; a section is a template for pages; single is one page",
    )
    key: OptionalParam[SlugText] = Field(default=None, description="Name in addresses; made from the name if omitted")
    sorted_by: OptionalParam[_FieldName] = Field(
        default=None, description="The date by which lists are sorted, what is next first; by default the required one"
    )


class ChangeType(Payload):
    """Changes of a type. What is omitted stays as it is."""

    type_id: IdOrKey = Field(description=_TYPE)
    name: OptionalParam[_Name] = Field(default=None, description="New name")
    add_fields: list[FieldInput] = Field(
        default_factory=list[FieldInput], description="New fields", max_length=MAX_FIELDS
    )
    change_fields: list[FieldChange] = Field(
        default_factory=list[FieldChange], description="Fields to change", max_length=MAX_FIELDS
    )
    remove_fields: list[_FieldName] = Field(
        default_factory=list[str], description="Names of fields to remove", max_length=MAX_FIELDS
    )
    field_order: list[_FieldName] = Field(
        default_factory=list[str], description="Names of the fields that come first", max_length=MAX_FIELDS
    )
    sorted_by: OptionalParam[Annotated[str, Field(max_length=40)]] = Field(
        default=None, description="The date by which lists are sorted; empty for none"
    )
    locale_code: OptionalParam[LocaleCode] = Field(
        default=None, description="Language of the new name and labels, if not that of the site"
    )


class DeleteType(Payload):
    """The type to delete."""

    type_id: IdOrKey = Field(description=_TYPE)


@entity("type")
class TypeView(View):
    """A type. Its key serves as typeId, and as collectionId of entries or definitionId of sections."""

    id: str
    key: str
    name: str
    kind: TypeKind
    fields: list[str]
    sorted_by: OmittedIfNone[str] = None
    entries: OmittedIfNone[int] = None


class TypeReply(Reply):
    """One type."""

    type: TypeView


class TypesReply(Reply):
    """The types of a site."""

    types: list[TypeView]
    total: int


class TypeDeletion(Reply):
    """A deleted type."""

    type_id: str
