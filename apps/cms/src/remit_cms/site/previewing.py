"""The operation that makes links to previews. A model reads its docstring before it calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from remit import LeafContext
from remit.errors import ConflictError, ExternalError, NotFoundError
from remit.secrets import EnvSecrets, Secret, SecretRef, Secrets
from remit_cms.models import pluralize
from remit_cms.site.links import Preview, sign_preview
from remit_cms.site.lookup import SHOWN_KINDS
from remit_cms.site.payloads import CreatePreviewLink, PreviewLinkReply
from remit_cms.storage.change_sets import find_set, unpublished_pages
from remit_cms.storage.database import Database
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import load_snapshot
from remit_cms.storage.transactions import open_view

KEY_VARIABLE: Final = "REMIT_CMS_PREVIEW_KEY"
"""The environment variable with the key that signs links to previews: 32 characters or more."""
DEFAULT_URL: Final = "http://127.0.0.1:8080"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewKey:
    """Where the site is for visitors, and the reference to the key that signs links to its previews."""

    url: str = DEFAULT_URL
    secrets: Secrets = field(default_factory=lambda: EnvSecrets(KEY_VARIABLE))
    reference: SecretRef = f"env:{KEY_VARIABLE}"

    async def resolve(self) -> Secret:
        """The key.

        Raises:
            ExternalError: there is none.
        """
        try:
            return await self.secrets.resolve(self.reference)
        except NotFoundError as error:
            raise ExternalError(
                f"no key for previews is configured; the operator sets {KEY_VARIABLE} to 32 random characters or more, "
                "for the site and for this application"
            ) from error


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
        """Make a link that shows a draft or change set as visitors would see it, to those who have the link."""
        key = await self._key.resolve()
        async with open_view(self._database, ctx) as scope:
            pins, titles = await _find_pins(scope, payload)
            target = scope.target
        until = self._database.clock().replace(microsecond=0) + timedelta(hours=payload.hours)
        token = sign_preview(key, Preview(target, pins, int(until.timestamp())))
        return PreviewLinkReply(
            url=f"{self._key.url.rstrip('/')}/preview/{token}/",
            expires_at=until.isoformat(),
            pages=titles,
            message=f"The link shows {pluralize(len(pins), 'page')} for {pluralize(payload.hours, 'hour')}",
        )


async def _find_pins(scope: Scope, payload: CreatePreviewLink) -> tuple[dict[str, int], list[str]]:
    if payload.page_id is not None:
        page = await scope.find_page(payload.page_id)
        number = payload.revision or page.revision
        return {page.id: number}, [(await load_snapshot(scope, page.id, number)).title]
    change_set = await find_set(scope, payload.change_set_id or "")
    edited = await unpublished_pages(scope, change_set) if change_set.state == "open" else []
    pages = [each for each in edited if each.page.kind in SHOWN_KINDS]
    if not pages:
        raise ConflictError(f"The change set '{change_set.name}' has no unpublished edits of pages to show.")
    return {each.page.id: each.last for each in pages}, [each.page.title for each in pages]
