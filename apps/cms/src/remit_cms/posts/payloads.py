"""Payloads and replies of the operations on collections, entries and posts."""

from __future__ import annotations

import operator
from datetime import datetime
from typing import Annotated, Literal, Self, cast

from pydantic import AliasChoices, BeforeValidator, Field, StringConstraints, model_validator
from pydantic.json_schema import SkipJsonSchema

from remit.tools import Reference, entity
from remit_cms.models import (
    Content,
    ContentInput,
    DocumentReply,
    IdOrKey,
    Line,
    ListPayload,
    ListReply,
    LocaleCode,
    OmittedIfNone,
    OptionalParam,
    Payload,
    ReadPayload,
    SlugText,
    View,
    WritePayload,
    WriteReply,
    empty_content,
    is_none,
    require_change,
)
from remit_cms.publishing.payloads import PageState

_COLLECTION = "Key of the collection, from cms_listCollections"
_ENTRY = "Id, slug or exact title of the entry"
_POST = "Id, slug or exact title of the post"
_OF_POST = AliasChoices("postSlug", "postId", "id")
_SLUG = "Name in the address: a-z, 0-9 and '-'; made from the title if omitted"
_LOCALE = "Code of a language of the site; the main one if omitted"

_EntryReference = Annotated[str, Field(min_length=1, max_length=200), Reference("entry")]
_Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), Line]
_Text = Annotated[str, Field(max_length=50_000)]
_Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=1000), Line]


class GetCollectionEntries(ListPayload):
    """The entries to list."""

    collection_id: IdOrKey = Field(description=_COLLECTION)
    include_content: bool = Field(default=False, description="Give the content of every entry too")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class OneEntry(Payload):
    """An entry."""

    entry_id: _EntryReference = Field(description=_ENTRY)


class GetEntryContent(OneEntry, ReadPayload):
    """The entry to read."""

    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class CreateEntry(Payload):
    """A new entry."""

    collection_id: IdOrKey = Field(description=_COLLECTION)
    title: _Title = Field(description="Title of the entry")
    slug: OptionalParam[SlugText] = Field(default=None, description=_SLUG)
    content: ContentInput = Field(
        default_factory=empty_content, description="The fields of the collection with their values"
    )
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class UpdateEntry(OneEntry, WritePayload):
    """Changes to an entry. Omitted fields stay as they are."""

    title: OptionalParam[_Title] = Field(default=None, description="New title")
    slug: OptionalParam[SlugText] = Field(default=None, description="New slug")
    content: ContentInput = Field(
        default_factory=empty_content, description="The fields to change, with their new values; null empties one"
    )
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        require_change(self, "title", "slug", "content")
        return self


class DeleteEntry(OneEntry, WritePayload):
    """The entry to delete."""


class Cover(Payload):
    """The picture of a post: an image of the site, or one elsewhere with what it shows.

    Models are not told of caption and focal point; what they have read of a picture they can write back.
    """

    image_id: OptionalParam[_Line] = Field(default=None, description="Id of an image of the site")
    url: OptionalParam[_Line] = Field(default=None, description="Address of another picture")
    alt: OptionalParam[_Line] = Field(default=None, description="What it shows")
    caption: SkipJsonSchema[_Line | None] = Field(default=None, exclude_if=is_none)
    focal_x: SkipJsonSchema[int | None] = Field(default=None, exclude_if=is_none)
    focal_y: SkipJsonSchema[int | None] = Field(default=None, exclude_if=is_none)


def _split_tags(value: object) -> object:
    """Tags that are given as one text with commas, or as texts of which some have commas."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in cast("list[object]", texts)):
        return value
    return [tag.strip() for text in cast("list[str]", texts) for tag in text.split(",") if tag.strip()]


Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=50, pattern=r"^[^,]+$"), Line]
Tags = Annotated[list[Tag], BeforeValidator(_split_tags), Field(max_length=20)]

_OTHER_NAMES = {
    "text": "body",
    "markdown": "body",
    "summary": "excerpt",
    "description": "excerpt",
    "featuredImage": "cover",
    "featured_image": "cover",
    "image": "cover",
}


class _PostFields(Payload):
    """What posts are made of, also in an object ``content`` or ``updates``, and under other usual names."""

    excerpt: OptionalParam[_Line] = Field(default=None, description="Summary in a sentence or two")
    author: OptionalParam[_Line] = Field(default=None, description="Who wrote it")
    category: OptionalParam[_Line] = Field(default=None, description="Category")
    tags: OptionalParam[Tags] = Field(default=None, description="Tags")
    cover: OptionalParam[Cover] = Field(default=None, description="Picture")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @model_validator(mode="before")
    @classmethod
    def _accept_other_names(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        given = dict(cast("dict[str, object]", value))
        for wrapper in ("updates", "content"):
            nested = given.pop(wrapper, None)
            if isinstance(nested, dict):
                given = {**cast("dict[str, object]", nested), **given}
            elif nested is not None:
                given.setdefault("body", nested)
        for other, name in _OTHER_NAMES.items():
            if other in given and name not in given:
                given[name] = given.pop(other)
        if isinstance(cover := given.get("cover"), str):
            given["cover"] = {"url" if "/" in cover else "imageId": cover}
        return given

    def content(self, body: str | None) -> Content:
        """The values of the entry that is a post. An empty text removes one."""
        cover = None if self.cover is None else self.cover.model_dump(by_alias=True, exclude_none=True)
        tags = None if self.tags is None else ", ".join(self.tags)
        values: Content = {
            "body": body,
            "excerpt": self.excerpt,
            "author": self.author,
            "category": self.category,
            "tags": tags,
            "cover": cover,
        }
        return {name: value or None for name, value in values.items() if value is not None}


class GetPosts(ListPayload):
    """The posts to list."""

    collection_slug: IdOrKey = Field(default="posts", description="Key of the collection, unless it is posts")
    status: Literal["draft", "published", "archived", "all"] = Field(default="all", description="Only those")
    category: OptionalParam[_Line] = Field(default=None, description="Only those of this category")
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class OnePost(Payload):
    """A post."""

    post_slug: _EntryReference = Field(description=_POST, validation_alias=_OF_POST)


class GetPost(OnePost, ReadPayload):
    """The post to read."""

    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class CreatePost(_PostFields):
    """A new post."""

    title: _Title = Field(description="Title of the post")
    body: _Text = Field(default="", description="The text, in Markdown")
    slug: OptionalParam[SlugText] = Field(default=None, description=_SLUG)
    collection_slug: IdOrKey = Field(default="posts", description="Key of the collection, unless it is posts")


class UpdatePost(_PostFields, WritePayload):
    """Changes to a post. Omitted fields stay as they are; an empty text removes one."""

    post_slug: _EntryReference = Field(description=_POST, validation_alias=_OF_POST)
    title: OptionalParam[_Title] = Field(default=None, description="New title")
    body: OptionalParam[_Text] = Field(default=None, description="New text, in Markdown")
    slug: OptionalParam[SlugText] = Field(default=None, description="New slug")

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        require_change(self, "title", "body", "slug", "excerpt", "author", "category", "tags", "cover")
        return self


class ConfirmedPost(OnePost, WritePayload):
    """A post that something is done to after approval. ``confirmed`` says nothing: a person is asked."""

    confirmed: SkipJsonSchema[bool] = Field(default=False, exclude_if=operator.not_)


class PublishPost(ConfirmedPost):
    """The post to publish."""


class ArchivePost(ConfirmedPost):
    """The post to archive."""


class DeletePost(ConfirmedPost):
    """The post to delete."""


@entity("entry", name="title")
class EntryBrief(View):
    """An entry as replies of writes name it; the slug is without its type."""

    id: str
    title: str
    slug: str
    status: str


class EntryView(EntryBrief):
    """An entry. ``untranslated`` names the fields that the locale lacks, and the locale that stands in."""

    revision: int
    locale_code: OmittedIfNone[str] = None
    content: OmittedIfNone[Content] = None
    untranslated: OmittedIfNone[dict[str, str]] = None


class EntryReply(DocumentReply):
    """One entry."""

    entry: EntryView


class EntryWriteReply(WriteReply):
    """An entry that was made or changed."""

    entry: EntryBrief


class EntriesReply(ListReply):
    """Entries of a collection, by slug."""

    entries: list[EntryView]


class EntryDeletion(WriteReply):
    """A deleted entry. It is in the trash."""

    entry_id: str
    change_set_id: str


@entity("post", name="title")
class PostName(EntryBrief):
    """A post as replies of writes name it."""


class PostBrief(PostName):
    """A post in a list."""

    published_at: OmittedIfNone[datetime] = None
    category: OmittedIfNone[str] = None
    excerpt: OmittedIfNone[str] = None


class PostView(PostBrief):
    """A post. ``path`` is its address, once it is published."""

    path: str
    revision: int
    locale_code: str
    body: str
    author: OmittedIfNone[str] = None
    tags: OmittedIfNone[list[str]] = None
    cover: OmittedIfNone[dict[str, str]] = None
    untranslated: OmittedIfNone[dict[str, str]] = None


class PostReply(DocumentReply):
    """One post."""

    post: PostView


class PostWriteReply(WriteReply):
    """A post that was made or changed."""

    post: PostName


class PostsReply(ListReply):
    """Posts: the last published first, then drafts, the newest first."""

    posts: list[PostBrief]


class PostStateReply(DocumentReply):
    """One post after the operation."""

    post: PageState


class PostDeletion(WriteReply):
    """A deleted post. It is in the trash."""

    post_id: str
    change_set_id: str
