"""Dates, times and durations as models and programs write them, and whether the shown format allows them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Final

KINDS: Final[dict[str, type]] = {"date-time": datetime, "date": date, "time": time, "duration": timedelta}

ALLOWED: Final = {
    "date-time": (
        "2026-03-08T02:30:00Z",
        "2026-03-08T02:30:00+01:00",
        "2026-03-08T02:30:00.123456-0800",
        "2026-03-08 02:30",
        "2026-03-08t02:30:00z",
    ),
    "date": ("2026-03-08", "2024-02-29"),
    "time": ("02:30", "02:30:00", "02:30:00.5", "02:30:00Z", "02:30:00+01:00"),
    "duration": ("P1D", "P1DT12H", "PT90M", "-P1D", "PT0.5S", "P2W"),
}

REFUSED: Final = {
    "date-time": (
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
    "date": ("20260308", "2026", "1772928000", "2026-03-08T00:00:00Z", "2026-3-8", "-86400", "0", ""),
    "time": ("0230", "9000", "2", "2:30 pm", "25:00", "-1", ""),
    "duration": ("5", "1.5", "01:30:00", "1 day, 0:00:00", "P", "PT", "P1", ""),
}

NUMBERS: Final = (20260308, 0, -5, 1772937000, 1.5)
"""Numbers in place of a text. A schema that says ``string`` allows none."""
