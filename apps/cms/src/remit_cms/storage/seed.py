"""A new site: its environments and languages, and in each environment the built-in section templates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from remit_cms.storage.tables import Environment, Locale, SectionDefinition, Site
from remit_cms.templates.builtin import BUILTIN_TEMPLATES, DOCUMENT_TEMPLATES

DEFAULT_ENVIRONMENT: Final = "main"
DEFAULT_LANGUAGES: Final = ("en", "de")

_LANGUAGE_NAMES: Final = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "it": "Italiano",
    "es": "Español",
    "pt": "Português",
    "nl": "Nederlands",
    "da": "Dansk",
    "sv": "Svenska",
    "nb": "Norsk",
    "fi": "Suomi",
    "pl": "Polski",
    "cs": "Čeština",
    "tr": "Türkçe",
    "el": "Ελληνικά",
    "uk": "Українська",
    "ar": "العربية",
    "fa": "فارسی",
    "he": "עברית",
    "ja": "日本語",
    "zh": "中文",
}
"""What languages call themselves, for the links between them; others are shown by their code."""


def name_language(code: str) -> str:
    """What a language calls itself, or else its code."""
    return _LANGUAGE_NAMES.get(code, code)


async def add_site(
    session: AsyncSession,
    tenant: str,
    key: str,
    *,
    name: str = "Local site",
    languages: Sequence[str] = DEFAULT_LANGUAGES,
    environments: Sequence[str] = (DEFAULT_ENVIRONMENT,),
    clock: Callable[[], datetime],
    new_id: Callable[[str], str],
) -> None:
    """Add a site for a tenant. The first of its languages and of its environments is the default."""
    session.add(Site(key=key, tenant=tenant, name=name, created_at=clock()))
    await session.flush()
    for number, environment in enumerate(environments):
        session.add(Environment(site=key, name=environment, is_default=number == 0))
    for number, code in enumerate(languages):
        session.add(Locale(site=key, code=code, name=name_language(code), is_default=number == 0))
    await session.flush()
    templates = [("page", each) for each in BUILTIN_TEMPLATES] + [*DOCUMENT_TEMPLATES.items()]
    for environment in environments:
        for kind, template in templates:
            session.add(
                SectionDefinition(
                    id=new_id("template"),
                    site=key,
                    environment=environment,
                    key=template.key,
                    name=template.name,
                    description=template.description,
                    structure=template.structure.model_dump(mode="json", exclude_defaults=True),
                    kind=kind,
                )
            )
    await session.flush()
