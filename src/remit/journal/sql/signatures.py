"""Signatures: keyed digests of the data that decides whether a call may run, so that SQL alone cannot forge it.

Signed are the rows of questions, grants and conversations with their state, those of people, roles and credentials,
requests to cancel, and the end of the chain of each run. The key is in a file outside of the database.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final, Literal, cast

from sqlalchemy import Connection, Engine, Row

RowKind = Literal["question", "grant", "conversation", "person", "role", "credential", "cancel", "head", "key"]

_SIGNED_COLUMNS: Final[dict[RowKind, tuple[str, ...]]] = {
    "question": ("question", "status", "body", "decision", "taken_run", "taken_call"),
    "grant": ("grant", "used", "revoked", "body"),
    "conversation": (
        *("tenant", "application", "conversation", "owner", "target"),
        *("given_title", "first_message", "shared", "deletion", "first"),
    ),
    "person": ("name", "tenant", "roles", "password"),
    "role": ("id", "role", "tenant", "permissions"),
    "credential": ("id", "digest", "kind", "person", "tenant", "label", "permissions", "created", "expires"),
    "cancel": ("run", "cancelled"),
    "head": ("run", "next_seq", "chain"),
    "key": (),
}
"""The other columns of questions and grants repeat the body, and are compared with it."""

_OPTION: Final = "remit_signer"


class ChangedRowError(ValueError):
    """Describes how a row differs from its original state."""


class Signer:
    """Signs rows, and checks signatures, with one key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def sign(self, kind: RowKind, values: Mapping[str, Any]) -> bytes:
        """The signature of a row, given as its columns by name: keyed BLAKE2b of the values, each with its length."""
        row = [values[name] for name in _SIGNED_COLUMNS[kind]]
        parts = [value.hex() if isinstance(value, bytes) else str(value) for value in row]
        text = kind + "".join([f":{len(part)}:{part}" for part in parts])
        return blake2b(text.encode("utf-8", "surrogatepass"), key=self._key, digest_size=32).digest()

    def check(self, kind: RowKind, values: Mapping[str, Any], signature: object) -> None:
        """Refuse a row with a wrong signature.

        Raises:
            ChangedRowError: SQL changed or wrote the row.
        """
        if not isinstance(signature, bytes) or not hmac.compare_digest(signature, self.sign(kind, values)):
            raise ChangedRowError("its signature does not match")

    def attach(self, engine: Engine) -> None:
        """Attach the signer to every connection of ``engine``."""
        engine.update_execution_options(**{_OPTION: self})


def signer_of(source: Connection | Engine) -> Signer:
    """The signer of an opened journal."""
    return source.engine.get_execution_options()[_OPTION]  # a connection that stays open has older ones


def columns_of(row: Row[Any]) -> Mapping[str, Any]:
    """A row as its columns by name. An attribute ``count`` would be a method."""
    return cast("Mapping[str, Any]", row._mapping)  # pyright: ignore[reportPrivateUsage]
