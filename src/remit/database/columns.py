"""Types of columns."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import DateTime, Dialect, TypeDecorator

from remit.core.checks import wrong_value


class UtcDateTime(TypeDecorator[datetime]):
    """A column type for times with a time zone. SQLite does not store zones, so values are written and read as UTC.

    A time without a zone is refused, because it would mean a different moment on each machine.
    """

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert a time to UTC.

        Raises:
            SetupError: it has no time zone.
        """
        if value is None:
            return None
        if value.tzinfo is None:
            raise wrong_value("UtcDateTime: value", value, "give a time with a zone, such as datetime.now(UTC)")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
