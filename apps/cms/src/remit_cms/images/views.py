"""Images as operations show them."""

from __future__ import annotations

from collections.abc import Sequence

from remit_cms.images.payloads import ImageBrief, ImageMatch, ImageView, UseView
from remit_cms.storage.images import Image, Use


def image_brief(image: Image) -> ImageBrief:
    """An image as replies of writes name it."""
    return ImageBrief(id=image.id, name=image.name)


def image_view(image: Image) -> ImageView:
    """An image as operations show it."""
    return ImageView(
        id=image.id,
        name=image.name,
        alt_text=image.alt,
        caption=image.caption or None,
        width=image.width,
        height=image.height,
        media_type=image.media_type,
        focal_x=image.focal_x,
        focal_y=image.focal_y,
        revision=image.revision,
    )


def to_matches(rows: Sequence[tuple[Image, float]]) -> list[ImageMatch]:
    """Images with their scores relative to the best one."""
    best = max((score for _, score in rows), default=0.0)
    return [
        ImageMatch(id=image.id, name=image.name, alt_text=image.alt, score=round(score / best, 2) if best > 0 else 1.0)
        for image, score in rows
    ]


def use_view(use: Use) -> UseView:
    """A place that shows an image."""
    page = use.page
    return UseView(
        page_id=page.id,
        title=page.title,
        slug=page.slug,
        section=use.section,
        locale_code=use.locale,
        live=use.live,
    )
