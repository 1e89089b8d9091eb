"""The time zone of a site, and times in it as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from remit_cms.storage.documents import load_document
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Kind

TIME_ZONE = "timeZone"
"""The setting with the name of the zone."""


async def find_zone(scope: Scope) -> ZoneInfo:
    """The time zone of the site: its setting that is in force, or UTC."""
    settings = await load_document(scope, Kind.SETTINGS, live=True)
    sections = () if settings is None else settings.sections
    contents = (content for section in sections for content in section.contents.values())
    return ZoneInfo(next((str(each[TIME_ZONE]) for each in contents if each.get(TIME_ZONE)), "UTC"))


def describe_time(at: datetime, zone: ZoneInfo) -> str:
    """A time in the zone of the site in words: ``24 December 2026, 09:00 (Europe/Berlin)``."""
    local = at.astimezone(UTC).astimezone(zone)
    name = zone.key if zone.key == "UTC" else f"({zone.key})"
    return f"{local.day} {local:%B %Y, %H:%M} {name}"
