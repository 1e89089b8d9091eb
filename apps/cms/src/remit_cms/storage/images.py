"""Images: their rows, and the slots that show them. A slot holds ``{"imageId": ..., "alt": ...}``, per language.

It has a ``caption`` too, and ``focalX`` and ``focalY`` if its focal point is another than the image had first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pydantic import JsonValue
from sqlalchemy import (
    ColumnElement,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    String,
    Text,
    and_,
    delete,
    false,
    or_,
    select,
)
from sqlalchemy import cast as sql_cast
from sqlalchemy.orm import Mapped, mapped_column, validates

from remit.database import FullText, UtcDateTime
from remit.errors import InvalidArgumentsError
from remit_cms.models import Content
from remit_cms.storage.keys import key_of_column, name_key
from remit_cms.storage.missing import IMAGE, not_found
from remit_cms.storage.scope import Scope, Target
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import (
    Base,
    Page,
    PageSection,
    Revision,
    Scoped,
    SectionContent,
    SectionDefinition,
)
from remit_cms.storage.waiting import Waiting, find_waiting
from remit_cms.templates.image_values import FOCAL_POINT, TEXTS, find_focal_point, with_keys
from remit_cms.templates.values import iterate_items

VALUES: Final = {"alt": "alt", "caption": "caption", "name": "name", "focalX": "focal_x", "focalY": "focal_y"}
"""The values of the document of an image, and the columns that follow them."""

IMAGE_SEARCH: Final = FullText("image_search", key="image", columns={"alt": 4.0, "caption": 2.0, "name": 1.0})


class ImageContent(Base):
    """The bytes of an image, by their digest: without metadata, upright, and no larger than a site shows them."""

    __tablename__ = "image_contents"
    digest: Mapped[str] = mapped_column(String(64), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class Image(Scoped, Base):
    """An image of a site. ``source`` is the digest of the uploaded file, ``digest`` that of what is stored of it.

    Its texts and focal point are those of the draft of a document with its id, written with each revision of that.
    They are for slots to come: they change nothing that a slot shows. ``initial_focal_x`` and ``initial_focal_y``, the
    focal point of slots that have none of their own, never change. A deleted image is in the trash.
    """

    __tablename__ = "images"
    __table_args__ = (
        ForeignKeyConstraint(["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE"),
        Index("images_source", "site", "environment", "source", unique=True),
        Index("images_conversation", "site", "environment", "conversation"),
        Index("images_digest", "digest"),
    )
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    source: Mapped[str] = mapped_column(String(64))
    digest: Mapped[str] = mapped_column(ForeignKey("image_contents.digest", ondelete="RESTRICT"))
    media_type: Mapped[str] = mapped_column(String(64))
    size: Mapped[int]
    width: Mapped[int]
    height: Mapped[int]
    name: Mapped[str] = mapped_column(String(255))
    name_key: Mapped[str] = mapped_column(Text, default=key_of_column("name"), server_default="")
    alt: Mapped[str] = mapped_column(String(500))
    alt_key: Mapped[str] = mapped_column(Text, default=key_of_column("alt"), server_default="")
    caption: Mapped[str] = mapped_column(String(500))
    focal_x: Mapped[int]
    focal_y: Mapped[int]
    initial_focal_x: Mapped[int] = mapped_column(server_default="50")
    initial_focal_y: Mapped[int] = mapped_column(server_default="50")
    revision: Mapped[int]
    conversation: Mapped[str] = mapped_column(Text)
    is_deleted: Mapped[bool] = mapped_column(default=False, server_default=false())
    author: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    @validates("name", "alt")
    def _keep_key(self, column: str, text: str) -> str:
        setattr(self, f"{column}_key", name_key(text))
        return text


class ImageRendition(Base):
    """A smaller copy of an image, kept from the first request for it."""

    __tablename__ = "image_renditions"
    digest: Mapped[str] = mapped_column(ForeignKey("image_contents.digest", ondelete="CASCADE"), primary_key=True)
    width: Mapped[int] = mapped_column(primary_key=True)
    format: Mapped[str] = mapped_column(String(8), primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


@dataclass(frozen=True, slots=True)
class Use:
    """A place that shows an image: a page, in its draft or as visitors see it, and there a section's template.

    ``group`` names the change set or scheduled publication in which the page shows it, if its draft is another by now.
    """

    page: Page
    section: str
    locale: str
    live: bool
    group: str = ""

    def __str__(self) -> str:
        where = f", in {self.group}" if self.group else ", live" if self.live else ""
        return f"'{self.page.title}' ({self.section}, {self.locale}{where})"


def in_library(target: Target) -> ColumnElement[bool]:
    """The condition that an image belongs to a target and is not in the trash."""
    return and_(target.row_filter(Image), ~Image.is_deleted)


async def find_image(scope: Scope, name: str) -> Image:
    """The image with this id, or else the only one with this name or alternative text.

    Raises:
        NotFoundError: there is none.
        InvalidArgumentsError: several have the name.
    """
    key = name_key(name)
    named = or_(Image.id == name, Image.name_key == key, Image.alt_key == key)
    rows = (await scope.session.scalars(select(Image).where(in_library(scope.target), named).limit(3))).all()
    exact = [row for row in rows if row.id == name]
    if len(exact or rows) == 1:
        return (exact or rows)[0]
    if rows:
        listed = ", ".join(f"'{row.name}' (id {row.id})" for row in rows)
        raise InvalidArgumentsError(f"'{name}' may mean {listed}; give the id of one.")
    raise not_found(IMAGE, name)


async def derive_image(scope: Scope, snapshot: Snapshot) -> None:
    """Give an image the values of a state of its document, which become what is found of it and what new slots get."""
    image = await scope.session.get_one(Image, snapshot.id)
    (content,) = [section.contents[snapshot.locale] for section in snapshot.sections]
    for key, column in VALUES.items():
        setattr(image, column, content[key])
    image.is_deleted = False
    image.revision = (await scope.session.get_one(Page, snapshot.id)).revision
    await scope.session.flush()
    await _index_image(scope, image)


async def drop_image(scope: Scope, image_id: str) -> None:
    """Let an image be found no more. It is in the trash, with its content."""
    (await scope.session.get_one(Image, image_id)).is_deleted = True
    await scope.session.flush()
    await IMAGE_SEARCH.remove(scope.session, image_id)


async def purge_image(scope: Scope, image_id: str) -> None:
    """Delete an image in the trash for ever, and its content unless another site has it."""
    image = await scope.session.get_one(Image, image_id)
    digest = image.digest
    await scope.session.delete(image)
    await scope.session.flush()
    if await scope.session.scalar(select(Image.id).where(Image.digest == digest).limit(1)) is None:
        await scope.session.execute(delete(ImageContent).where(ImageContent.digest == digest))


def values_of_image(image: Image) -> Content:
    """What the document of an image holds."""
    return {key: getattr(image, column) for key, column in VALUES.items()}


async def _index_image(scope: Scope, image: Image) -> None:
    """Index the texts of an image, which are in the default language of the site, replacing its earlier entry."""
    texts = {"alt": image.alt, "caption": image.caption, "name": image.name}
    await IMAGE_SEARCH.index(scope.session, image.id, scope.default_locale, **texts)


async def load_images(scope: Scope, contents: Iterable[Content]) -> dict[str, Image]:
    """The images that contents name, by id. Those that are gone are left out."""
    ids = {str(slot["imageId"]) for content in contents for slot in iterate_image_slots(content)}
    if not ids:
        return {}
    rows = await scope.session.scalars(
        select(Image).where(scope.target.id_filter(Image, Image.id, ids), ~Image.is_deleted)
    )
    return {row.id: row for row in rows}


async def fill_images(scope: Scope, content: Content, shown: Content) -> Content:
    """Content whose slots name images by id, with what the slots do not say of them.

    Texts are those of the image. So is the focal point, unless the slot in ``shown``, the content until now, has that
    image already: then it stays.

    Raises:
        NotFoundError: there is no such image.
    """
    named = {str(slot["imageId"]) for slot in iterate_image_slots(content)}
    images = {name: await find_image(scope, name) for name in sorted(named)}

    def visit(value: JsonValue, former: JsonValue) -> JsonValue:
        if isinstance(value, list):
            items = {str(item.get("id")): item for item in iterate_items(former)}
            return [visit(each, items.get(str(each.get("id"))) if isinstance(each, dict) else None) for each in value]
        if not isinstance(value, dict):
            return value
        before = former if isinstance(former, dict) else {}
        if isinstance(name := value.get("imageId"), str):
            return _fill_slot(images[name], value, before)
        return {key: visit(each, before.get(key)) for key, each in value.items()}

    return {key: visit(value, shown.get(key)) for key, value in content.items()} if named else content


def _fill_slot(image: Image, given: Content, former: Content) -> Content:
    filled = {**image_slot(image), **{key: given[key] for key in TEXTS if given.get(key)}}
    point = find_focal_point(given)
    if point is None and former.get("imageId") == image.id:
        return with_keys(filled, FOCAL_POINT, former)
    return filled if point is None else with_keys(filled, FOCAL_POINT, _describe_focal_point(image, point))


def image_slot(image: Image) -> Content:
    """The value of a slot that shows an image."""
    caption: Content = {"caption": image.caption} if image.caption else {}
    point = _describe_focal_point(image, (image.focal_x, image.focal_y))
    return {"imageId": image.id, "alt": image.alt, **caption, **point}


def _describe_focal_point(image: Image, point: tuple[int, int]) -> Content:
    """What a slot says of its focal point: nothing of the one that the image had first, so that each has one form."""
    is_initial = point == (image.initial_focal_x, image.initial_focal_y)
    return {} if is_initial else {"focalX": point[0], "focalY": point[1]}


def iterate_image_slots(content: Content) -> Iterator[Content]:
    """The values of a content that name an image, however deep. Its own keys are names of fields."""
    for value in content.values():
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, dict):
                if isinstance(part.get("imageId"), str):
                    yield part
                yield from iterate_image_slots(part)


def map_images(content: Content, change: Callable[[Content], Content]) -> Content:
    """A copy of content in which each part that names an image is changed."""

    def visit(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            visited = map_images(value, change)
            return change(visited) if isinstance(visited.get("imageId"), str) else visited
        return [visit(part) for part in value] if isinstance(value, list) else value

    return {key: visit(value) for key, value in content.items()}


async def find_drafts(scope: Scope, image: str) -> list[tuple[Page, str, SectionContent]]:
    """The contents of drafts that show an image, with their page and the key of their template, by slug."""
    query = (
        select(Page, SectionDefinition.key, SectionContent)
        .join(PageSection, PageSection.page == Page.id)
        .join(SectionDefinition, SectionDefinition.id == PageSection.definition)
        .join(SectionContent, SectionContent.section == PageSection.id)
        .where(scope.target.row_filter(Page), sql_cast(SectionContent.content, Text).contains(image, autoescape=True))
        .order_by(Page.slug, Page.id, PageSection.sort_order, SectionContent.locale)
    )
    rows = (await scope.session.execute(query)).all()
    return [(row[0], row[1], row[2]) for row in rows if _shows(row[2].content, image)]


async def find_uses(scope: Scope, image: str) -> list[Use]:
    """Where an image is shown, in drafts and to visitors, and where it will be once what waits for that goes live."""
    uses = [Use(page, key, row.locale, live=False) for page, key, row in await find_drafts(scope, image)]
    live = (
        select(Page, Revision.snapshot)
        .join(Revision, (Revision.page == Page.id) & (Revision.number == Page.live))
        .where(scope.target.row_filter(Page), sql_cast(Revision.snapshot, Text).contains(image, autoescape=True))
        .order_by(Page.slug, Page.id)
    )
    for page, snapshot in (await scope.session.execute(live)).all():
        uses += _find_in(page, Snapshot.model_validate(snapshot), image, live=True)
    waiting: list[Waiting] = await find_waiting(scope, image)
    for each in waiting:
        uses += _find_in(each.page, each.snapshot, image, live=False, group=each.group)
    return uses


async def find_uses_after(scope: Scope, image: str, after: Mapping[str, Snapshot | None]) -> list[Use]:
    """Where an image is still shown once visitors see other states of documents, which are given by id.

    Those in change sets are named first, since a reader of the drafts sees none of them.
    """
    uses = [each for each in await find_uses(scope, image) if not (each.live and each.page.id in after)]
    for page_id, snapshot in after.items():
        if snapshot is not None:
            uses += _find_in(await scope.session.get_one(Page, page_id), snapshot, image, live=True)
    return sorted(uses, key=lambda use: use.group == "")


def _find_in(page: Page, snapshot: Snapshot, image: str, *, live: bool, group: str = "") -> list[Use]:
    return [
        Use(page, section.definition, locale, live, group)
        for section in snapshot.sections
        for locale, content in section.contents.items()
        if _shows(content, image)
    ]


def _shows(content: Content, image: str) -> bool:
    return any(slot["imageId"] == image for slot in iterate_image_slots(content))
