"""Payloads and replies of publishing, history, the trash and change sets."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from remit.tools import Reference, entity
from remit_cms.models import (
    CursorPayload,
    DocumentReference,
    DocumentReply,
    GuardedPayload,
    Line,
    ListPayload,
    ListReply,
    LocaleCode,
    OmittedIfNone,
    OptionalParam,
    PageName,
    Payload,
    ReadPayload,
    RevisionNumber,
    SlugText,
    View,
    WritePayload,
    WriteReply,
)
from remit_cms.pages.payloads import MetaView, PageBrief
from remit_cms.sections.payloads import SectionView
from remit_cms.storage.differences import Difference

_PAGE = "Id, slug or exact title of the page"
_DELETED = "Id, slug or exact title of the page in the trash"
_SET = "Id or name of another change set than that of this conversation"
_PUBLISHED = "Id or name of another published change set than the last one of this conversation"
_LIMIT = "Most to give (1-100)"

_DeletedPage = Annotated[str, Field(min_length=1, max_length=200), Reference("deleted-page")]
_SetReference = Annotated[str, Field(min_length=1, max_length=200), Reference("change-set")]
_Removable = Annotated[str, Field(min_length=1, max_length=500), Reference("removable")]
_Pages = Annotated[list[DocumentReference], Field(min_length=1, max_length=50)]


class OnePage(Payload):
    """A page."""

    page_id: DocumentReference = Field(description=_PAGE)


class PublishPage(OnePage, WritePayload):
    """The page to publish."""


class UnpublishPage(OnePage, WritePayload):
    """The page to unpublish."""


class GetLivePage(CursorPayload):
    """The live page to read."""

    page_id: PageName = Field(description="Address, id, slug or exact title of the page")
    locale_code: OptionalParam[LocaleCode] = Field(
        default=None, description="Code of a language of the site; the main one if omitted"
    )


class ListRevisions(OnePage, ListPayload):
    """The page whose revisions to list."""

    limit: int = Field(default=20, description=_LIMIT, ge=1, le=100)


class CompareRevisions(OnePage, CursorPayload):
    """The revisions to compare."""

    before: OptionalParam[RevisionNumber] = Field(default=None, description="A revision; the live one if omitted")
    after: OptionalParam[RevisionNumber] = Field(default=None, description="A revision; the draft if omitted")


class RevertPage(OnePage, WritePayload):
    """The page, and the revision to go back to."""

    revision: RevisionNumber = Field(description="The revision to go back to, from cms_listRevisions")


class ListTrash(ListPayload):
    """What to list of the trash."""


class RestorePage(WritePayload):
    """The page to restore."""

    page_id: _DeletedPage = Field(description=_DELETED)
    slug: OptionalParam[SlugText] = Field(default=None, description="Another slug, if its own is taken by now")


class PurgePage(GuardedPayload):
    """The page to purge."""

    page_id: _DeletedPage = Field(description=_DELETED)


class ListChangeSets(ListPayload):
    """The change sets to list."""

    include_closed: bool = Field(default=False, description="Also published, reverted and discarded ones")
    limit: int = Field(default=20, description=_LIMIT, ge=1, le=100)


class OneSet(Payload):
    """A change set."""

    change_set_id: OptionalParam[_SetReference] = Field(default=None, description=_SET)


class GetChangeSet(OneSet, ReadPayload, CursorPayload):
    """The change set to look at."""


class CreateChangeSet(Payload):
    """A new change set."""

    name: Annotated[str, Line] = Field(min_length=1, max_length=200, description="What the changes are for")
    page_ids: _Pages = Field(description="Ids, slugs or exact titles of the edited pages")


class AddToChangeSet(OneSet, WritePayload):
    """Pages whose unpublished edits to add."""

    page_ids: _Pages = Field(description="Ids, slugs or exact titles of the edited pages")


class RemoveWithChangeSet(WritePayload):
    """What is to go with a change set."""

    page_id: _Removable = Field(description="Id, slug or exact title of the page, post or entry; or name of an image")
    removal: Literal["delete", "hide", "none"] = Field(description="hide: its draft stays; none: it stays after all")
    change_set_id: OptionalParam[_SetReference] = Field(default=None, description=_SET)


class PublishChangeSet(OneSet, WritePayload):
    """The change set to publish."""


class DiscardChangeSet(OneSet, WritePayload):
    """The change set to discard."""


class RevertChangeSet(WritePayload):
    """The published change set to revert."""

    change_set_id: OptionalParam[_SetReference] = Field(default=None, description=_PUBLISHED)


class PageState(PageBrief):
    """A page: its draft's newest revision, and the live one with its address."""

    revision: int
    live_revision: OmittedIfNone[int] = None
    live_path: OmittedIfNone[str] = None


class PageStateReply(WriteReply):
    """One page after the operation. What visitors see was changed by ``change_set_id``, which can be reverted."""

    page: PageState
    change_set_id: OmittedIfNone[str] = None


@entity("page", name="title")
class LivePageView(View):
    """A page as visitors see it. ``redirected_from`` is the address that was asked for, if the page has left it."""

    id: str
    title: str
    live_path: str
    revision: int
    redirected_from: OmittedIfNone[str] = None
    indexing: bool
    meta: OmittedIfNone[MetaView] = None
    locale_code: str
    untranslated: OmittedIfNone[dict[str, str]] = None
    sections: list[SectionView]


class LivePageReply(ListReply):
    """A live page. ``total`` counts its sections."""

    page: LivePageView


class RevisionView(View):
    """A revision: who made it, in which run, by which operation, and in which change set."""

    revision: int
    action: str
    author: str
    run: str
    created_at: datetime
    change_set_id: OmittedIfNone[str] = None
    is_live: OmittedIfNone[bool] = None


class RevisionsReply(ListReply):
    """Revisions of a page, newest first."""

    page_id: str
    revisions: list[RevisionView]


class DifferencesReply(ListReply):
    """What differs between two revisions of a page; ``before`` or ``after`` is empty where there is nothing."""

    page_id: str
    before: OmittedIfNone[int] = None
    after: int
    differences: list[Difference]


class TrashedPageView(View):
    """A page in the trash, or an object of another kind."""

    id: str
    kind: OmittedIfNone[str] = None
    title: str
    slug: str
    deleted_by: str
    deleted_at: datetime


class TrashReply(ListReply):
    """Deleted pages, newest first."""

    pages: list[TrashedPageView]


class PurgeReply(WriteReply):
    """A page of which nothing is left."""

    page_id: str


@entity("change-set")
class ChangeSetBrief(View):
    """A change set in a list."""

    id: str
    name: str
    state: str
    author: str


class PageChanges(View):
    """The difference between the live page and what the change set makes of it."""

    page_id: str
    title: str
    revision: int
    live_revision: OmittedIfNone[int] = None
    differences: list[Difference]
    blocked: OmittedIfNone[str] = None


class ChangeSetView(ChangeSetBrief):
    """A change set, and for each page what would be different for visitors."""

    pages: list[PageChanges]


class ChangeSetsReply(ListReply):
    """Change sets, newest first."""

    change_sets: list[ChangeSetBrief]


class ChangeSetReply(DocumentReply, ListReply):
    """One change set. ``total`` counts its pages."""

    change_set: ChangeSetView


class RemovalReply(WriteReply):
    """A document, and the change set with which it goes or stays."""

    change_set: ChangeSetBrief
    page: PageState


class ChangeSetMoveReply(WriteReply):
    """What became of a change set and its pages."""

    change_set: ChangeSetBrief
    pages: list[PageState]
