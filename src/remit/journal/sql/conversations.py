"""Reads and changes the rows of conversations."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any, Unpack

from msgspec import convert
from sqlalchemy import Connection, Engine, Row, Select, and_, bindparam, insert, or_, select, update

from remit.errors import BrokenJournalError
from remit.journal.conversations import change_row, check_not_deleted, conversation_key, open_in_conversation
from remit.journal.ports import ConversationChange, ConversationFilter, ConversationKey, ConversationRow, RunRow
from remit.journal.sql.change_number import with_number
from remit.journal.sql.rows import refuse_broken
from remit.journal.sql.signatures import columns_of, signer_of
from remit.journal.sql.statements import Command, Query
from remit.journal.sql.tables import CONVERSATIONS, NOT_ENDED, RUNS
from remit.record.arguments import content_digest
from remit.record.items import DETACHED
from remit.schemas.jsontext import compact_json

_FIELDS = tuple(each.name for each in fields(ConversationRow))
ROWS = select(CONVERSATIONS, RUNS.c.status).join(RUNS, RUNS.c.run == CONVERSATIONS.c.latest)
_SELECT = Query(ROWS.where(CONVERSATIONS.c.id == bindparam("id")))
_VALUES = with_number(each.name for each in CONVERSATIONS.columns)
_INSERT = Command(insert(CONVERSATIONS).values(_VALUES))
_UPDATE = Command(update(CONVERSATIONS).where(CONVERSATIONS.c.id == bindparam("the_id")).values(_VALUES))
_UNFINISHED = (
    select(RUNS.c.run)
    .where(
        *(RUNS.c[name] == bindparam(name) for name in ConversationKey._fields),
        RUNS.c.after != DETACHED,
        NOT_ENDED,
    )
    .order_by(RUNS.c.number)
    .limit(1)
)


def find_conversation(connection: Connection, key: ConversationKey) -> ConversationRow | None:
    """The conversation with this key, even if it was deleted.

    Raises:
        BrokenJournalError: its row was changed.
    """
    stored = _SELECT.first(connection, id=_id_of(key))
    return conversation_row(connection, stored) if stored else None


def select_conversations(**conversation_filter: Unpack[ConversationFilter]) -> Select[Any]:
    """Select a page of conversations, the most recently active first."""
    table, names = CONVERSATIONS.c, (*ConversationKey._fields, "owner")
    wanted = {name: conversation_filter.get(name) for name in names}
    where = [table.deletion == "", *(table[name] == value for name, value in wanted.items() if value)]
    if other_than := conversation_filter.get("other_than"):
        where.append(table.owner != other_than)
    if member := conversation_filter.get("member"):
        where.append(or_(table.owner == member, table.shared != "{}"))
    if before := conversation_filter.get("before"):
        active, (_, application, conversation) = before
        same = and_(table.active == active, table.application == application)
        where.append(
            or_(
                table.active < active,
                and_(table.active == active, table.application < application),
                and_(same, table.conversation < conversation),
            )
        )
    order = table.active.desc(), table.application.desc(), table.conversation.desc()
    return ROWS.where(*where).order_by(*order).limit(conversation_filter.get("limit", 50))


def conversation_row(connection: Connection | Engine, row: Row[Any]) -> ConversationRow:
    """Decode the row of a conversation.

    Raises:
        BrokenJournalError: it cannot be read, or its signature does not match.
    """
    with refuse_broken("conversation", row.conversation):
        columns = columns_of(row)
        signer_of(connection).check("conversation", columns, row.signature)
        values = {name: columns[name] for name in _FIELDS}
        return convert({**values, "shared": json.loads(row.shared)}, ConversationRow)


def open_conversation(connection: Connection, run: RunRow, arguments: str, *, is_first: bool) -> None:
    """Enter a run into its conversation, which is not a direct call.

    Raises:
        RequestError: the conversation was deleted.
        BrokenJournalError: the row of a conversation that has runs is missing.
    """
    row = find_conversation(connection, conversation_key(run))
    if row is None and not is_first:
        raise BrokenJournalError(f"the row of conversation {run.conversation} is missing; restore it from a backup")
    check_not_deleted(row)
    _write(connection, open_in_conversation(row, run, arguments), _UPDATE if row else _INSERT)


def change_conversation(connection: Connection, key: ConversationKey, change: ConversationChange) -> None:
    """Change a conversation; see `ConversationStore.change_conversation`."""
    unfinished = find_unfinished_run(connection, key)
    _write(connection, change_row(find_conversation(connection, key), key, unfinished, change), _UPDATE)


def find_unfinished_run(connection: Connection, key: ConversationKey) -> str:
    """The first run of a conversation that has not ended, without direct calls; empty if all have."""
    return connection.execute(_UNFINISHED, key._asdict()).scalar() or ""


def erase_first_message(connection: Connection, run: str) -> None:
    """Mark a run whose header is erased, and erase the copy of the first message if it had it."""
    connection.execute(update(RUNS).where(RUNS.c.run == run).values(erased=1, title=""))
    key = connection.execute(
        select(*(RUNS.c[name] for name in ConversationKey._fields)).where(RUNS.c.run == run)
    ).first()
    row = find_conversation(connection, ConversationKey(*key)) if key else None
    if row is not None and row.first == run:
        _write(connection, replace(row, first_message=""), _UPDATE)


def _write(connection: Connection, row: ConversationRow, command: Command) -> None:
    values: dict[str, Any] = {name: getattr(row, name) for name in _FIELDS}
    values |= {"shared": compact_json(dict(sorted(row.shared.items()))), "id": _id_of(row.key)}
    values |= {"the_id": values["id"], "signature": signer_of(connection).sign("conversation", values)}
    command.execute(connection, values)


def _id_of(key: ConversationKey) -> str:
    return content_digest("conversation", *key)
