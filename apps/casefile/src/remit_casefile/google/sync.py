"""Shared parts of syncs: the token, reading as many pages as possible, and waiting when throttled."""

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
    """The position of a sync; its text is the sync token.

    ``since`` is None if everything has to be read again. ``pending`` names items that could not be read: they are
    requested again, so that advancing the token loses nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    since: str | None = None
    pending: tuple[str, ...] = ()

    @classmethod
    def parse(cls, sync_token: str | None) -> SyncCursor:
        """The cursor of a token; the initial one without a token.

        Raises:
            InvalidArgumentsError: it is not a sync token.
        """
        try:
            return cls() if sync_token is None else cls.model_validate_json(sync_token)
        except ValidationError as error:
            raise InvalidArgumentsError(
                "this is not the sync_token of an earlier sync; leave it out to read everything"
            ) from error

    @property
    def token(self) -> str:
        """The sync token."""
        return self.model_dump_json()


@dataclass(frozen=True, slots=True)
class PageListing(Generic[P]):
    """The pages that could be read, and why there are no more."""

    pages: Sequence[P]
    error: CallError | None

    def missing_parts(self, list_name: str) -> list[Missing]:
        """What is missing from the list."""
        return [] if self.error is None else [make_missing(f"{list_name} after page {len(self.pages)}", self.error)]


async def read_pages(fetch: Callable[[str | None], Awaitable[P]], schedule: WaitSchedule) -> PageListing[P]:
    """Read as many pages as possible.

    Raises:
        CallError: not even the first page could be read.
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
    """Retry after the delay that Google asks for, once per wait of the schedule."""
    for wait in schedule.waits:
        try:
            return await ask()
        except BusyError as error:
            await schedule.sleep(min(max(wait, error.retry_after or 0.0), MAX_WAIT))
    return await ask()


def make_missing(what: str, error: CallError) -> Missing:
    """An item that could not be read, and why."""
    return Missing(what=what, code=error.code, error=error.message)
