"""Finds the images that an argument may mean."""

from __future__ import annotations

from typing import Final

from sqlalchemy import or_, select

from remit import LeafContext
from remit.tools import Candidate
from remit_cms.storage.database import Database
from remit_cms.storage.images import Image, in_library
from remit_cms.storage.keys import name_key
from remit_cms.storage.transactions import open_view

_MAX_LISTED: Final = 500


class ImageReferences:
    """Resolves references to images."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_candidates(self, ctx: LeafContext, text: str) -> list[Candidate]:
        """The images that a text may mean, by id, name or alternative text, or else the newest, to suggest some."""
        key = name_key(text)
        named = or_(Image.id == text, Image.name_key == key, Image.alt_key == key)
        async with open_view(self._database, ctx) as scope:
            images = select(Image).where(in_library(scope.target))
            images = images.order_by(Image.created_at.desc(), Image.id).limit(_MAX_LISTED)
            rows = (await scope.session.scalars(images.where(named))).all()
            rows = rows or (await scope.session.scalars(images)).all()
        written = {row.id: (text.strip(),) if key in (row.name_key, row.alt_key) else () for row in rows}
        return [Candidate(row.id, row.name, str(row.revision), (row.alt, *written[row.id])) for row in rows]
