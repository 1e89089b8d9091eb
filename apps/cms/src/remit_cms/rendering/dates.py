"""Days as readers of a language write them."""

from __future__ import annotations

from datetime import date
from typing import Final

_ENGLISH: Final = "January February March April May June July August September October November December"
_DAYS: Final = {
    "en": ("{day} {month} {year}", _ENGLISH),
    "en-US": ("{month} {day}, {year}", _ENGLISH),
    "de": (
        "{day}. {month} {year}",
        "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    ),
    "fr": (
        "{day} {month} {year}",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    ),
    "it": (
        "{day} {month} {year}",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    ),
    "es": (
        "{day} de {month} de {year}",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    ),
    "pt": (
        "{day} de {month} de {year}",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    ),
    "nl": (
        "{day} {month} {year}",
        "januari februari maart april mei juni juli augustus september oktober november december",
    ),
    "da": (
        "{day}. {month} {year}",
        "januar februar marts april maj juni juli august september oktober november december",
    ),
    "nb": (
        "{day}. {month} {year}",
        "januar februar mars april mai juni juli august september oktober november desember",
    ),
    "sv": (
        "{day} {month} {year}",
        "januari februari mars april maj juni juli augusti september oktober november december",
    ),
    "pl": (
        "{day} {month} {year}",
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    ),
}
"""How a day is written by language, and the names of the months."""


def format_day(day: date, locale: str) -> str:
    """A day in a language; in one without names here as the standard writes it, 2026-03-01, which all can read."""
    form, months = _DAYS.get(locale) or _DAYS.get(locale.partition("-")[0], ("", ""))
    if not form:
        return day.isoformat()
    return form.format(day=day.day, month=months.split()[day.month - 1], year=day.year)
