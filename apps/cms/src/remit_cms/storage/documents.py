"""The documents of which a site has one, such as its settings: made with their first edit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlalchemy import select

from remit.tools import Change, Preview, ShownObject
from remit_cms.storage.scope import Scope
from remit_cms.storage.singles import SINGLES
from remit_cms.storage.snapshots import Snapshot, build_snapshot, load_snapshot
from remit_cms.storage.tables import Kind, Page
from remit_cms.storage.transactions import Edit


def describe_document(page: Page, path: str | None, article: str = "", title: str = "") -> str:
    """A document by its kind, title and address; one of which a site has one by its title, since it has no address.

    ``title`` is by default that of its draft.
    """
    name = f"'{title or page.title}'"
    if page.kind in SINGLES:
        return name
    if page.kind == Kind.IMAGE:
        return f"{article}image {name}"
    return f"{article}{page.kind} {name} (/{path or page.slug})"


async def load_title(scope: Scope, page: Page) -> str:
    """The title of a document that visitors see, or that of its draft if they see nothing."""
    return page.title if page.live is None else (await load_snapshot(scope, page.id, page.live)).title


def make_preview(
    summary: str,
    *state: str,
    changes: Iterable[Change] = (),
    remarks: Iterable[Change] = (),
    shows: ShownObject | None = None,
    names: Mapping[str, str] = {},
) -> Preview:
    """What an approver is shown, with a state of all that and of ``state``: revisions, and what the words leave out.

    ``remarks`` come first, and are no part of the state: they void no approval. ``names`` are shown in the title in
    place of the arguments of these names, or where these are left out.
    """
    changes = tuple(changes)
    return Preview(
        summary,
        changes=(*remarks, *changes),
        state=repr((summary, changes, state)),
        names=(*names.items(),),
        shows=shows,
    )


def draft_state(page: Page) -> str:
    """The state of a document, for a preview: its id, its draft and what visitors see."""
    return f"{page.id}@{page.revision} over {page.live}"


async def find_single(scope: Scope, kind: Kind) -> Page | None:
    """The document of a kind of which a site has one; none before its first edit."""
    return (await scope.session.scalars(select(Page).where(scope.target.row_filter(Page), Page.kind == kind))).first()


async def make_document(
    edit: Edit, kind: Kind, title: str, slug: str, *, indexing: bool = False, document: str = "", locale: str = ""
) -> Page:
    """Add a document without sections, with an id of its own or a given one. The caller saves its revision."""
    page = Page(
        **edit.target.row,
        id=document or edit.new_id(kind.value),
        locale=locale or edit.default_locale,
        kind=kind.value,
        slug=slug,
        title=title,
        status="draft",
        indexing=indexing,
        revision=0,
        created_at=edit.now,
        updated_at=edit.now,
    )
    edit.session.add(page)
    await edit.session.flush()
    return page


async def load_document(scope: Scope, kind: Kind, *, live: bool) -> Snapshot | None:
    """The document of a kind as visitors see it, or its draft; None if there is none."""
    page = await find_single(scope, kind)
    if page is None or (live and page.live is None):
        return None
    return await load_snapshot(scope, page.id, page.live) if live and page.live else await build_snapshot(scope, page)
