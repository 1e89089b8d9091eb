"""Reads and changes the rows of grants."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import Connection, Row, insert, select, update

from remit.journal.index import check_revocable
from remit.journal.sql.rows import GRANT_COLUMNS, grant_row
from remit.journal.sql.signatures import columns_of, signer_of
from remit.journal.sql.tables import GRANTS
from remit.record.grant import Grant, GrantRow


def add_grant(connection: Connection, grant: Grant) -> None:
    """Store a grant, unless one with its id is stored."""
    if _select_grant(connection, grant.id) is not None:
        return
    columns = {name: getattr(grant, name) for name in GRANT_COLUMNS}
    row = {"grant": grant.id, "used": 0, "revoked": "", "body": grant.to_json(), **columns}
    connection.execute(insert(GRANTS).values(signature=signer_of(connection).sign("grant", row), **row))


def find_grant(connection: Connection, grant: str) -> GrantRow | None:
    """The grant with this id, as seen by this transaction."""
    row = _select_grant(connection, grant)
    return grant_row(row, signer_of(connection)) if row else None


def use_grant(connection: Connection, grant: str, now: float) -> bool:
    """Count one more call of a grant; False if it allows none."""
    row = _select_grant(connection, grant)
    if row is None or not grant_row(row, signer_of(connection)).is_usable(now):
        return False
    _update_grant(connection, row, used=row.used + 1)
    return True


def revoke_grant(connection: Connection, grant: str, by: str) -> None:
    """Revoke a grant.

    Raises:
        RequestError: it does not exist or is revoked.
    """
    row = _select_grant(connection, grant)
    check_revocable(grant_row(row, signer_of(connection)) if row else None, grant)
    _update_grant(connection, cast("Row[Any]", row), revoked=by)


def _select_grant(connection: Connection, grant: str) -> Row[Any] | None:
    return connection.execute(select(GRANTS).where(GRANTS.c.grant == grant)).first()


def _update_grant(connection: Connection, stored: Row[Any], **changes: str | int) -> None:
    """Change the row of a grant, whose signature was checked, and sign it again."""
    signature = signer_of(connection).sign("grant", {**columns_of(stored), **changes})
    connection.execute(update(GRANTS).where(GRANTS.c.grant == stored.grant).values(signature=signature, **changes))
