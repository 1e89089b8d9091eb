"""How people see casefiles beside the agent: the notes, and the mails, files and cells that are kept in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import or_, select

from remit.errors import NotFoundError
from remit.object_views import ObjectAction, ObjectDetail, ObjectRow, ObjectSection, ObjectView, Viewer
from remit_casefile.casefiles.access import Level, resolve_level, visibility_condition
from remit_casefile.google.payloads.drive import FileView
from remit_casefile.google.payloads.gmail import MessageView
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Casefile, DriveFile, GmailMessage, SheetRange
from remit_casefile.storage.transactions import View, open_view
from remit_casefile.workspace.reading_payloads import CellsView

_READ: Final = "casefiles:read"
_MOST: Final = 100
"""The most mails, files and ranges that are shown; the tools list all of them."""


def object_views(database: Database) -> list[ObjectView]:
    """The views of what the tools change."""
    views = _CasefileViews(database)
    return [ObjectView(kind="casefile", title="Casefiles", open=views.open, list=views.list)]


class _CasefileViews:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, viewer: Viewer, search: str, limit: int) -> Sequence[ObjectRow]:
        """The casefiles that the viewer may see, the last changed first."""
        if not viewer.principal.may(_READ):
            return ()
        async with open_view(self._database, viewer) as view:
            query = select(Casefile).where(visibility_condition(view))
            if search:
                texts = (Casefile.title, Casefile.description)
                query = query.where(or_(*(each.icontains(search, autoescape=True) for each in texts)))
            rows = await view.session.scalars(query.order_by(Casefile.updated_at.desc(), Casefile.id).limit(limit))
            return [
                ObjectRow(
                    id=row.id,
                    name=row.title,
                    note=" · ".join([row.owner, *row.tags]),
                    group="Archived" if row.state == "archived" else "",
                    at=row.updated_at.timestamp(),
                )
                for row in rows
            ]

    async def open(self, viewer: Viewer, id: str) -> ObjectDetail | None:  # noqa: A002 - as views name it
        """A casefile with its notes and copies."""
        if not viewer.principal.may(_READ):
            return None
        async with open_view(self._database, viewer) as view:
            try:
                casefile = await view.get_casefile(id)
            except NotFoundError:
                return None
            level = await resolve_level(view, casefile, view.person)
            if level is Level.NONE:
                return None
            return ObjectDetail(
                name=casefile.title,
                note=f"{casefile.owner} owns it · you are its {level.label}",
                sections=await _load_sections(view, casefile),
                actions=_list_actions(casefile, level),
            )


async def _load_sections(view: View, casefile: Casefile) -> Sequence[ObjectSection]:
    newest = GmailMessage.data["received_at"].as_string().desc()
    mails = select(GmailMessage.data).where(GmailMessage.casefile == casefile.id).order_by(newest).limit(_MOST)
    files = select(DriveFile.data).where(DriveFile.casefile == casefile.id).order_by(DriveFile.id).limit(_MOST)
    cells = select(SheetRange.data).where(SheetRange.casefile == casefile.id).order_by(SheetRange.id).limit(_MOST)
    kept_mails = [MessageView.model_validate(data) for data in await view.session.scalars(mails)]
    kept_files = [FileView.model_validate(data) for data in await view.session.scalars(files)]
    kept_cells = [CellsView.model_validate(data) for data in await view.session.scalars(cells)]
    sections = [
        ObjectSection(title="About", text=casefile.description),
        ObjectSection(title="Notes", text=casefile.notes),
        ObjectSection(
            title="Kept mails",
            columns=("From", "Subject", "Date"),
            rows=[(each.sender, each.subject, _format_day(each)) for each in kept_mails],
        ),
        ObjectSection(title="Files", columns=("Name",), rows=[(each.name,) for each in kept_files]),
        ObjectSection(title="Cells", columns=("Range",), rows=[(each.range,) for each in kept_cells]),
    ]
    return [each for each in sections if each.text or each.rows]


def _format_day(message: MessageView) -> str:
    at = message.received_at
    return "" if at is None else f"{at.day} {at:%B %Y}"


def _list_actions(casefile: Casefile, level: Level) -> list[ObjectAction]:
    arguments = {"casefile_id": casefile.id}
    actions = list[ObjectAction]()
    if level is Level.OWNER:
        deleting = {**arguments, "confirm": True}
        actions.append(ObjectAction(label="Delete…", tool="delete_casefile", arguments=deleting, destructive=True))
    if level >= Level.EDITOR:
        is_archived = casefile.state == "archived"
        label = "Reopen" if is_archived else "Archive"
        archiving = {**arguments, "archived": not is_archived}
        actions.append(ObjectAction(label=label, tool="archive_casefile", arguments=archiving))
    return actions
