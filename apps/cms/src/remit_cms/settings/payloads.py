"""Payloads and replies of the operations on settings."""

from __future__ import annotations

from typing import Self, cast

from pydantic import Field, JsonValue, model_validator

from remit_cms.models import (
    DocumentReply,
    LocaleCode,
    OmittedIfNone,
    OptionalParam,
    ReadPayload,
    WritePayload,
    WriteReply,
)
from remit_cms.settings.theme import Theme
from remit_cms.settings.values import (
    HomePage,
    Hosts,
    Instructions,
    Logo,
    SiteName,
    SiteSettings,
    Tagline,
    TimeZone,
    describe_unknown,
    resolve_setting,
)

_LOCALE = "Code of the language of name and tagline; the main one if omitted"


class GetSiteSettings(ReadPayload):
    """In which language to read the settings."""

    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)


class GetSiteSetting(GetSiteSettings):
    """The setting to read."""

    key: str = Field(description="Name of the setting, from cms_getSiteSettings", min_length=1, max_length=100)


class UpdateSiteSettings(WritePayload):
    """Changes to the settings. Omitted ones stay as they are; an empty value removes one."""

    name: OptionalParam[SiteName] = Field(default=None, description="Name of the site")
    tagline: OptionalParam[Tagline] = Field(default=None, description="A few words below the name")
    language: OptionalParam[LocaleCode] = Field(default=None, description="Code of the main language")
    home_page: OptionalParam[HomePage] = Field(default=None, description="Page at the address /: slug, id or title")
    logo: OptionalParam[Logo] = Field(default=None, description="Image in place of the name: id, name or alt text")
    time_zone: OptionalParam[TimeZone] = Field(default=None, description="Time zone: {Area}/{City}")
    instructions: OptionalParam[Instructions] = Field(default=None, description="What the editor heeds when it writes")
    post_hosts: OptionalParam[Hosts] = Field(default=None, description="The hosts that http_post may reach")
    theme: OptionalParam[Theme] = Field(
        default=None,
        description="Colours and fonts: ink, paper, tint, line, soft, accent, on-accent, text, head",
    )
    locale_code: OptionalParam[LocaleCode] = Field(default=None, description=_LOCALE)

    @model_validator(mode="before")
    @classmethod
    def _accept_other_names(cls, value: object) -> object:
        """Take settings also by other usual names, or in an object ``settings``; refuse unknown ones with a hint."""
        if not isinstance(value, dict):
            return value
        given = dict(cast("dict[str, object]", value))
        nested = given.pop("settings", None)
        given = {**given, **cast("dict[str, object]", nested)} if isinstance(nested, dict) else given
        if isinstance(given.get("key"), str) and "value" in given:
            given[str(given.pop("key"))] = given.pop("value")
        known: dict[str, object] = {}
        for name, each in given.items():
            setting = resolve_setting(name)
            if setting is None and name not in _OTHERS:
                raise ValueError(describe_unknown(name))
            known[setting or name] = each
        return known

    @model_validator(mode="after")
    def _require_change(self) -> Self:
        if not self.changes():
            raise ValueError("nothing to change; give a setting with its new value, such as tagline")
        return self

    def changes(self) -> dict[str, JsonValue]:
        """The settings to change, by the names that replies use."""
        given = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        return {name: value for name, value in given.items() if name not in _OTHERS}


_OTHERS = {"localeCode", "locale_code", "ifUnchanged", "if_unchanged", "withToken", "with_token"}


class SettingsReply(DocumentReply):
    """The settings of the site's draft."""

    settings: SiteSettings
    status: str
    revision: OmittedIfNone[int] = None


class SettingsChange(WriteReply):
    """Which settings are different now."""


class SettingReply(DocumentReply):
    """One setting of the site's draft; none if it is not set."""

    key: str
    value: JsonValue
    status: str
