"""The operation that makes links to previews. A model reads its docstring before it calls."""

from __future__ import annotations

from datetime import timedelta

from remit import LeafContext
from remit_cms.callers import is_direct
from remit_cms.models import pluralize
from remit_cms.publishing.change_sets import find_chosen_set
from remit_cms.site.links import Preview, sign_preview
from remit_cms.site.lookup import find_preview_path
from remit_cms.site.payloads import CreatePreviewLink, PreviewLinkReply
from remit_cms.site.pins import pin_change_set, pin_page
from remit_cms.site.preview_key import PreviewKey
from remit_cms.storage.database import Database
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
            if payload.page_id is not None:
                pin, shown = await pin_page(scope, payload.page_id, payload.revision)
                titles, path = [shown.title], await find_preview_path(scope, shown)
            else:
                pin, titles = await pin_change_set(scope, await find_chosen_set(scope, ctx, payload.change_set_id))
                path = ""
            target = scope.target
        until = self._database.clock().replace(microsecond=0) + timedelta(hours=payload.hours)
        token = sign_preview(key, Preview(target, pin, int(until.timestamp())))
        url = f"{self._key.url.rstrip('/')}/preview/{token}/{path}"
        if not is_direct(ctx):
            ctx.log(f"preview: {url}")  # for the person: models drop letters when they copy long addresses
        return PreviewLinkReply(
            url=url,
            expires_at=until.isoformat(),
            pages=titles,
            message=f"The link shows {pluralize(len(titles), 'page')} for {pluralize(payload.hours, 'hour')}",
        )
