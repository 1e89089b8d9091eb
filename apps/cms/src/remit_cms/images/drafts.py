"""Lets drafts follow the images that they show."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from sqlalchemy import select

from remit_cms.models import Content
from remit_cms.storage.claims import IS_CLAIMED
from remit_cms.storage.images import find_drafts, map_images
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import ChangeSet, Claim, Page, Revision
from remit_cms.storage.transactions import Edit

UPDATE: Final = "update_image"
"""The action of revisions in which a draft follows new texts or a new focal point of an image."""

_SHOWN: Final = {"texts": {"alt", "caption"}, "focal point": {"focal_x", "focal_y"}}


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


async def describe_kept_images(scope: Scope, change_set: ChangeSet) -> str:
    """A remark on images that a change set changed, which are not undone with its drafts; nothing without any."""
    query = (
        select(Revision.number)
        .join(Claim, IS_CLAIMED)
        .where(Claim.change_set == change_set.id, Revision.action == UPDATE)
        .limit(1)
    )
    if await scope.session.scalar(query) is None:
        return ""
    return " Images keep the texts and focal points that it gave them, for pages to come: cms_updateImage changes them."


def describe_fields(fields: Collection[str]) -> str:
    """Which fields of an image are new that slots take over."""
    return "new " + " and ".join(what for what, each in _SHOWN.items() if each & {*fields})
