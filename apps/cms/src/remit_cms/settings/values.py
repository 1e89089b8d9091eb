"""What the settings of a site are, and how drafts, visitors and operations read them."""

from __future__ import annotations

import re
from typing import Annotated, Final, cast
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints

from remit.errors import NotFoundError
from remit_cms.models import Content, Line, OmittedIfNone, View
from remit_cms.storage.documents import load_document
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.tables import Kind, Site
from remit_cms.storage.translations import localize_content

LOGO: Final = "logo"
"""The setting whose value is a slot with an image."""

_HOST: Final = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]")


def _check_host(host: str) -> str:
    if not _HOST.fullmatch(host.lower()):
        raise ValueError(f"{host!r} is no host name, such as hooks.example.com, without https:// and path")
    return host.lower()


def _check_zone(name: str) -> str:
    try:
        return ZoneInfo(name).key if name else ""
    except (KeyError, ValueError, OSError):
        raise ValueError(f"{name!r} is no time zone; give a name such as Europe/Berlin") from None


def _read_page(value: object) -> object:
    """The id of a reference as replies write it, ``{"page": ID}``; anything else as it is."""
    given = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return given["page"] if given.keys() == {"page"} else value  # pyright: ignore[reportUnknownVariableType] - any JSON


def _read_image(value: object) -> object:
    """The id of an image as replies write it, ``{"imageId": ID}``; anything else as it is."""
    given = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    return given["imageId"] if "imageId" in given else cast("object", value)


def short_text(most: int) -> object:
    """A text of at most so many characters, without space around it."""
    return StringConstraints(strip_whitespace=True, max_length=most)


SiteName = Annotated[str, short_text(200), Line]
Tagline = Annotated[str, short_text(300), Line]
HomePage = Annotated[str, BeforeValidator(_read_page), short_text(200)]
Logo = Annotated[str, BeforeValidator(_read_image), short_text(500)]
Instructions = Annotated[str, short_text(2000)]
TimeZone = Annotated[str, short_text(100), AfterValidator(_check_zone)]
Host = Annotated[str, AfterValidator(_check_host)]
Hosts = Annotated[list[Host], Field(max_length=50)]


class SiteSettings(View):
    """The settings of a site. What is not set has the value that the site was made with, or none."""

    name: str
    tagline: OmittedIfNone[str] = None
    language: str
    home_page: OmittedIfNone[dict[str, str]] = None
    logo: OmittedIfNone[Content] = None
    time_zone: OmittedIfNone[str] = None
    instructions: OmittedIfNone[str] = None
    post_hosts: OmittedIfNone[list[str]] = None
    theme: OmittedIfNone[dict[str, str]] = None


SETTING_NAMES: Final = tuple(SiteSettings.model_json_schema(by_alias=True)["properties"])
"""The names of all settings."""

_OTHER_NAMES: Final = {
    "title": "name",
    "siteName": "name",
    "siteTitle": "name",
    "slogan": "tagline",
    "subtitle": "tagline",
    "locale": "language",
    "timezone": "timeZone",
    "defaultLanguage": "language",
    "editorInstructions": "instructions",
    "home": "homePage",
    "homepage": "homePage",
    "siteLogo": "logo",
    "frontPage": "homePage",
    "startPage": "homePage",
    "allowedHosts": "postHosts",
    "colors": "theme",
    "colours": "theme",
}


def resolve_setting(name: str) -> str | None:
    """The setting that a name means, as replies write it; None if there is no such setting."""
    first, *rest = re.split(r"[\s_-]+", name.strip())
    camel = first[:1].lower() + first[1:] + "".join(part.capitalize() for part in rest)
    camel = _OTHER_NAMES.get(camel, camel)
    return camel if camel in SETTING_NAMES else None


def describe_unknown(name: str) -> str:
    """One phrase for a name that no setting has, with similar ones."""
    from rapidfuzz import process  # noqa: PLC0415 - slow to import, seldom needed

    near = process.extractOne(name, SETTING_NAMES, score_cutoff=60)
    guess = f"Did you mean '{near[0]}'? " if near else ""
    return f"There is no setting '{name}'. {guess}Settings: {', '.join(SETTING_NAMES)}."


def find_setting(name: str) -> str:
    """The setting that a name means.

    Raises:
        NotFoundError: names similar settings, and all there are.
    """
    found = resolve_setting(name)
    if found is None:
        raise NotFoundError(describe_unknown(name))
    return found


async def load_settings(scope: Scope, *, live: bool, locale: str | None = None) -> SiteSettings:
    """The settings of a site, as visitors see them or as the draft has them, in a language."""
    return await read_settings(scope, await load_document(scope, Kind.SETTINGS, live=live), locale)


async def read_settings(scope: Scope, snapshot: Snapshot | None, locale: str | None = None) -> SiteSettings:
    """The settings that one state of their document makes, in a language."""
    site = await scope.session.get_one(Site, scope.target.site)
    content: Content = {}
    if snapshot is not None and snapshot.sections:
        chain = (*scope.fallback_chain(locale or scope.default_locale), snapshot.locale)
        content = localize_content(snapshot.sections[0].contents, chain).content
    return SiteSettings.model_validate({"name": site.name, "language": scope.default_locale, **content})
