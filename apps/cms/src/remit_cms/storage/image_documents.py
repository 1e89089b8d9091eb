"""The documents of images: their texts and focal points have drafts, revisions and change sets as pages have."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from remit_cms.storage.claims import UPLOAD
from remit_cms.storage.documents import make_document
from remit_cms.storage.images import Image, ImageContent, values_of_image
from remit_cms.storage.parts import content_parts
from remit_cms.storage.revisions import draft_status, save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind, Page, PageSection, SectionContent
from remit_cms.storage.transactions import Edit

_MAX_TITLE = 200


async def add_image(edit: Edit, picture: bytes, **values: Any) -> Image:
    """Add an image with its document. It is in use at once: no page shows it yet.

    Args:
        edit: the transaction.
        picture: what is stored of the uploaded file.
        values: the other columns of the image. Unless they say otherwise, the author of the transaction adds it now.
    """
    if await edit.session.get(ImageContent, values["digest"]) is None:
        edit.session.add(ImageContent(digest=values["digest"], content=picture))
        await edit.session.flush()
    made = {"author": edit.author, "created_at": edit.now, "conversation": "", "revision": 1, **values}
    image = Image(**{"id": edit.new_id("image"), **made}, **edit.target.row, size=len(picture))
    edit.session.add(image)
    await edit.session.flush()
    await _add_document(edit, image)
    return image


async def _add_document(edit: Edit, image: Image) -> None:
    definition = await edit.find_definition("image-texts", Kind.IMAGE)
    slug = f"_image/{image.id}"[:64]
    page = await make_document(edit, Kind.IMAGE, image.name[:_MAX_TITLE], slug, document=image.id)
    page.created_at = page.updated_at = image.created_at  # an imported image is older
    edit.session.add(PageSection(id=image.id, page=image.id, definition=definition.id, sort_order=0))
    await edit.session.flush()
    edit.session.add(SectionContent(section=image.id, locale=page.locale, content=values_of_image(image)))
    await save_revision(edit, page, UPLOAD, in_set=False, is_checked=False)
    page.live = page.revision
    page.status = await draft_status(edit, page)
    await edit.session.flush()


async def write_image(edit: Edit, page: Page, action: str, changes: Mapping[str, str | int]) -> None:
    """Change values of an image, by key, in its draft.

    Raises:
        ConflictError: another changed one of them, since the conversation saw it, or the image is to go.
    """
    row = await edit.session.get_one(SectionContent, (page.id, page.locale))
    row.content = {**row.content, **changes}
    page.title = str(row.content["name"])[:_MAX_TITLE]
    await save_revision(edit, page, action, *changes)


async def get_image_document(scope: Scope, image: Image) -> Page:
    """The document of an image that is not in the trash."""
    return await scope.session.get_one(Page, image.id)


def image_parts(scope: Scope, image: Image, keys: Collection[str]) -> list[str]:
    """The parts that values of an image are, by key."""
    (place,) = content_parts([scope.default_locale], image.id)
    return [f"{place}/{key}" for key in keys]
