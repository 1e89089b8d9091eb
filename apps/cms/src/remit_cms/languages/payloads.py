"""Payloads and replies of the operations on languages."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from remit_cms.models import Line, LocaleCode, OptionalParam, Payload, Reply
from remit_cms.sites.languages import Language

MAX_LANGUAGES = 50

_Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64), Line]


class AddLanguage(Payload):
    """A language that the site gets."""

    locale_code: Language = Field(description="Code of the language: ISO 639, if need be with a region")
    name: OptionalParam[_Name] = Field(default=None, description="What the language calls itself")


class RemoveLanguage(Payload):
    """A language that the site no longer has."""

    locale_code: LocaleCode = Field(description="Code of the language")


class LanguagesReply(Reply):
    """The languages of the site, the default first."""

    languages: list[str]
