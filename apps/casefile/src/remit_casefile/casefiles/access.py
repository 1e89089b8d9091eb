"""The access list: what a user may do with a casefile, on a scale of five levels."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import Annotated, Final, Literal, NamedTuple

from pydantic import BeforeValidator
from sqlalchemy import ColumnElement, or_, select

from remit.errors import DeniedError
from remit_casefile.storage.tables import Casefile, Grant
from remit_casefile.storage.transactions import View, casefile_not_found


class Level(enum.IntEnum):
    """The access level of a user. Each level includes those below it."""

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
    def label(self) -> str:
        """The level as written in payloads."""
        return self.name.lower()

    @classmethod
    def parse(cls, word: str) -> Level:
        """The level with this label."""
        return cls[word.upper()]


_LEVEL_OF_VERB: Final = {"read": "viewer", "write": "editor", "share": "admin", "delete": "owner"}


def _reject_verb(word: object) -> object:
    """Reject the verb of a permission where a level is expected, so that there is one vocabulary."""
    if isinstance(word, str) and word in _LEVEL_OF_VERB:
        raise ValueError(f"{word!r} is the verb of a permission, not a level; say {_LEVEL_OF_VERB[word]!r}")
    return word


LevelName = Annotated[Literal["viewer", "editor", "admin", "owner"], BeforeValidator(_reject_verb)]
"""A level as it is written, in an inventory and by callers."""


class EffectiveAccess(NamedTuple):
    """A user's access to a casefile, and its expiry; None if it does not expire."""

    level: Level
    expires_at: datetime | None = None


async def resolve_access(view: View, casefile: Casefile, person: str) -> EffectiveAccess:
    """The access of a user: as owner, by an unexpired grant, or as a member of the tenant."""
    if casefile.owner == person:
        return EffectiveAccess(Level.OWNER)
    public = EffectiveAccess(Level.parse(casefile.public_access or "none"))
    grant = await view.session.get(Grant, (casefile.id, person))
    if grant is None or is_expired(grant, view) or Level.parse(grant.level) <= public.level:
        return public
    return EffectiveAccess(Level.parse(grant.level), grant.expires_at)


async def resolve_level(view: View, casefile: Casefile, person: str) -> Level:
    """The level of a user."""
    return (await resolve_access(view, casefile, person)).level


def is_expired(grant: Grant, view: View) -> bool:
    """Whether a grant has expired."""
    return grant.expires_at is not None and grant.expires_at <= view.now


async def require_casefile(view: View, casefile_id: str, minimum: Level, action: str = "this") -> Casefile:
    """The casefile with this id, if the caller has at least the level ``minimum``.

    Raises:
        NotFoundError: it does not exist, or the caller may not see it; both look the same.
        DeniedError: the caller's level is too low; names the level needed for ``action``.
    """
    casefile = await view.get_casefile(casefile_id)
    level = await resolve_level(view, casefile, view.person)
    if level is Level.NONE:
        raise casefile_not_found(casefile_id)
    if level < minimum:
        raise DeniedError(
            f"{action} needs the level {minimum.label} of casefile '{casefile_id}', and "
            f"{view.person} has {level.label}; "
            f"an admin of it may grant more"
        )
    return casefile


def visibility_condition(view: View) -> ColumnElement[bool]:
    """The condition that the caller may see a casefile."""
    granted = (
        select(Grant.casefile)
        .where(Grant.user == view.person, or_(Grant.expires_at.is_(None), Grant.expires_at > view.now))
        .scalar_subquery()
    )
    visible = or_(Casefile.owner == view.person, Casefile.public_access.is_not(None), Casefile.id.in_(granted))
    return (Casefile.tenant == view.tenant) & visible
