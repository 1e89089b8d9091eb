"""The access list: what a person may do with a casefile, on a scale of five levels."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import BeforeValidator
from sqlalchemy import ColumnElement, or_, select

from remit.errors import DeniedError
from remit_casefile.storage.tables import Casefile, Grant
from remit_casefile.storage.work import View, no_casefile


class Level(enum.IntEnum):
    """How much of a casefile is open to a person. Each level may do what those below it may."""

    NONE = 0
    VIEWER = 1
    """May read."""
    EDITOR = 2
    """May write."""
    ADMIN = 3
    """May say who else may do what."""
    OWNER = 4
    """May delete."""

    @property
    def word(self) -> str:
        """How it is written."""
        return self.name.lower()

    @classmethod
    def of(cls, word: str) -> Level:
        """The level that a word names."""
        return cls[word.upper()]


_MEANT: Final = {"read": "viewer", "write": "editor", "share": "admin", "delete": "owner"}


def _no_verb(word: object) -> object:
    """Refuse the verb of a permission where a level is meant: two lists of words for one thing drift apart."""
    if isinstance(word, str) and word in _MEANT:
        raise ValueError(f"{word!r} is the verb of a permission, not a level; say {_MEANT[word]!r}")
    return word


LevelWord = Annotated[Literal["viewer", "editor", "admin", "owner"], BeforeValidator(_no_verb)]
"""A level as it is written, in an inventory and by callers."""


class Held(NamedTuple):
    """What somebody may do with a casefile, and until when; None for no end."""

    level: Level
    until: datetime | None = None


async def held_of(view: View, casefile: Casefile, person: str) -> Held:
    """How a person stands: by owning it, by a grant that has not expired, or as everybody does."""
    if casefile.owner == person:
        return Held(Level.OWNER)
    public = Held(Level.of(casefile.public_access or "none"))
    grant = await view.session.get(Grant, (casefile.id, person))
    if grant is None or expired(grant, view) or Level.of(grant.level) <= public.level:
        return public
    return Held(Level.of(grant.level), grant.expires_at)


async def level_of(view: View, casefile: Casefile, person: str) -> Level:
    """The level of a person."""
    return (await held_of(view, casefile, person)).level


def expired(grant: Grant, view: View) -> bool:
    """Whether a grant has ended."""
    return grant.expires_at is not None and grant.expires_at <= view.now


async def casefile_at(view: View, casefile_id: str, needed: Level, doing: str) -> Casefile:
    """The casefile of that id, if the caller has the level ``needed`` of it.

    Raises:
        NotFoundError: it is not there, or the caller may not even see it: the two look the same.
        DeniedError: the caller's level is too low; says which is needed for ``doing``.
    """
    casefile = await view.casefile(casefile_id)
    level = await level_of(view, casefile, view.person)
    if level is Level.NONE:
        raise no_casefile(casefile_id)
    if level < needed:
        raise DeniedError(
            f"{doing} needs the level {needed.word} of casefile '{casefile_id}', and {view.person} has {level.word}; "
            f"an admin of it may grant more"
        )
    return casefile


def visible_to(view: View) -> ColumnElement[bool]:
    """The condition that a casefile is one that the caller may see."""
    granted = (
        select(Grant.casefile)
        .where(Grant.user == view.person, or_(Grant.expires_at.is_(None), Grant.expires_at > view.now))
        .scalar_subquery()
    )
    seen = or_(Casefile.owner == view.person, Casefile.public_access.is_not(None), Casefile.id.in_(granted))
    return (Casefile.tenant == view.tenant) & seen
