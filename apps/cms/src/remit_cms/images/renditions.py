"""Smaller copies of images: made at the first request for one, and kept."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from sqlalchemy import select

from remit.errors import ConflictError, NotFoundError, RateLimitedError
from remit_cms.images.pictures import FORMATS, make_rendition, widths_of
from remit_cms.storage.database import Database
from remit_cms.storage.images import Image, ImageContent, ImageRendition, in_library
from remit_cms.storage.scope import Target
from remit_cms.storage.transactions import open_view

_DEFAULT_WIDTH: Final = 1280


class Renditions:
    """The renditions of all images. One is made at a time, in a thread, while no transaction is open."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._making = asyncio.Lock()

    async def get(self, target: Target, digest: str, width: int, kind: str) -> bytes:
        """The rendition of an image that the target has, by the digest of its content.

        Raises:
            NotFoundError: no such image, width or format.
        """
        cached = await self._find(target, digest, width, kind)
        if cached is not None:
            return cached
        async with self._making:
            cached = await self._find(target, digest, width, kind)
            if cached is not None:
                return cached
            async with self._database.read() as session:
                original = (await session.get_one(ImageContent, digest)).content
            content = await asyncio.to_thread(make_rendition, original, width, kind)
            await self._keep(ImageRendition(digest=digest, width=width, format=kind, content=content))
        return content

    async def _find(self, target: Target, digest: str, width: int, kind: str) -> bytes | None:
        async with open_view(self._database, target) as scope:
            of_digest = select(Image.width).where(in_library(target), Image.digest == digest)
            full = await scope.session.scalar(of_digest.limit(1))
            if full is None or kind not in FORMATS or width not in widths_of(full):
                raise NotFoundError(f"No image {digest[:12]}… has a rendition of {width} pixels as {kind}.")
            row = await scope.session.get(ImageRendition, (digest, width, kind))
            return None if row is None else row.content

    async def _keep(self, rendition: ImageRendition) -> None:
        """Keep a rendition, unless another process has, the image was deleted meanwhile, or others write."""
        with suppress(ConflictError, RateLimitedError):
            async with self._database.write() as session:
                session.add(rendition)


def nearest_width(full: int, wanted: int = _DEFAULT_WIDTH) -> int:
    """The rendition of a picture that is the smallest of at least a width, or else the widest."""
    widths = widths_of(full)
    return next((each for each in widths if each >= wanted), widths[-1])


def as_file_name(name: str) -> str:
    """A name as files have it; images of before that was checked, and of other systems, have others."""
    return name.replace("/", "-").replace("\\", "-")
