"""What the API answers with. The OpenAPI document has the schemas of these models."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import JsonValue

from remit_cms.models import View


class Rendition(View):
    """A copy of an image at a width."""

    type: str
    width: int
    url: str


class ImageValue(View):
    """A picture. One of another server has an address and texts alone."""

    image_id: str | None = None
    url: str
    alt: str = ""
    caption: str = ""
    width: int | None = None
    height: int | None = None
    focal_x: int | None = None
    focal_y: int | None = None
    renditions: Sequence[Rendition] = ()


class LinkValue(View):
    """A link with its label."""

    text: str
    url: str


class MediaValue(View):
    """A film or sound."""

    url: str
    caption: str = ""


class EntriesValue(View):
    """Entries of a collection, the newest first: at most ``limit`` of those at ``url``."""

    collection: str
    limit: int
    url: str


class Meta(View):
    """What search engines are told."""

    title: str | None
    description: str | None
    indexing: bool


class DocumentSummary(View):
    """A page or entry without its content.

    ``type`` is page, or the key of the entry's collection. ``languages`` are the addresses in all languages of the
    site, ``untranslated`` the texts that fell back to another language, with that. ``revision`` grows with each
    publication that changes it.
    """

    id: str
    type: str
    title: str
    path: str
    url: str
    locale: str
    languages: dict[str, str]
    untranslated: dict[str, str]
    meta: Meta
    published_at: datetime
    updated_at: datetime
    revision: int


class Section(View):
    """A section of a page: its type, and the fields of that. Empty fields are null, empty lists ``[]``."""

    id: str
    type: str
    fields: dict[str, JsonValue]
    untranslated: dict[str, str]


class PageDocument(DocumentSummary):
    """A page with its sections in order."""

    sections: list[Section]


class EntryDocument(DocumentSummary):
    """An entry with the fields of its collection."""

    fields: dict[str, JsonValue]


class DocumentList(View):
    """A part of a list, the newest first. ``total`` counts the whole list; without ``next_cursor`` nothing follows."""

    items: list[DocumentSummary]
    total: int
    next_cursor: str | None


class AddressReply(View):
    """What visitors find at an address: a page or entry, or where it leads."""

    document: DocumentSummary | None
    redirect: str | None


class NavigationItem(View):
    """A link of the header or footer. ``page`` is the id of a page or entry of the site."""

    id: str
    label: str
    location: str
    url: str
    page: str | None


class Navigation(View):
    """The links of header and footer, in their order."""

    items: list[NavigationItem]


class Language(View):
    """A language of the site."""

    code: str
    name: str
    is_default: bool


class Settings(View):
    """The settings of the site that visitors see."""

    name: str
    tagline: str | None
    url: str
    locale: str
    languages: list[Language]
    home_page: str | None
    logo: ImageValue | None
    time_zone: str
    theme: dict[str, str]


class Field(View):
    """A field of a type. A list has fields of its own, those of its items."""

    key: str
    type: str
    label: str
    required: bool
    options: list[str]
    fields: list[Field]


class Type(View):
    """A type of sections, or of the entries of a collection."""

    key: str
    name: str
    kind: Literal["section", "entry"]
    fields: list[Field]


class Types(View):
    """The types of sections, and the collections that have entries which visitors see."""

    items: list[Type]


class Index(View):
    """Where everything is."""

    name: str
    links: dict[str, str]


class ErrorReply(View):
    """Why a request is not answered."""

    error: str
    error_code: str
