"""An application's own data in SQLite or Postgres: sessions for reading and writing, migrations, full text.

For applications that keep their data beside the journal and use `remit.effects.once` in transactions. Requires the
extra ``sql``, and ``postgres`` for Postgres.
"""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports, require_extra

with require_extra(__name__, "sql"):
    import sqlalchemy  # noqa: F401 # pyright: ignore[reportUnusedImport] - every module of this package needs it

if TYPE_CHECKING:
    from remit.database.columns import UtcDateTime as UtcDateTime
    from remit.database.database import Database as Database
    from remit.database.full_text import FullText as FullText
    from remit.database.functions import CASEFOLD as CASEFOLD
    from remit.database.functions import SqlFunction as SqlFunction
    from remit.database.schema import Schema as Schema
else:
    __getattr__ = lazy_exports(__name__)
