"""Lets drafts follow the images that they show."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from remit_cms.models import Content
from remit_cms.storage.images import find_drafts, map_images
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.tables import Page
from remit_cms.storage.transactions import Edit

UPDATE: Final = "update_image"
"""The action of revisions in which a draft follows new texts or a new focal point of an image."""

_SHOWN: Final = {"texts": {"alt", "caption"}, "focal point": {"focalX", "focalY"}}


async def rewrite_drafts(edit: Edit, image: str, action: str, change: Callable[[Content], Content]) -> list[Page]:
    """Change each slot of a draft that shows an image, and save a revision of each page that differs then."""
    pages: dict[str, Page] = {}
    for page, _, row in await find_drafts(edit, image):
        content = map_images(row.content, lambda slot: change(slot) if slot["imageId"] == image else slot)
        if content != row.content:
            row.content = content
            pages[page.id] = page
    await edit.session.flush()
    for page in pages.values():
        await save_revision(edit, page, action, "sections", is_checked=False)
    return [*pages.values()]


def describe_fields(fields: Collection[str]) -> str:
    """Which fields of an image are new that slots take over."""
    return "new " + " and ".join(what for what, each in _SHOWN.items() if each & {*fields})
