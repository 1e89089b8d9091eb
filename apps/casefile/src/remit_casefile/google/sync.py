"""What the syncs share: their token, reading a list as far as it can be had, and waiting where Google asks to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from remit.errors import CallError, InvalidArgumentsError
from remit_casefile.google.errors import BusyError
from remit_casefile.google.payloads.sync import Missing
from remit_casefile.google.transport import Page, iterate_pages
from remit_casefile.google.write_confirmation import WaitSchedule

P = TypeVar("P", bound=Page)
T = TypeVar("T")

MAX_WAIT: Final = 60.0
"""The longest that is waited because Google asks to, in seconds."""


class SyncCursor(BaseModel):
    """How far a sync got: the text of it is the sync token.

    ``since`` is None where everything has to be read anew. ``pending`` names what was due and could not be had: it is
    asked for again, so that a token that moves on loses nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: str | None = None
    pending: tuple[str, ...] = ()

    @classmethod
    def parse(cls, sync_token: str | None) -> SyncCursor:
        """The mark that a token stands for; a beginning where there is none.

        Raises:
            InvalidArgumentsError: it is no token of a sync.
        """
        try:
            return cls() if sync_token is None else cls.model_validate_json(sync_token)
        except ValidationError as error:
            raise InvalidArgumentsError(
                "this is no sync_token of an earlier sync; leave it out to read everything"
            ) from error

    @property
    def token(self) -> str:
        """The sync token."""
        return self.model_dump_json()


@dataclass(frozen=True, slots=True)
class PageListing(Generic[P]):
    """The pages of a list that could be had, and why there are no more."""

    pages: Sequence[P]
    error: CallError | None

    def missing_parts(self, list_name: str) -> list[Missing]:
        """What is missing of the list."""
        return [] if self.error is None else [make_missing(f"{list_name} after page {len(self.pages)}", self.error)]


async def read_pages(fetch: Callable[[str | None], Awaitable[P]], schedule: WaitSchedule) -> PageListing[P]:
    """As many pages as can be had.

    Raises:
        CallError: not even the first.
    """

    async def patiently(token: str | None) -> P:
        return await retry_while_busy(lambda: fetch(token), schedule)

    found = list[P]()
    try:
        async for page in iterate_pages(patiently):
            found.append(page)
    except CallError as error:
        if not found:
            raise
        return PageListing(found, error)
    return PageListing(found, None)


async def retry_while_busy(ask: Callable[[], Awaitable[T]], schedule: WaitSchedule) -> T:
    """Ask again after as long as Google wants, as often as there are waits."""
    for wait in schedule.waits:
        try:
            return await ask()
        except BusyError as error:
            await schedule.sleep(min(max(wait, error.retry_after or 0.0), MAX_WAIT))
    return await ask()


def make_missing(what: str, error: CallError) -> Missing:
    """Something that could not be had, and why."""
    return Missing(what=what, code=error.code, error=error.message)
