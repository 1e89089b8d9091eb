"""Where the site has its images: an address for each rendition, which names the digest of the picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from remit_cms.images.pictures import FORMATS, widths_of
from remit_cms.images.renditions import nearest_width
from remit_cms.rendering.renderer import PictureSource, picture_source
from remit_cms.storage.images import Image

FALLBACK: Final = "webp"
"""The format that all browsers read."""


def picture_sources(images: Mapping[str, Image], root: str = "") -> dict[str, PictureSource]:
    """The sources of images on the site, by id. ``root`` is the path under which another application has the site."""
    return {key: _source(image, root) for key, image in images.items()}


def rendition_path(digest: str, width: int, kind: str) -> str:
    """The address of a rendition."""
    return f"/images/{digest}/{width}.{kind}"


def _source(image: Image, root: str) -> PictureSource:
    srcsets = tuple(
        (media_type, ", ".join(f"{root}{rendition_path(image.digest, width, kind)} {width}w" for width in widths))
        for kind, media_type in FORMATS.items()
        for widths in [widths_of(image.width)]
    )
    address = f"{root}{rendition_path(image.digest, nearest_width(image.width), FALLBACK)}"
    return picture_source(image, address, srcsets)
