"""An application's own data in SQLite or Postgres: sessions for reading and writing, migrations, full text.

For applications that keep their data beside the journal, with `remit.effects.once` in its transactions. Needs the extra
``sql``, and ``postgres`` for Postgres.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports, require_extra

with require_extra(__name__, "sql"):
    import sqlalchemy  # noqa: F401 # pyright: ignore[reportUnusedImport] - every module of this package needs it

if TYPE_CHECKING:
    from remit.database.columns import UtcDateTime
    from remit.database.database import Database
    from remit.database.full_text import FullText
    from remit.database.functions import CASEFOLD, SqlFunction
    from remit.database.schema import Schema

__all__ = ["CASEFOLD", "Database", "FullText", "Schema", "SqlFunction", "UtcDateTime"]

if not TYPE_CHECKING:
    __getattr__ = lazy_exports(
        __name__,
        {
            "remit.database.columns": ("UtcDateTime",),
            "remit.database.database": ("Database",),
            "remit.database.full_text": ("FullText",),
            "remit.database.functions": ("CASEFOLD", "SqlFunction"),
            "remit.database.schema": ("Schema",),
        },
    )
