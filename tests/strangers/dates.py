"""Dates, times, durations and ids as models and programs write them, and whether the shown format allows them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from pydantic import NaiveDatetime

KINDS: Final[dict[str, Any]] = {
    "date-time": datetime,
    "local": NaiveDatetime,
    "date": date,
    "time": time,
    "duration": timedelta,
    "uuid": UUID,
}

ALLOWED: Final = {
    "date-time": (
        "2026-03-08T02:30:00Z",
        "2026-03-08T02:30:00+01:00",
        "2026-03-08T02:30:00.123456-08:00",
        "2026-03-08t02:30:00z",
        "2026-03-08T02:30:00-00:00",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00-12:00",
    ),
    "local": ("2026-03-08T02:30:00", "2026-03-08T02:30", "2026-03-08T02:30:00.5", "0001-01-01T00:00:00"),
    "date": ("2026-03-08", "2024-02-29"),
    "time": ("02:30", "02:30:00", "02:30:00.5", "02:30:00Z", "02:30:00+01:00"),
    "duration": ("P1D", "P1DT12H", "PT90M", "-P1D", "PT0.5S", "P2W", "P1Y"),
    "uuid": ("0f8fad5b-d9cb-469f-a165-70867728950e", "0F8FAD5B-D9CB-469F-A165-70867728950E"),
}

REFUSED: Final = {
    "date-time": (
        "2026-03-08T02:30:00",
        "2026-03-08T02:30Z",
        "2026-03-08 02:30",
        "2026-03-08 02:30:00Z",
        "2026-03-08",
        "2026-03-08T02:30:00.123456-0800",
        "2026-03-08T02:30:00+01",
        "2026-03-08T02:30:00,5Z",
        "9999-12-31T23:59:59-12:00",
        "0001-01-01T00:00:00+12:00",
        "20260308",
        "2026",
        "202603080230",
        "20260308T023000Z",
        "-5",
        "1.5",
        "1e9",
        "1772937000000",
        " 2026-03-08T02:30:00Z",
        "2026-03-08T02:30:00Z\n",
        "08.03.2026",
        "03/08/2026",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-03-08T24:30:00Z",
        "tomorrow",
        "٢٠٢٦-03-08",
        "",
    ),
    "local": (
        "2026-03-08T02:30:00Z",
        "2026-03-08T02:30:00+01:00",
        "2026-03-08 02:30",
        "2026-03-08",
        "20260308",
        "0",
        "",
    ),
    "date": ("20260308", "2026", "1772928000", "2026-03-08T00:00:00Z", "2026-3-8", "-86400", "0", ""),
    "time": ("0230", "02:30:00+0100", "02:30,5", "9000", "2", "2:30 pm", "25:00", "-1", ""),
    "duration": ("5", "1.5", "01:30:00", "1 day, 0:00:00", "P", "PT", "P1", "P1M", "P1Y2M", ""),
    "uuid": (
        "{0f8fad5b-d9cb-469f-a165-70867728950e}",
        "urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e",
        "0f8fad5bd9cb469fa16570867728950e",
        "0f8fad5b-d9cb-469f-a165",
        "",
    ),
}

NUMBERS: Final = (20260308, 0, -5, 1772937000, 1.5)
"""Numbers in place of a text. A schema that says ``string`` allows none."""

SHOWN: Final = {
    "date-time": (
        "2026-03-08T02:30:00Z",
        "2026-03-08T02:30:00.123456-08:00",
        "2026-03-08t02:30:00z",
        "2026-03-08T02:30:00",
        "2026-03-08T02:30Z",
        "2026-03-08 02:30:00Z",
        "2026-03-08T02:30:00+0100",
        "2026-03-08T02:30:00,5Z",
        "2026-03-08_02:30:00Z",
        "2026-03-08",
        "20260308",
        "2026-02-30T00:00:00Z",
    ),
    "date": ("2026-03-08", "2026-3-8", "20260308", "2026-02-30"),
    "uuid": (
        "0f8fad5b-d9cb-469f-a165-70867728950e",
        "0F8FAD5B-D9CB-469F-A165-70867728950E",
        "0f8fad5bd9cb469fa16570867728950e",
        "{0f8fad5b-d9cb-469f-a165-70867728950e}",
        "urn:uuid:0f8fad5b-d9cb-469f-a165-70867728950e",
    ),
}
"""Texts that a typed tool and one from a JSON schema with the format must take alike."""

BESIDE: Final[dict[str, tuple[Any, tuple[str, ...], tuple[str, ...]]]] = {
    "a moment": (datetime | str, ("2026-03-08T14:30:00Z", "soon", ""), ("12.30", "20260308", "-5.5", "1.5e3")),
    "a day": (date | str, ("2026-03-08", "20260308", "monday"), ()),
    "a time": (time | str, ("14:30:00", "12.30", "noon"), ()),
    "a duration": (timedelta | str, ("P1D", "soon"), ("1 day", "12:30", "P1M")),
    "an amount": (Decimal | str, ("12.30", "some"), ("1e5", "+5")),
    "a path": (Path | str, ("a/b",), ("a//b",)),
    "an id": (UUID | str, ("0f8fad5b-d9cb-469f-a165-70867728950e", "x"), ("0f8fad5bd9cb469fa16570867728950e",)),
}
"""Types that take any text beside another one: texts that stay what they are, and texts that would become others."""
