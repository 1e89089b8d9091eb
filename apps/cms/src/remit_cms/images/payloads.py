"""Payloads and replies of the operations on images."""

from __future__ import annotations

import operator
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AliasChoices, Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

from remit.artifacts import Artifact
from remit.tools import Reference, entity
from remit_cms.models import (
    CursorPayload,
    DocumentReply,
    GuardedPayload,
    Line,
    ListPayload,
    ListReply,
    LocaleCode,
    OmittedIfNone,
    OptionalParam,
    Payload,
    ReadPayload,
    Reply,
    View,
    WritePayload,
    WriteReply,
    is_none,
)
from remit_cms.sections.payloads import SectionBrief, SectionPayload

_IMAGE = "Id, name or alternative text of the image"
_OF_IMAGE = AliasChoices("imageId", "id")
_LOCALE = "Code of a language of the site; the main one if omitted"
_FIELD = "Field of the section that takes an image; may be omitted if it has one"
_ALT = "What the picture shows, for those who do not see it"
_NAME = "File name of the image"

ImageReference = Annotated[str, Field(min_length=1, max_length=500), Reference("image")]
"""How an image is named: by id, name or alternative text, which is resolved before anybody is asked."""

_Query = Annotated[str, Field(min_length=1, max_length=500)]


def _check_name(name: str) -> str:
    if "/" in name or "\\" in name:
        raise ValueError("a file name has neither / nor \\; write menu-3-4.png, for example")
    return name


_Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=500), Line]
_AltText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), Line]
_Name = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=255), Line, AfterValidator(_check_name)
]
_Percent = Annotated[int, Field(ge=0, le=100)]
_FieldKey = Annotated[str, Field(min_length=1, max_length=64)]


class _FocalPoint(Payload):
    focal_x: OptionalParam[_Percent] = Field(
        default=None, description="Where its subject is, in percent from the left; kept when the picture is cropped"
    )
    focal_y: OptionalParam[_Percent] = Field(default=None, description="The same, in percent from the top")

    @model_validator(mode="after")
    def _require_both(self) -> Self:
        if (self.focal_x is None) != (self.focal_y is None):
            raise ValueError("a focal point has two numbers; give focalX and focalY")
        return self


class UploadImage(_FocalPoint):
    """A file to keep as an image."""

    file: Artifact = Field(description="The picture: PNG, JPEG, WebP, AVIF or GIF")
    alt_text: _AltText = Field(description=_ALT)
    name: OptionalParam[_Name] = Field(default=None, description=f"{_NAME}; that of the file if omitted")
    caption: OptionalParam[_Text] = Field(default=None, description="Words that stand below it")


class ListConversationImages(ListPayload):
    """The images to list."""

    limit: int = Field(default=50, description="Most images to give (1-100)", ge=1, le=100)


class FindImage(ReadPayload):
    """The image to find."""

    description: str = Field(description="What it shows, or its name", min_length=1, max_length=500)


class SearchImages(ListPayload):
    """A search among images."""

    query: OptionalParam[_Query] = Field(
        default=None, description="What they show, in a few words; all images, the newest first, if omitted"
    )
    limit: int = Field(default=5, description="Most images to give (1-50)", ge=1, le=50)
    min_score: SkipJsonSchema[float | None] = Field(default=None, exclude_if=is_none)

    @model_validator(mode="after")
    def _refuse_cursor(self) -> Self:
        if self.cursor is not None and self.query is not None:
            raise ValueError("a search gives its best matches at once; leave cursor out, or the query to list all")
        return self


class UpdateImage(_FocalPoint, WritePayload):
    """New texts and focal point of an image. Omitted fields stay as they are."""

    image_id: ImageReference = Field(description=_IMAGE, validation_alias=_OF_IMAGE)
    alt_text: OptionalParam[_AltText] = Field(default=None, description=_ALT)
    caption: OptionalParam[_Text] = Field(default=None, description="Words that stand below it; empty for none")
    name: OptionalParam[_Name] = Field(default=None, description=_NAME)

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        if all(value is None for value in (self.alt_text, self.caption, self.name, self.focal_x)):
            raise ValueError("nothing to change; give altText, caption, name, or focalX and focalY")
        return self


class DeleteImage(GuardedPayload):
    """The image to delete. ``confirmed`` says nothing: a person is asked."""

    image_id: ImageReference = Field(description=_IMAGE, validation_alias=AliasChoices("imageId", "id", "description"))
    confirmed: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)


class GetImageUsage(ReadPayload, CursorPayload):
    """The image whose uses to list."""

    image_id: ImageReference = Field(description=_IMAGE, validation_alias=_OF_IMAGE)


class GetImageRendition(Payload):
    """The copy of an image to make."""

    image_id: ImageReference = Field(description=_IMAGE, validation_alias=_OF_IMAGE)
    width: int = Field(default=640, description="Width in pixels; the nearest that there is", ge=1, le=10_000)
    format: Literal["webp", "avif"] = Field(default="webp", description="Format of the copy")


class UpdateSectionImage(SectionPayload, WritePayload):
    """The image that a section shows from now on."""

    image_id: ImageReference = Field(description=_IMAGE, validation_alias=_OF_IMAGE)
    image_field: OptionalParam[_FieldKey] = Field(
        default=None, description=_FIELD, validation_alias=AliasChoices("imageField", "fieldName")
    )
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class AddImageToSection(SectionPayload, WritePayload):
    """An image for a section that has none in this field."""

    image_id: ImageReference = Field(description=_IMAGE, validation_alias=_OF_IMAGE)
    field_name: OptionalParam[_FieldKey] = Field(
        default=None, description=_FIELD, validation_alias=AliasChoices("fieldName", "imageField")
    )
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class ReplaceImage(GuardedPayload):
    """An image, and the one to show in its place. The token is that of the first."""

    old_image_description: ImageReference = Field(description=_IMAGE)
    new_image_id: ImageReference = Field(description=_IMAGE)


@entity("image", name="name")
class ImageBrief(View):
    """An image in short."""

    id: str
    name: str


class ImageView(ImageBrief):
    """An image. ``focal_x`` and ``focal_y`` are in percent from the left and from the top."""

    alt_text: str
    caption: OmittedIfNone[str] = None
    width: int
    height: int
    media_type: str
    focal_x: int
    focal_y: int
    revision: int


@entity("image", name="name")
class ImageMatch(View):
    """An image found by a search. ``score`` is between 0 and 1; there is none without words to search for."""

    id: str
    name: str
    alt_text: str
    score: OmittedIfNone[float] = None


class UseView(View):
    """A place that shows an image, in a page's draft or as visitors see it."""

    page_id: str
    title: str
    slug: str
    section: str
    locale_code: str
    live: bool


class ImageReply(DocumentReply):
    """One image."""

    image: ImageView


class ImagesReply(ListReply):
    """Images, the newest first."""

    images: list[ImageView]


class ImageMatchesReply(Reply):
    """Images found by a search, best first; or all, the newest first, with their ``total``, as in a `ListReply`."""

    matches: list[ImageMatch]
    total: OmittedIfNone[int] = None
    next_cursor: OmittedIfNone[str] = None


class ImageWriteReply(WriteReply):
    """An image that was uploaded or changed, and the titles of pages whose drafts changed with it."""

    image: ImageBrief
    pages: OmittedIfNone[list[str]] = None


class ImageSectionReply(WriteReply):
    """A section that shows an image, and the id of the item if it is one of a list."""

    section: SectionBrief
    image: ImageBrief
    new_items: OmittedIfNone[list[str]] = None


class ReplacementReply(WriteReply):
    """How many places show the new image, and the pages that they are on."""

    replaced: int
    pages: list[str]


class ImageDeletion(WriteReply):
    """A deleted image, and the change set that brings it back if it is reverted."""

    image_id: str
    change_set_id: OmittedIfNone[str] = None


class ImageUsageReply(DocumentReply, ListReply):
    """Where an image is shown."""

    image: ImageView
    uses: list[UseView]


class RenditionReply(Reply):
    """A copy of an image, as a file of the run."""

    image: ImageView
    rendition: Artifact
    width: int
    height: int
