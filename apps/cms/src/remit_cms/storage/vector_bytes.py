"""The type of the column of vectors: what each database keeps of them."""

from __future__ import annotations

from array import array
from typing import Any, Final

from sqlalchemy import ARRAY, REAL, Dialect, LargeBinary, TypeDecorator
from sqlalchemy.types import TypeEngine

_FLOAT32: Final = "f"


class VectorBytes(TypeDecorator[bytes]):
    """A column type for the bytes of a vector of float32. Postgres keeps it as ``real[]``.

    A column of pgvector's type ``vector`` takes the same values, because Postgres casts them, but gives none back as
    bytes: the database compares them itself.
    """

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """An array in Postgres."""
        is_array = dialect.name == "postgresql"
        return dialect.type_descriptor(ARRAY(REAL, dimensions=1) if is_array else LargeBinary())

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> Any:
        """The numbers, for Postgres."""
        return array(_FLOAT32, value).tolist() if value is not None and dialect.name == "postgresql" else value

    def process_result_value(self, value: Any, dialect: Dialect) -> bytes | None:
        """The bytes."""
        return array(_FLOAT32, value).tobytes() if value is not None and dialect.name == "postgresql" else value
