"""The operations on settings. A model reads each docstring before it calls."""

from __future__ import annotations

from typing import cast

from pydantic import JsonValue

from remit import LeafContext
from remit.agent import RunInfo
from remit.errors import NotFoundError
from remit_cms.models import Content, empty_content
from remit_cms.settings.contrast import describe_unreadable
from remit_cms.settings.payloads import (
    GetSiteSetting,
    GetSiteSettings,
    SettingReply,
    SettingsChange,
    SettingsReply,
    UpdateSiteSettings,
)
from remit_cms.settings.values import LOGO, SiteSettings, find_setting, load_settings
from remit_cms.singles.drafts import SingleDraft
from remit_cms.storage.database import Database
from remit_cms.storage.documents import find_single
from remit_cms.storage.home import HOME_PAGE
from remit_cms.storage.images import find_image, image_slot
from remit_cms.storage.scope import Scope, find_target, load_locales
from remit_cms.storage.singles import SETTINGS
from remit_cms.storage.snapshots import build_snapshot
from remit_cms.storage.stale_edits import find_read_parts
from remit_cms.storage.tables import Kind
from remit_cms.storage.tokens import give_token
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

    async def update_site_settings(self, ctx: LeafContext, payload: UpdateSiteSettings) -> SettingsChange:
        """Change settings of the site, in the draft. Titles and texts of pages are no settings."""

        async def work(edit: Edit) -> SettingsChange:
            draft = await SingleDraft.open(edit, SETTINGS, payload.if_unchanged)
            locale = edit.resolve_locale(payload.locale_code)
            section, stored = next(iter(draft.contents(locale).items()), ("", empty_content()))
            values = await _prepare(edit, payload.changes(), stored)
            written, changed = await draft.write(section, values, locale)
            if changed:
                await draft.save("update_settings", *changed)
            draft.show(written, values, locale)
            return SettingsChange(
                changed=changed,
                remarks=describe_unreadable(cast("dict[str, str]", values.get("theme", {}))) or None,
                token=give_token(payload, draft.page),
                message=f"Changed {', '.join(changed)} of the site"
                if changed
                else "The settings are like that already",
            )

        return await edit_once(self._database, ctx, payload, SettingsChange, work)


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


async def _prepare(edit: Edit, given: Content, stored: Content) -> Content:
    """The values to store of those that a caller gives: pages and images by id, a theme merged with the stored one."""
    values = dict(given)
    if "language" in values:
        edit.resolve_locale(str(values["language"]) or None)
    if name := values.get(HOME_PAGE):
        values[HOME_PAGE] = {"page": (await edit.find_page(str(name))).id}
    if name := values.get(LOGO):
        values[LOGO] = image_slot(await find_image(edit, str(name)))
    if "theme" in values:
        values["theme"] = _merge(stored.get("theme"), values["theme"])
    return values


def _merge(before: JsonValue, after: JsonValue) -> JsonValue:
    """A theme with the variables of another one: an empty theme removes all, an empty variable one."""
    given, stored = cast("Content", after), before if isinstance(before, dict) else {}
    return {name: value for name, value in {**stored, **given}.items() if value} if given else {}


async def _settings_reply(scope: Scope, payload: GetSiteSettings, message: str) -> SettingsReply:
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
