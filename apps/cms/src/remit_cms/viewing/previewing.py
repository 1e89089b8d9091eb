"""The operation that makes links to previews. A model reads its docstring before it calls."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from remit import LeafContext
from remit_cms.callers import is_direct
from remit_cms.checks.checking import check_outlook
from remit_cms.models import pluralize
from remit_cms.publishing.change_sets import find_chosen_set
from remit_cms.scheduling.times import read_time
from remit_cms.site.links import Preview
from remit_cms.site.lookup import find_preview_path
from remit_cms.site.payloads import CreatePreviewLink, PreviewLinkReply
from remit_cms.site.preview_key import PreviewKey
from remit_cms.storage.database import Database
from remit_cms.storage.outlook import Outlook, load_outlook
from remit_cms.storage.pinned import pin_change_set, pin_page
from remit_cms.storage.pins import DatePin, Pin
from remit_cms.storage.scope import Scope
from remit_cms.storage.tables import Page
from remit_cms.storage.transactions import open_view


class Previews:
    """Links to what visitors would see.

    Args:
        database: the database with the pages.
        key: the key that signs the links, which the site has too.
    """

    def __init__(self, database: Database, key: PreviewKey) -> None:
        self._database = database
        self._key = key

    async def create_preview_link(self, ctx: LeafContext, payload: CreatePreviewLink) -> PreviewLinkReply:
        """Make a link that shows a draft or change set as visitors would see it. To publish it: cms_publishPage."""
        key = await self._key.resolve()
        async with open_view(self._database, ctx) as scope:
            pin, path = await self._find_pin(scope, ctx, payload)
            target, outlook = scope.target, await load_outlook(scope, pin) or Outlook(())
            found, titles = await check_outlook(scope, outlook), await _list_titles(scope, outlook)
        until = self._database.clock().replace(microsecond=0) + timedelta(hours=payload.hours)
        url = self._key.link(key, Preview(target, pin, int(until.timestamp())), path)
        if not is_direct(ctx):
            ctx.log(f"preview: {url}")  # for the person: models drop letters when they copy long addresses
        differs = f"the site at {payload.at}, when {pluralize(len(titles), 'page')} will have changed,"
        shows = _describe_shown(outlook) if payload.at is None else differs
        return PreviewLinkReply(
            url=url,
            expires_at=until.isoformat(),
            pages=titles,
            remarks=[f"{each.where}: {each.after}" if each.after else each.where for each in found] or None,
            message=f"The link shows {shows} for {pluralize(payload.hours, 'hour')}",
        )

    async def _find_pin(self, scope: Scope, ctx: LeafContext, payload: CreatePreviewLink) -> tuple[Pin, str]:
        """What the link shows, and the path where to look first."""
        if payload.page_id is not None:
            page_pin, shown = await pin_page(scope, payload.page_id, payload.revision)
            return page_pin, await find_preview_path(scope, shown)
        if payload.at is None:
            return await pin_change_set(scope, await find_chosen_set(scope, ctx, payload.change_set_id)), ""
        now = self._database.clock()
        at = await read_time(scope, payload.at, now)
        return DatePin(int(at.timestamp()), int(now.timestamp())), ""


def _describe_shown(outlook: Outlook) -> str:
    """How many pages a link shows, and how many it leaves out."""
    gone = [f"the site without {pluralize(len(outlook.hidden), 'page')}"] if outlook.hidden else []
    shown = [pluralize(len(outlook.shown), "page")] if outlook.shown or not gone else []
    return " and ".join([*shown, *gone])


async def _list_titles(scope: Scope, outlook: Outlook) -> list[str]:
    """The titles of the documents that differ from what visitors see, those that are hidden last."""
    hidden = select(Page.title).where(scope.target.id_filter(Page, Page.id, outlook.hidden))
    titles = await scope.session.scalars(hidden.order_by(Page.slug, Page.id))
    return [*(each.title for each in outlook.shown), *titles]
