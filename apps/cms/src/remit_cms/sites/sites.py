"""The operations on whole sites. They are for people; a model reads their docstrings all the same."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from remit import LeafContext
from remit.artifacts import Artifact, Artifacts
from remit.errors import AlreadyExistsError, InvalidArgumentsError
from remit.tools import Preview
from remit_cms.callers import describe_saving
from remit_cms.models import pluralize
from remit_cms.sites.archive import read_archive, write_archive
from remit_cms.sites.package import SitePackage
from remit_cms.sites.payloads import (
    AddSite,
    ContentReply,
    ExportContent,
    ExportedContent,
    ImportContent,
    ListSites,
    SeedSite,
    SiteReply,
    SitesReply,
    SiteView,
)
from remit_cms.sites.previewing import describe_package, preview_package
from remit_cms.sites.promotion import Promotion
from remit_cms.sites.reading import count_left_out, load_package
from remit_cms.sites.sample.building import build_sample, outline_sample
from remit_cms.sites.writing import write_package
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Target, load_locales
from remit_cms.storage.seed import add_site
from remit_cms.storage.tables import Kind, Page, Site
from remit_cms.storage.transactions import Edit, edit_once, find_reachable, open_view

_ZIP = "application/zip"


class Sites:
    """The sites of a tenant.

    Args:
        database: the database with the sites.
        artifacts: the files that people attach to runs, and that exports are.
    """

    def __init__(self, database: Database, artifacts: Artifacts) -> None:
        self._database, self._artifacts = database, artifacts
        self.promotion = Promotion(database)

    async def add_site(self, ctx: LeafContext, payload: AddSite) -> SiteReply:
        """Add an empty site with its languages and environments. Calls name it as their target: {key}/{environment}."""
        site = ctx.caller.target.partition("/")[0]
        if site not in ("", payload.key):
            raise InvalidArgumentsError(
                f"This call is about the site '{site}', and adds no other one. Omit its target to add '{payload.key}'."
            )

        async def work(edit: Edit) -> SiteReply:
            if await edit.session.get(Site, payload.key) is not None:
                raise AlreadyExistsError(f"The key '{payload.key}' is taken on this server. Give the site another one.")
            await add_site(
                edit.session,
                ctx.caller.principal.tenant,
                payload.key,
                name=payload.name,
                languages=payload.languages,
                environments=payload.environments,
                clock=lambda: edit.now,
                new_id=edit.new_id,
            )
            edit.add_change("site", payload.key, 1, name=payload.name)
            view = SiteView(
                key=payload.key,
                name=payload.name,
                languages=payload.languages,
                environments=payload.environments,
                pages=0,
            )
            targets = [f"{payload.key}/{each}" for each in payload.environments]
            named = f"target is {targets[0]}" if len(targets) == 1 else f"targets are {', '.join(targets)}"
            return SiteReply(site=view, message=f"Added the site '{payload.name}'. Its {named}.")

        new = Target(payload.key, payload.environments[0])
        return await edit_once(self._database, ctx, payload, SiteReply, work, new=new)

    async def list_sites(self, ctx: LeafContext, payload: ListSites) -> SitesReply:
        """List the sites with their languages and environments. Not for the pages of a site: cms_getPages."""
        del payload
        async with self._database.read() as session:
            rows = await find_reachable(session, ctx.caller)
            sites = [
                SiteView(
                    key=site.key,
                    name=site.name,
                    languages=[*await load_locales(session, site.key)],
                    environments=environments,
                    pages=await _count_pages(session, site.key, environments),
                )
                for site, environments in rows
            ]
        others = f", the target of this call: {ctx.caller.target}" if ctx.caller.target else ""
        return SitesReply(sites=sites, total=len(sites), message=f"{pluralize(len(sites), 'site')}{others}")

    async def export_content(self, ctx: LeafContext, payload: ExportContent) -> ExportedContent:
        """Put a whole site into a ZIP file for cms_importContent, drafts too. As files to serve: cms_exportSite."""
        del payload
        async with open_view(self._database, ctx) as scope:
            package, contents = await load_package(scope)
            package = package.model_copy(update={"left_out": await count_left_out(scope)})
            name = f"{scope.target.site}-{scope.target.environment}.zip"
        content = await asyncio.to_thread(write_archive, package, contents)
        file = await self._artifacts.add(content, name=name, media_type=_ZIP)
        message = f"Exported {describe_package(package)}. {package.left_out.describe()}"
        message += describe_saving(ctx, file)
        return ExportedContent(file=file, **_counts(package), message=message)

    async def import_content(self, ctx: LeafContext, payload: ImportContent) -> ContentReply:
        """Write the site in a ZIP file into an empty site, after approval. What was live in it is live here too."""
        package, contents = await self._read(payload.file)
        done = f". {package.left_out.describe()}"
        return await _write(self._database, ctx, payload, package, contents, "import_content", "Imported", done)

    async def seed_site(self, ctx: LeafContext, payload: SeedSite) -> ContentReply:
        """Write the sample site, a bakery in English and German, into an empty site, after approval, and publish it."""
        package, contents = await asyncio.to_thread(build_sample)
        return await _write(self._database, ctx, payload, package, contents, "seed_site", "Wrote")

    async def preview_seeding(self, ctx: LeafContext, payload: SeedSite) -> Preview:
        """The sample site, for the approver."""
        del payload
        package = await asyncio.to_thread(outline_sample)
        async with open_view(self._database, ctx) as scope:
            return await preview_package(scope, package, "sample")

    async def preview_import(self, ctx: LeafContext, payload: ImportContent) -> Preview:
        """The site to write, for the approver. A file that cannot be imported is refused here."""
        package, _ = await self._read(payload.file)
        async with open_view(self._database, ctx) as scope:
            return await preview_package(scope, package, payload.file.digest)

    async def _read(self, file: Artifact) -> tuple[SitePackage, dict[str, bytes]]:
        return await asyncio.to_thread(read_archive, await self._artifacts.read(file))


async def _count_pages(session: AsyncSession, site: str, environments: Sequence[str]) -> int:
    query = select(func.count()).select_from(Page).where(Page.site == site, Page.kind == Kind.PAGE)
    return await session.scalar(query.where(Page.environment.in_(environments))) or 0


async def _write(
    database: Database,
    ctx: LeafContext,
    payload: ImportContent | SeedSite,
    package: SitePackage,
    contents: Mapping[str, bytes],
    action: str,
    done: str,
    remark: str = "",
) -> ContentReply:
    async def work(edit: Edit) -> ContentReply:
        await write_package(edit, package, contents, action)
        target = f"{edit.target.site}/{edit.target.environment}"
        return ContentReply(
            target=target, **_counts(package), message=f"{done} {describe_package(package)} into {target}{remark}"
        )

    return await edit_once(database, ctx, payload, ContentReply, work)


def _counts(package: SitePackage) -> dict[str, Any]:
    return {
        "pages": package.count(Kind.PAGE),
        "entries": package.count(Kind.ENTRY),
        "images": len(package.images),
    }
