"""The tables of people, their roles and their credentials, which `remit.server.people` reads and writes.

They are in the database of the journal and signed with its key: who may decide a question must be as hard to forge as
the decision.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import Column, Float, Index, LargeBinary, Table, Text

from remit.journal.sql.tables import METADATA

PEOPLE: Final = Table(
    "remit_people",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("tenant", Text, nullable=False),
    Column("roles", Text, nullable=False),
    Column("password", Text, nullable=False),
    Column("signature", LargeBinary),
    Index("remit_people_tenant", "tenant", "name"),
)
"""``roles`` is a JSON array; ``password`` a hash, empty for a person without a password."""

ROLES: Final = Table(
    "remit_roles",
    METADATA,
    Column("id", Text, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("role", "tenant", "permissions")),
    Column("signature", LargeBinary),
    Index("remit_roles_tenant", "tenant", "role"),
)
"""``id`` is a digest of tenant and role; ``permissions`` is a JSON array."""

CREDENTIALS: Final = Table(
    "remit_credentials",
    METADATA,
    Column("id", Text, primary_key=True),
    *(Column(name, Text, nullable=False) for name in ("digest", "kind", "person", "tenant", "label", "permissions")),
    *(Column(name, Float, nullable=False) for name in ("created", "expires", "seen")),
    Column("signature", LargeBinary),
    Index("remit_credentials_digest", "digest", unique=True),
    Index("remit_credentials_person", "person", "kind", "created"),
    Index("remit_credentials_expires", "expires"),
)
"""Sessions, API tokens and one-time links. ``digest`` is that of the secret, which is not stored."""
