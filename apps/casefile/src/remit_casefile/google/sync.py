"""What the syncs share: their token, reading a list as far as it can be had, and waiting where Google asks to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from remit.errors import CallError, InvalidError
from remit_casefile.google.failures import BusyError
from remit_casefile.google.payloads.sync import Missing
from remit_casefile.google.settling import Patience
from remit_casefile.google.transport import Page, pages

P = TypeVar("P", bound=Page)
T = TypeVar("T")

LONGEST: Final = 60.0
"""The longest that is waited because Google asks to, in seconds."""


class Mark(BaseModel):
    """How far a sync got: the text of it is the sync token.

    ``since`` is None where everything has to be read anew. ``pending`` names what was due and could not be had: it is
    asked for again, so that a token that moves on loses nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: str | None = None
    pending: tuple[str, ...] = ()

    @classmethod
    def of(cls, sync_token: str | None) -> Mark:
        """The mark that a token stands for; a beginning where there is none.

        Raises:
            InvalidError: it is no token of a sync.
        """
        try:
            return cls() if sync_token is None else cls.model_validate_json(sync_token)
        except ValidationError as error:
            raise InvalidError("this is no sync_token of an earlier sync; leave it out to read everything") from error

    @property
    def token(self) -> str:
        """The sync token."""
        return self.model_dump_json()


@dataclass(frozen=True, slots=True)
class Listed(Generic[P]):
    """The pages of a list that could be had, and why there are no more."""

    pages: Sequence[P]
    cut: CallError | None

    def missing(self, of: str) -> list[Missing]:
        """What is missing of the list."""
        return [] if self.cut is None else [missing(f"{of} after page {len(self.pages)}", self.cut)]


async def listed(fetch: Callable[[str | None], Awaitable[P]], patience: Patience) -> Listed[P]:
    """As many pages as can be had.

    Raises:
        CallError: not even the first.
    """

    async def patiently(token: str | None) -> P:
        return await waiting(lambda: fetch(token), patience)

    found = list[P]()
    try:
        async for page in pages(patiently):
            found.append(page)
    except CallError as error:
        if not found:
            raise
        return Listed(found, error)
    return Listed(found, None)


async def waiting(ask: Callable[[], Awaitable[T]], patience: Patience) -> T:
    """Ask again after as long as Google wants, as often as there are waits."""
    for wait in patience.waits:
        try:
            return await ask()
        except BusyError as error:
            await patience.sleep(min(max(wait, error.retry_after or 0.0), LONGEST))
    return await ask()


def missing(what: str, error: CallError) -> Missing:
    """Something that could not be had, and why."""
    return Missing(what=what, code=error.code, error=error.message)
