"""The operations on the images of a site. A model reads each docstring before it calls."""

from __future__ import annotations

import asyncio
from hashlib import sha256
from typing import Final

from sqlalchemy import select

from remit import LeafContext
from remit.artifacts import Artifacts
from remit.errors import NotFoundError
from remit.tools import Preview
from remit_cms.callers import describe_saving
from remit_cms.images.drafts import UPDATE, describe_fields, rewrite_drafts
from remit_cms.images.payloads import (
    DeleteImage,
    FindImage,
    GetImageRendition,
    GetImageUsage,
    ImageDeletion,
    ImageMatch,
    ImageMatchesReply,
    ImageReply,
    ImagesReply,
    ImageUsageReply,
    ImageView,
    ImageWriteReply,
    ListConversationImages,
    RenditionReply,
    SearchImages,
    UpdateImage,
    UploadImage,
    UseView,
)
from remit_cms.images.pictures import FORMATS, Picture, read_picture
from remit_cms.images.renditions import Renditions, as_file_name, nearest_width
from remit_cms.images.seen import check_token, give_token, show_image
from remit_cms.images.views import image_brief, image_view, to_matches, use_view
from remit_cms.models import describe_matches, pluralize, tidy_line
from remit_cms.semantic.fusion import fuse
from remit_cms.semantic.index import SemanticIndex
from remit_cms.storage.database import Database
from remit_cms.storage.documents import make_preview
from remit_cms.storage.door import delete_page, describe_claims, plan_hiding
from remit_cms.storage.image_documents import add_image, get_image_document, write_image
from remit_cms.storage.images import (
    IMAGE_SEARCH,
    Image,
    find_image,
    find_uses,
    image_slot,
    in_library,
    values_of_image,
)
from remit_cms.storage.lists import Order, list_items, list_rows
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Page
from remit_cms.storage.transactions import Edit, edit_once, open_view
from remit_cms.storage.trash import find_trashed_page, restore_page
from remit_cms.storage.vectors import IMAGE
from remit_cms.templates.image_values import follow_image

_NEWEST: Final = Order((Image.created_at, Image.id), is_falling=True)
_PARAMETERS: Final = {"alt": "altText"}
"""The values of an image that callers call otherwise."""


class Images:
    """The images of a site.

    Args:
        database: the database with the images.
        artifacts: the files that people attach to runs.
        renditions: their smaller copies.
        index: finds images by meaning, beside their words; None searches their words alone.
    """

    def __init__(
        self, database: Database, artifacts: Artifacts, renditions: Renditions, index: SemanticIndex | None = None
    ) -> None:
        self._database = database
        self._artifacts = artifacts
        self._renditions = renditions
        self._index = index

    async def upload_image(self, ctx: LeafContext, payload: UploadImage) -> ImageWriteReply:
        """Keep a picture that the person attached as an image of the site. No page shows it yet: cms_addImageToSection.

        A file that is there already is not kept twice: its image is given back as it is.
        """
        content = await self._artifacts.read(payload.file)
        picture = await asyncio.to_thread(read_picture, content)
        source = sha256(content).hexdigest()

        async def work(edit: Edit) -> ImageWriteReply:
            same = select(Image).where(edit.target.row_filter(Image), Image.source == source)
            found = (await edit.session.scalars(same)).first()
            if found is not None:
                where = "already"
                if found.is_deleted:
                    trashed = await find_trashed_page(edit, found.id)
                    await restore_page(edit, trashed, trashed.slug)
                    where = "again, from the trash"
                show_image(edit, found, "name")
                kept = _describe_kept(found, payload)
                message = f"The site has this picture {where}, as '{found.name}' (id {found.id})"
                return ImageWriteReply(image=image_brief(found), changed=[], remarks=kept or None, message=message)
            image = await _add_image(edit, payload, picture, source)
            return ImageWriteReply(
                image=image_brief(image), message=f"Uploaded the image '{image.name}' (id {image.id})"
            )

        return await edit_once(self._database, ctx, payload, ImageWriteReply, work)

    async def list_conversation_images(self, ctx: LeafContext, payload: ListConversationImages) -> ImagesReply:
        """List the images uploaded in this conversation, the newest first. For all images: cms_searchImages."""
        async with open_view(self._database, ctx) as scope:
            conversation = ctx.caller.conversation
            mine = (in_library(scope.target), Image.conversation == conversation, Image.conversation != "")
            found = await list_rows(scope, payload, select(Image).where(*mine), _NEWEST, "images of", conversation)
            found = found.fit(map(image_view, found.rows))
            images = [_show(scope, row) for row in found.rows]
        return ImagesReply(images=images, **found.summarize(f"{pluralize(found.total, 'image')} of this conversation"))

    async def find_image(self, ctx: LeafContext, payload: FindImage) -> ImageReply:
        """Find the image that fits a description best. To choose among several: cms_searchImages."""
        rows = await self._search(ctx, payload.description, 1)
        if not rows:
            raise NotFoundError(f"No image fits '{payload.description}'.")
        async with open_view(self._database, ctx) as scope:
            image = await find_image(scope, rows[0][0].id)
            return ImageReply(
                image=_show(scope, image),
                token=give_token(payload, image),
                message=f"Found the image '{image.name}': {image.alt}",
            )

    async def search_images(self, ctx: LeafContext, payload: SearchImages) -> ImageMatchesReply:
        """Search images by what they show, or list all without a query. Not for texts of pages: cms_searchPages."""
        if payload.query is None:
            return await self._list_all(ctx, payload)
        rows = await self._search(ctx, payload.query, payload.limit)
        async with open_view(self._database, ctx) as scope:
            for image, _ in rows:
                show_image(scope, image, "alt", "name")
        least = 0.0 if payload.min_score is None else payload.min_score
        matches = [match for match in to_matches(rows) if (match.score or 0.0) >= least]
        return ImageMatchesReply(matches=matches, message=describe_matches(len(matches), payload.limit, "image"))

    async def update_image(self, ctx: LeafContext, payload: UpdateImage) -> ImageWriteReply:
        """Change texts or focal point of an image; drafts with its texts follow. To show another: cms_replaceImage."""

        async def work(edit: Edit) -> ImageWriteReply:
            image = await find_image(edit, payload.image_id)
            check_token(image, payload.if_unchanged)
            before, given = image_slot(image), _read_fields(payload)
            values = values_of_image(image)
            changes = {name: value for name, value in given.items() if value != values[name]}
            pages: list[Page] = []
            if changes:
                await write_image(edit, await get_image_document(edit, image), UPDATE, changes)
                after = image_slot(image)
                pages = await rewrite_drafts(edit, image.id, UPDATE, lambda slot: follow_image(slot, before, after))
            show_image(edit, image, *given)
            followed = f". The drafts of {pluralize(len(pages), 'page')} have its {describe_fields(changes)}"
            done = f"Updated the image '{image.name}'{followed if pages else ''}"
            return ImageWriteReply(
                image=image_brief(image),
                pages=[page.title for page in pages] or None,
                changed=[_PARAMETERS.get(name, name) for name in changes],
                token=give_token(payload, image),
                message=done if changes else f"The image '{image.name}' is like that already",
            )

        return await edit_once(self._database, ctx, payload, ImageWriteReply, work)

    async def delete_image(self, ctx: LeafContext, payload: DeleteImage) -> ImageDeletion:
        """Delete an image that no page shows, after approval. To show another in its place: cms_replaceImage."""

        async def work(edit: Edit) -> ImageDeletion:
            image = await find_image(edit, payload.image_id)
            check_token(image, payload.if_unchanged)
            set_id = await delete_page(edit, await get_image_document(edit, image))
            message = f"Deleted the image '{image.name}'"
            return ImageDeletion(image_id=image.id, change_set_id=set_id, message=message)

        return await edit_once(self._database, ctx, payload, ImageDeletion, work)

    async def preview_deletion(self, ctx: LeafContext, payload: DeleteImage) -> Preview:
        """The image to delete, for the approver."""
        async with open_view(self._database, ctx) as scope:
            image = await find_image(scope, payload.image_id)
            check_token(image, payload.if_unchanged)
            planned = await plan_hiding(scope, await get_image_document(scope, image), deletes=True)
            size = f"{image.width} by {image.height} pixels"
            others = await describe_claims(scope, [planned], ctx.caller)
            summary = f"the image '{image.name}' ({size}): {image.alt}{others}"
            return make_preview(summary, f"{image.id}@{image.revision}")

    async def get_image_usage(self, ctx: LeafContext, payload: GetImageUsage) -> ImageUsageReply:
        """List the pages that show an image, in drafts and to visitors. For links to a page: cms_getLinksHere."""
        async with open_view(self._database, ctx) as scope:
            image = await find_image(scope, payload.image_id)
            uses = [use_view(use) for use in await find_uses(scope, image.id)]
            found = list_items(scope, payload.cursor, uses, _use_key, "uses of", image.id)
            found = found.fit(found.rows)
            return ImageUsageReply(
                image=_show(scope, image),
                token=give_token(payload, image),
                uses=[*found.rows],
                **found.summarize(f"The image '{image.name}' is shown in {pluralize(found.total, 'place')}"),
            )

    async def get_image_rendition(self, ctx: LeafContext, payload: GetImageRendition) -> RenditionReply:
        """Get a smaller copy of an image as a file, to look at it. Pages show renditions by themselves."""
        async with open_view(self._database, ctx) as scope:
            image, target = await find_image(scope, payload.image_id), scope.target
            show_image(scope, image)
        width = nearest_width(image.width, payload.width)
        content = await self._renditions.get(target, image.digest, width, payload.format)
        name = f"{as_file_name(image.name.rpartition('.')[0] or image.name)}-{width}.{payload.format}"
        file = await self._artifacts.add(content, name=name[-255:], media_type=FORMATS[payload.format])
        return RenditionReply(
            image=image_view(image),
            rendition=file,
            width=width,
            height=max(1, round(image.height * width / image.width)),
            message=f"The image '{image.name}' at {width} pixels.{describe_saving(ctx, file)}",
        )

    async def _list_all(self, ctx: LeafContext, payload: SearchImages) -> ImageMatchesReply:
        async with open_view(self._database, ctx) as scope:
            query = select(Image).where(in_library(scope.target))
            found = await list_rows(scope, payload, query, _NEWEST, "images")
            matches = [ImageMatch(id=image.id, name=image.name, alt_text=image.alt) for image in found.rows]
            found = found.fit(matches)
            for image in found.rows:
                show_image(scope, image, "alt", "name")
        return ImageMatchesReply(
            matches=matches[: len(found.rows)],
            **found.summarize(pluralize(found.total, "image")),
        )

    async def _search(self, ctx: LeafContext, query: str, limit: int) -> list[tuple[Image, float]]:
        async with open_view(self._database, ctx) as scope:
            rows = await _search_words(scope, query, limit)
            if self._index is None:
                return rows
            target = scope.target
        near = await self._index.search(target, query, [IMAGE], [""], limit)
        fused = fuse([(image.id, "") for image, _ in rows], [(each.id, "") for each in near])[:limit]
        async with open_view(self._database, target) as scope:
            query_rows = select(Image).where(target.id_filter(Image, Image.id, [each[0] for each in fused]))
            images = {image.id: image for image in await scope.session.scalars(query_rows)}
        return [(images[name], score) for name, _, score in fused if name in images]


def _use_key(use: UseView) -> str:
    return f"{use.page_id} {use.section} {use.locale_code} {use.live}"


def _show(scope: Scope, image: Image) -> ImageView:
    show_image(scope, image)
    return image_view(image)


async def _add_image(edit: Edit, payload: UploadImage, picture: Picture, source: str) -> Image:
    point = [50 if each is None else each for each in (payload.focal_x, payload.focal_y)]
    return await add_image(
        edit,
        picture.content,
        source=source,
        digest=picture.digest,
        media_type=picture.media_type,
        width=picture.width,
        height=picture.height,
        name=payload.name or tidy_line(payload.file.name) or "image",
        alt=payload.alt_text,
        caption=payload.caption or "",
        focal_x=point[0],
        focal_y=point[1],
        initial_focal_x=point[0],
        initial_focal_y=point[1],
        conversation=edit.conversation,
    )


def _describe_kept(image: Image, payload: UploadImage) -> list[str]:
    """Which texts of a picture that is there already were given in vain."""
    given = {"altText": payload.alt_text, "caption": payload.caption, "name": payload.name}
    kept = {"altText": image.alt, "caption": image.caption, "name": image.name}
    names = [name for name, text in given.items() if text is not None and text != kept[name]]
    return [f"It keeps its {', '.join(names)}: cms_updateImage changes them"] if names else []


def _read_fields(payload: UpdateImage) -> dict[str, str | int]:
    """What a payload gives, by field."""
    values = {
        "alt": payload.alt_text,
        "caption": payload.caption,
        "name": payload.name,
        "focalX": payload.focal_x,
        "focalY": payload.focal_y,
    }
    return {name: value for name, value in values.items() if value is not None}


async def _search_words(scope: Scope, query: str, limit: int) -> list[tuple[Image, float]]:
    hits = IMAGE_SEARCH.search(scope.session, query, [scope.default_locale])
    statement = select(Image, hits.c.score).join(hits, hits.c.key == Image.id).where(in_library(scope.target))
    statement = statement.order_by(hits.c.score.desc(), Image.created_at.desc(), Image.id).limit(limit)
    return [(row[0], float(row[1])) for row in (await scope.session.execute(statement)).all()]
