"""The values of date slots: a day, or a time of the site's zone, each as one text whose order is that of time."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Final

from pydantic import AfterValidator

_FORM: Final = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2})?")


def parse_date(text: str) -> date | datetime | None:
    """The day or the time, without a zone, that a value means; None if it means none."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    try:
        return datetime.fromisoformat(text) if found[1] else date.fromisoformat(text)
    except ValueError:
        return None


def _check_date(text: str) -> str:
    if parse_date(text) is None:
        raise ValueError(f"{text[:40]!r} is no date")
    return text


DayOrTime = Annotated[str, AfterValidator(_check_date)]
"""A day as ISO 8601 writes it, or a time to the minute, in the time zone of the site."""
