"""A new site: one environment, two languages, the built-in section templates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from remit_cms.storage.tables import Environment, Locale, SectionDefinition, Site
from remit_cms.templates.builtin import BUILTIN_TEMPLATES, DOCUMENT_TEMPLATES

DEFAULT_ENVIRONMENT = "main"


async def add_site(
    session: AsyncSession,
    tenant: str,
    key: str,
    *,
    name: str = "Local site",
    clock: Callable[[], datetime],
    new_id: Callable[[str], str],
) -> None:
    """Add a site for a tenant: the environment main, English (default) and German, and the built-in templates."""
    session.add(Site(key=key, tenant=tenant, name=name, created_at=clock()))
    await session.flush()
    session.add(Environment(site=key, name=DEFAULT_ENVIRONMENT, is_default=True))
    session.add(Locale(site=key, code="en", name="English", is_default=True))
    session.add(Locale(site=key, code="de", name="Deutsch", is_default=False))
    await session.flush()
    templates = [("page", each) for each in BUILTIN_TEMPLATES] + [*DOCUMENT_TEMPLATES.items()]
    for kind, template in templates:
        session.add(
            SectionDefinition(
                id=new_id("template"),
                site=key,
                environment=DEFAULT_ENVIRONMENT,
                key=template.key,
                name=template.name,
                description=template.description,
                structure=template.structure.model_dump(mode="json", exclude_defaults=True),
                kind=kind,
            )
        )
    await session.flush()
