"""Lists in replies of a bounded size, each of which says how many there are and where the next one begins.

A cursor is opaque. It holds the place of the last thing that a reply shows, in an order that has no two things at one
place, and is bound to its list: that of another list or filter is refused, and so is one that was made up.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final, Generic, TypeAlias, TypedDict, TypeVar, cast

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, func, literal, tuple_
from sqlalchemy.orm import QueryableAttribute

from remit.database import UtcDateTime
from remit.errors import InvalidArgumentsError
from remit_cms.models import ListPayload
from remit_cms.storage.scope import Scope

R = TypeVar("R")
Key: TypeAlias = tuple[str | int, ...]

MAX_READ_TOKENS: Final = 4_000
"""Most tokens of sections, entries or other things in one reply. None is ever cut: a larger one stands there alone."""
BYTES_PER_TOKEN: Final = 4
"""Bytes of JSON that count as a token."""
_DIGEST_BYTES: Final = 9


@dataclass(frozen=True, slots=True)
class Order:
    """The order of a list: columns that together are unique and never null, all of them rising or all falling."""

    columns: tuple[ColumnElement[Any] | QueryableAttribute[Any], ...]
    is_falling: bool = False


class ListSummary(TypedDict):
    """What a reply with a part of a list says of all of it: see `remit_cms.models.ListReply`."""

    total: int
    next_cursor: str | None
    message: str


@dataclass(frozen=True, slots=True)
class ListSlice(Generic[R]):
    """The part of a list that one reply shows.

    Args:
        rows: what it shows.
        keys: the place of each in the order of the list.
        total: how many there are in the list.
        list_id: which list it is.
        is_continued: whether the reply begins at a cursor.
        has_more: whether more follow.
    """

    rows: Sequence[R]
    keys: Sequence[Key]
    total: int
    list_id: str
    is_continued: bool = False
    has_more: bool = False

    @property
    def next_cursor(self) -> str | None:
        """Where the next reply begins; None if this is the last one."""
        return _make_cursor(self.list_id, self.keys[-1]) if self.has_more and self.keys else None

    def fit(self, views: Iterable[BaseModel], most: int = MAX_READ_TOKENS * BYTES_PER_TOKEN) -> ListSlice[R]:
        """The slice without what does not fit into a reply of ``most`` bytes when its rows are shown so."""
        count = count_fitting(views, most)
        more = self.has_more or count < len(self.rows)
        return replace(self, rows=self.rows[:count], keys=self.keys[:count], has_more=more)

    def summarize(self, message: str) -> ListSummary:
        """How many there are and where the next reply begins, with a message, as replies say it."""
        return {"total": self.total, "next_cursor": self.next_cursor, "message": self.describe(message)}

    def describe(self, message: str) -> str:
        """The message of a reply, with how much of the list it has if that is not all."""
        if self.has_more:
            return f"{message.rstrip('.')}. These are {len(self.rows)}; for the next ones give nextCursor as cursor."
        return f"{message.rstrip('.')}. These are the last {len(self.rows)}." if self.is_continued else message


async def list_rows(
    scope: Scope, payload: ListPayload, query: Select[R], order: Order, *list_name: object
) -> ListSlice[R]:
    """The rows of a query that one reply shows, from the cursor of a payload on.

    Args:
        scope: the transaction.
        payload: how many to show, and from where on.
        query: the whole list, of entities of one kind, without an order.
        order: its order.
        list_name: what the list is, with all that chooses what is in it.

    Raises:
        InvalidArgumentsError: the cursor is not one of this list.
    """
    list_id = _list_id(scope, list_name)
    total = await scope.session.scalar(query.with_only_columns(func.count(), maintain_column_froms=True)) or 0
    if payload.cursor is not None:
        last = tuple_(*map(_to_literal, _read_cursor(list_id, payload.cursor), order.columns))
        place = tuple_(*order.columns)
        query = query.where(place < last if order.is_falling else place > last)
    sorting = [each.desc() for each in order.columns] if order.is_falling else order.columns
    query_of_slice = query.add_columns(*order.columns).order_by(*sorting).limit(payload.limit + 1)
    rows = (await scope.session.execute(query_of_slice)).all()
    shown = rows[: payload.limit]
    keys = [tuple(map(_to_key, row[1:])) for row in shown]
    is_continued, has_more = payload.cursor is not None, len(rows) > len(shown)
    return ListSlice([cast("R", row[0]) for row in shown], keys, total, list_id, is_continued, has_more)


def list_items(
    scope: Scope,
    cursor: str | None,
    items: Sequence[R],
    key: Callable[[R], str],
    *list_name: object,
    limit: int | None = None,
) -> ListSlice[R]:
    """The same of a list that is read as a whole, whose items each have a key of their own.

    Raises:
        InvalidArgumentsError: the cursor is not one of this list, or what it names is not in the list any more.
    """
    list_id = _list_id(scope, list_name)
    keys: list[Key] = [(key(item),) for item in items]
    first = 0
    if cursor is not None:
        last = _read_cursor(list_id, cursor)
        if last not in keys:
            raise InvalidArgumentsError(
                f"cursor: the list has changed at '{cursor[:40]}'. Read it again without cursor."
            )
        first = keys.index(last) + 1
    end = len(items) if limit is None else first + limit
    has_more = end < len(items)
    return ListSlice(items[first:end], keys[first:end], len(items), list_id, cursor is not None, has_more)


def count_fitting(views: Iterable[BaseModel], most: int = MAX_READ_TOKENS * BYTES_PER_TOKEN) -> int:
    """How many of the first views fit into one reply of ``most`` bytes, and one at least if there is one."""
    count, left = 0, most
    for view in views:
        left -= len(view.model_dump_json(by_alias=True).encode()) + 1  # the comma
        if left < 0 and count:
            break
        count += 1
    return count


def _list_id(scope: Scope, list_name: Sequence[object]) -> str:
    return repr((scope.target.site, scope.target.environment, *map(str, list_name)))


def _make_cursor(list_id: str, key: Key) -> str:
    text = json.dumps(key, ensure_ascii=False, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(_digest(list_id, text) + text).decode().rstrip("=")


def _read_cursor(list_id: str, cursor: str) -> Key:
    try:
        content = base64.b64decode(cursor + "=" * (-len(cursor) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError):
        content = b""
    digest, text = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if not text or digest != _digest(list_id, text):
        raise InvalidArgumentsError(
            f"cursor: '{cursor[:40]}' is not the nextCursor of a reply to the same call; leave cursor out to begin at "
            "the first."
        )
    return tuple(cast("list[str | int]", json.loads(text)))


def _digest(list_id: str, text: bytes) -> bytes:
    return sha256(list_id.encode() + b"\n" + text).digest()[:_DIGEST_BYTES]


def _to_key(value: object) -> str | int:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else cast("str | int", value)


def _to_literal(value: str | int, column: ColumnElement[Any] | QueryableAttribute[Any]) -> ColumnElement[Any]:
    given = datetime.fromisoformat(str(value)) if isinstance(column.type, UtcDateTime) else value
    return literal(given, column.type)
