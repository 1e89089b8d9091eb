"""The operations on settings. A model reads each docstring before it calls."""

from __future__ import annotations

from typing import cast

from pydantic import JsonValue

from remit import LeafContext
from remit.agent import RunInfo
from remit.errors import NotFoundError
from remit_cms.models import Content
from remit_cms.settings.contrast import describe_unreadable
from remit_cms.settings.payloads import (
    GetSiteSetting,
    GetSiteSettings,
    SettingReply,
    SettingsReply,
    UpdateSiteSettings,
)
from remit_cms.settings.values import LOCALISED, LOGO, SiteSettings, find_setting, load_settings
from remit_cms.storage.database import Database
from remit_cms.storage.documents import find_or_make_single, find_single
from remit_cms.storage.home import HOME_PAGE
from remit_cms.storage.images import find_image, image_slot
from remit_cms.storage.revisions import save_revision
from remit_cms.storage.scope import Scope, find_target, load_locales
from remit_cms.storage.snapshots import build_snapshot
from remit_cms.storage.stale_edits import find_read_parts
from remit_cms.storage.tables import Kind, Page, PageSection, SectionContent
from remit_cms.storage.tokens import check_token, give_token
from remit_cms.storage.transactions import Edit, edit_once, open_view


class Settings:
    """The settings of a site."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_site_settings(self, ctx: LeafContext, payload: GetSiteSettings) -> SettingsReply:
        """Read the settings of the site: name, tagline, language, home page, time zone, instructions, hosts, theme."""
        async with open_view(self._database, ctx) as scope:
            return await _settings_reply(scope, payload, "The settings of the site")

    async def get_site_setting(self, ctx: LeafContext, payload: GetSiteSetting) -> SettingReply:
        """Read one setting of the site by its name. For all of them: cms_getSiteSettings."""
        async with open_view(self._database, ctx) as scope:
            name = find_setting(payload.key)
            reply = await _settings_reply(scope, payload, f"The setting {name}")
            value = cast("JsonValue", reply.settings.model_dump(mode="json", by_alias=True).get(name))
            return SettingReply(key=name, value=value, status=reply.status, token=reply.token, message=reply.message)

    async def update_site_settings(self, ctx: LeafContext, payload: UpdateSiteSettings) -> SettingsReply:
        """Change settings of the site, in the draft. Titles and texts of pages are no settings."""

        async def work(edit: Edit) -> SettingsReply:
            changes, locale = payload.changes(), edit.resolve_locale(payload.locale_code)
            if "language" in changes:
                edit.resolve_locale(str(changes["language"]) or None)
            if name := changes.get(HOME_PAGE):
                changes[HOME_PAGE] = {"page": (await edit.find_page(str(name))).id}
            if name := changes.get(LOGO):
                changes[LOGO] = image_slot(await find_image(edit, str(name)))
            page = await find_or_make_single(edit, Kind.SETTINGS)
            await check_token(edit, page, payload.if_unchanged)
            changed = await _write_values(edit, page, changes, locale)
            if changed:
                await save_revision(edit, page, "update_settings", *changed)
            message = f"Changed {', '.join(changed)} of the site" if changed else "The settings are like that already"
            theme = (await load_settings(edit, live=False)).theme if "theme" in changes else None
            return await _settings_reply(edit, payload, message + describe_unreadable(theme or {}))

        return await edit_once(self._database, ctx, payload, SettingsReply, work)


class SettingsInForce:
    """What the rest of the CMS asks of the settings that visitors see."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find_instructions(self, info: RunInfo) -> str:
        """The instructions for the editor that are in force on the site of a run; empty if there are none."""
        _, found = await self._find(info.principal.tenant, info.target)
        return (found and found.instructions) or ""

    async def find_post_hosts(self, ctx: LeafContext) -> tuple[str, frozenset[str]]:
        """The site of a call, and the hosts that its settings in force allow to post to; no site if there is none."""
        site, found = await self._find(ctx.caller.principal.tenant, ctx.caller.target)
        return site, frozenset((found and found.post_hosts) or ())

    async def _find(self, tenant: str, run_target: str) -> tuple[str, SiteSettings | None]:
        async with self._database.read() as session:
            try:
                target = await find_target(session, tenant, run_target)
            except NotFoundError:
                return "", None
            scope = Scope(session=session, target=target, locales=await load_locales(session, target.site))
            return target.site, await load_settings(scope, live=True)


async def _write_values(edit: Edit, page: Page, changes: dict[str, JsonValue], locale: str) -> list[str]:
    """Store settings in the only section of their document, and return the names of those that changed."""
    snapshot = await build_snapshot(edit, page)
    if snapshot.sections:
        section, contents = snapshot.sections[0].id, snapshot.sections[0].contents
    else:
        definition = await edit.find_definition("site-settings", Kind.SETTINGS)
        row = PageSection(id=edit.new_id("values"), page=page.id, definition=definition.id, sort_order=0)
        edit.session.add(row)
        await edit.session.flush()
        section, contents = row.id, dict[str, Content]()
    changed: list[str] = []
    for code in dict.fromkeys((page.locale, locale)):
        chosen = {
            name: each for name, each in changes.items() if (locale if name in LOCALISED else page.locale) == code
        }
        before = contents.get(code, {})
        after: Content = {**before, **{name: _merge(name, before.get(name), each) for name, each in chosen.items()}}
        after = {name: value for name, value in after.items() if value not in ("", [], {}, None)}
        if after != before:
            await edit.session.merge(SectionContent(section=section, locale=code, content=after))
            changed += [name for name in chosen if after.get(name) != before.get(name)]
    await edit.session.flush()
    return changed


def _merge(name: str, before: JsonValue, after: JsonValue) -> JsonValue:
    """Themes are merged variable by variable; an empty theme removes all, an empty variable one."""
    if name != "theme":
        return after
    if not isinstance(after, dict) or not after or not isinstance(before, dict):
        return {k: v for k, v in after.items() if v} if isinstance(after, dict) else after
    return {name: value for name, value in {**before, **after}.items() if value}


async def _settings_reply(
    scope: Scope, payload: GetSiteSettings | GetSiteSetting | UpdateSiteSettings, message: str
) -> SettingsReply:
    page = await find_single(scope, Kind.SETTINGS)
    locale = scope.resolve_locale(payload.locale_code)
    if page is not None:
        parts = await find_read_parts(scope, page, locale)
        if isinstance(payload, GetSiteSetting):
            name = find_setting(payload.key)
            sections = [section.id for section in (await build_snapshot(scope, page)).sections]
            parts = [f"content/{code}/{each}/{name}" for each in sections for code in {locale, page.locale}]
        scope.show(page, *parts)
    return SettingsReply(
        token=give_token(payload, page),
        settings=await load_settings(scope, live=False, locale=locale),
        status="draft" if page is None else page.status,
        revision=None if page is None else page.revision,
        message=message,
    )
