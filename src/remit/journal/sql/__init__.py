"""The SQL journal for SQLite and Postgres. Needs the extra ``sql``."""

from remit.lazy_exports import require_extra

with require_extra(__name__, "sql"):
    import sqlalchemy  # noqa: F401 # pyright: ignore[reportUnusedImport] - every module of this package needs it
