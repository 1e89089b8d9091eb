"""The tables. Everything an editor sees belongs to one site and environment."""

from __future__ import annotations

import enum
from datetime import datetime
from typing import Final

from pydantic import JsonValue
from sqlalchemy import (
    JSON,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    String,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, validates

from remit.database import UtcDateTime
from remit_cms.models import Content
from remit_cms.storage.keys import key_of_column, name_key


class Base(DeclarativeBase):
    """Base class of the tables."""


class Site(Base):
    """A site, by its key. A run works on the site of its tenant that its target names, or else on the first one."""

    __tablename__ = "sites"
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(200), index=True)
    name: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Environment(Base):
    """An environment of a site, such as main.

    ``version`` counts the changes of what visitors see, ``edits`` those of anything, and ``vectors`` those of the
    vectors that search by meaning compares.
    """

    __tablename__ = "environments"
    site: Mapped[str] = mapped_column(ForeignKey("sites.key", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    is_default: Mapped[bool]
    version: Mapped[int] = mapped_column(default=0)
    edits: Mapped[int] = mapped_column(default=0)
    vectors: Mapped[int] = mapped_column(default=0)


class Locale(Base):
    """A language of a site, such as en or de-AT."""

    __tablename__ = "locales"
    site: Mapped[str] = mapped_column(ForeignKey("sites.key", ondelete="CASCADE"), primary_key=True)
    code: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    is_default: Mapped[bool]


class Scoped:
    """Columns of rows that belong to a site and environment."""

    site: Mapped[str] = mapped_column(String(64))
    environment: Mapped[str] = mapped_column(String(64))


def _environment_foreign_key() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["site", "environment"], ["environments.site", "environments.name"], ondelete="CASCADE")


# Conditions of indexes on Postgres are in the migrations alone: `postgresql_where` loads its drivers.
_IS_ROOT_PAGE: Final = text("parent IS NULL")


class Kind(enum.StrEnum):
    """What a document is: a row of ``pages``, which all have drafts, revisions and a live pointer."""

    PAGE = "page"
    ENTRY = "entry"
    """An entry of a collection, such as a post. Its one section has the collection's template."""
    SETTINGS = "settings"
    """The settings of the site, in one section."""
    NAVIGATION = "navigation"
    """The navigation of the site: each item is a section."""
    REDIRECTS = "redirects"
    """The redirects that the owner of the site makes: each is a section."""
    IMAGE = "image"
    """An image: its texts and focal point, in one section. The rest of it is in `remit_cms.storage.images`."""


NAMED_KINDS: Final = tuple(kind for kind in Kind if kind is not Kind.IMAGE)
"""The kinds of documents that are found by address, slug or title. Images are found by tools of their own."""

REMOVABLE_KINDS: Final = (Kind.PAGE, Kind.ENTRY, Kind.IMAGE)
"""The kinds of documents that can go with a change set."""


class Page(Scoped, Base):
    """A page's draft, or that of another document, by ``kind``.

    ``locale`` is the language of its title and slug, ``revision`` the number of its newest revision, ``last_section``
    and ``last_item`` are those of the section and the item of a list that were made last.
    ``live`` is the revision that visitors see, at the address ``live_path``; both are null while there is none.
    """

    __tablename__ = "pages"
    __table_args__ = (
        _environment_foreign_key(),
        ForeignKeyConstraint(["site", "locale"], ["locales.site", "locales.code"]),
        # Two, since null is no parent like another: pages at the root are compared among themselves.
        Index("pages_slug", "site", "environment", "locale", "parent", "slug", unique=True),
        Index("pages_live_path", "site", "environment", "locale", "live_path", unique=True),
        Index("pages_any_slug", "site", "environment", "slug"),
        Index("pages_title_key", "site", "environment", "title_key"),
        Index(
            "pages_root_slug",
            "site",
            "environment",
            "locale",
            "slug",
            unique=True,
            sqlite_where=_IS_ROOT_PAGE,
        ),
    )
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    locale: Mapped[str] = mapped_column(String(16))
    kind: Mapped[str] = mapped_column(String(16), default=Kind.PAGE.value)
    parent: Mapped[str | None] = mapped_column(ForeignKey("pages.id", ondelete="RESTRICT"))
    slug: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    title_key: Mapped[str] = mapped_column(Text, default=key_of_column("title"), server_default="")
    status: Mapped[str] = mapped_column(String(16))
    indexing: Mapped[bool]
    meta_title: Mapped[str | None] = mapped_column(String(200))
    meta_description: Mapped[str | None] = mapped_column(String(500))
    revision: Mapped[int]
    last_section: Mapped[int] = mapped_column(default=0)
    last_item: Mapped[int] = mapped_column(default=0)
    live: Mapped[int | None]
    live_path: Mapped[str | None] = mapped_column(String(500))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)

    @validates("title")
    def _keep_title_key(self, _column: str, title: str) -> str:
        self.title_key = name_key(title)
        return title


class PageTranslation(Scoped, Base):
    """The title, slug and search engine texts of a page's draft in another locale than its own. Null falls back."""

    __tablename__ = "page_translations"
    __table_args__ = (
        _environment_foreign_key(),
        Index("page_translations_slug", "site", "environment", "locale", "slug", unique=True),
        Index("page_translations_any_slug", "site", "environment", "slug"),
        Index("page_translations_title_key", "site", "environment", "title_key"),
    )
    page: Mapped[str] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), primary_key=True)
    locale: Mapped[str] = mapped_column(String(16), primary_key=True)
    title: Mapped[str | None] = mapped_column(String(200))
    title_key: Mapped[str | None] = mapped_column(Text, default=key_of_column("title"))
    slug: Mapped[str | None] = mapped_column(String(64))
    meta_title: Mapped[str | None] = mapped_column(String(200))
    meta_description: Mapped[str | None] = mapped_column(String(500))

    @validates("title")
    def _keep_title_key(self, _column: str, title: str | None) -> str | None:
        self.title_key = None if title is None else name_key(title)
        return title


class LivePath(Scoped, Base):
    """An address at which a page is live. A page has one in every locale of the site."""

    __tablename__ = "live_paths"
    __table_args__ = (_environment_foreign_key(), Index("live_paths_page", "page"))
    site: Mapped[str] = mapped_column(String(64), primary_key=True)
    environment: Mapped[str] = mapped_column(String(64), primary_key=True)
    locale: Mapped[str] = mapped_column(String(16), primary_key=True)
    path: Mapped[str] = mapped_column(String(500), primary_key=True)
    page: Mapped[str] = mapped_column(String(64))


class Link(Scoped, Base):
    """A place in a draft, or in a live object, that links to an object of the site. Derived from snapshots."""

    __tablename__ = "links"
    __table_args__ = (_environment_foreign_key(), Index("links_target", "site", "environment", "target"))
    source_kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    source: Mapped[str] = mapped_column(String(64), primary_key=True)
    live: Mapped[bool] = mapped_column(primary_key=True)
    target_kind: Mapped[str] = mapped_column(String(16), primary_key=True)
    target: Mapped[str] = mapped_column(String(64), primary_key=True)
    place: Mapped[str] = mapped_column(String(200), primary_key=True)


class SectionDefinition(Scoped, Base):
    """A section template of a site, or that of documents of another ``kind``. ``structure`` is rows of slots."""

    __tablename__ = "section_definitions"
    __table_args__ = (_environment_foreign_key(), UniqueConstraint("site", "environment", "key"))
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    key: Mapped[str] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(String(200))
    description: Mapped[str] = mapped_column(String(1000))
    structure: Mapped[dict[str, JsonValue]] = mapped_column(JSON)
    kind: Mapped[str] = mapped_column(String(16), default=Kind.PAGE.value)


class PageSection(Base):
    """A section on a page. Its site and environment are the page's.

    ``number`` counts the sections of a page; one is never given twice. ``lists`` has the ids of the items of each list,
    in order; what they contain is in the contents, by locale, slot and item.
    """

    __tablename__ = "page_sections"
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    page: Mapped[str] = mapped_column(ForeignKey("pages.id", ondelete="CASCADE"), index=True)
    definition: Mapped[str] = mapped_column(ForeignKey("section_definitions.id", ondelete="RESTRICT"))
    sort_order: Mapped[int]
    number: Mapped[int] = mapped_column(default=0)
    lists: Mapped[dict[str, list[str]]] = mapped_column(JSON, default=dict)


class SectionContent(Base):
    """A section's content in one locale."""

    __tablename__ = "page_section_contents"
    section: Mapped[str] = mapped_column(ForeignKey("page_sections.id", ondelete="CASCADE"), primary_key=True)
    locale: Mapped[str] = mapped_column(String(16), primary_key=True)
    content: Mapped[Content] = mapped_column(JSON)


class Revision(Scoped, Base):
    """A page after one write. Never changed, and kept after the page is deleted.

    ``author`` is the principal's name, ``run`` the run that wrote, ``action`` the operation.
    """

    __tablename__ = "revisions"
    __table_args__ = (_environment_foreign_key(), Index("revisions_run", "run"))
    page: Mapped[str] = mapped_column(String(64), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    action: Mapped[str] = mapped_column(String(64))
    author: Mapped[str] = mapped_column(String(200))
    run: Mapped[str] = mapped_column(Text)
    snapshot: Mapped[dict[str, JsonValue]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Publication(Scoped, Base):
    """One move of a page's live pointer, from one revision to another; null is not live. Rows are only added.

    ``overruled`` are the redirects that ended, because the page got their addresses: locale, path and page of each.
    """

    __tablename__ = "publications"
    __table_args__ = (_environment_foreign_key(), Index("publications_change_set", "change_set"))
    page: Mapped[str] = mapped_column(String(64), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    before: Mapped[int | None]
    after: Mapped[int | None]
    change_set: Mapped[str | None] = mapped_column(String(64))
    overruled: Mapped[list[list[str]]] = mapped_column(JSON, default=list)
    author: Mapped[str] = mapped_column(String(200))
    run: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Redirect(Scoped, Base):
    """An address under which a page was live. It names the page, so that redirects form no chain.

    Those that the owner of a site makes are sections of a document: `Kind.REDIRECTS`.
    """

    __tablename__ = "redirects"
    __table_args__ = (_environment_foreign_key(), Index("redirects_page", "page"))
    site: Mapped[str] = mapped_column(String(64), primary_key=True)
    environment: Mapped[str] = mapped_column(String(64), primary_key=True)
    locale: Mapped[str] = mapped_column(String(16), primary_key=True)
    path: Mapped[str] = mapped_column(String(500), primary_key=True)
    page: Mapped[str] = mapped_column(String(64))


class TrashedPage(Scoped, Base):
    """A deleted page, which can be restored from its last revision."""

    __tablename__ = "trash"
    __table_args__ = (_environment_foreign_key(),)
    page: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16), default=Kind.PAGE.value)
    title: Mapped[str] = mapped_column(String(200))
    slug: Mapped[str] = mapped_column(String(64))
    revision: Mapped[int]
    author: Mapped[str] = mapped_column(String(200))
    deleted_at: Mapped[datetime] = mapped_column(UtcDateTime)


_IS_OPEN: Final = text("state = 'open'")


class ChangeSet(Scoped, Base):
    """Edits that are published together, and what has been. Its claims say which.

    ``conversation`` is null if a person made the set from drafts. ``state`` is open, scheduled, published, reverted or
    discarded.
    """

    __tablename__ = "change_sets"
    __table_args__ = (
        _environment_foreign_key(),
        Index(
            "change_sets_open",
            "site",
            "environment",
            "conversation",
            unique=True,
            sqlite_where=_IS_OPEN,
        ),
    )
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    name: Mapped[str] = mapped_column(String(200))
    conversation: Mapped[str | None] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))
    author: Mapped[str] = mapped_column(String(200))
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)


class Claim(Base):
    """What a change set wants of a document: that visitors see the edit of a revision, or with number 0 nothing of it.

    It is pending while the set is open or scheduled, and fulfilled once the set is published.
    """

    __tablename__ = "claims"
    __table_args__ = (Index("claims_page", "page", "number"),)
    change_set: Mapped[str] = mapped_column(ForeignKey("change_sets.id", ondelete="CASCADE"), primary_key=True)
    page: Mapped[str] = mapped_column(String(64), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)


class ScheduledAction(Scoped, Base):
    """When a change set is to be carried out. ``approved`` is what was approved of each document: see `Approval`.

    ``approvers`` are the names of the people who approved it. ``call`` is the run of the scheduled call that carries it
    out, which no other may.
    """

    __tablename__ = "scheduled_actions"
    __table_args__ = (_environment_foreign_key(), Index("scheduled_actions_set", "change_set"))
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    action: Mapped[str] = mapped_column(String(16))
    kind: Mapped[str] = mapped_column(String(16))
    object_id: Mapped[str] = mapped_column(String(64))
    title: Mapped[str] = mapped_column(String(200))
    change_set: Mapped[str] = mapped_column(ForeignKey("change_sets.id", ondelete="CASCADE"))
    approved: Mapped[dict[str, JsonValue]] = mapped_column(JSON)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    state: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str | None] = mapped_column(String(1000))
    call: Mapped[str] = mapped_column(String(64))
    author: Mapped[str] = mapped_column(String(200))
    approvers: Mapped[list[str]] = mapped_column(JSON)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)
