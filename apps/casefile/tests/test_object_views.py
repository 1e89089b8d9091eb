"""What people see of a casefile beside the agent: what they may see, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from apps.casefile.tests.office import Office
from remit import Principal
from remit.object_views import ObjectView, Viewer
from remit_casefile.object_views import object_views
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import DriveFile, GmailMessage, SheetRange

MAIL: dict[str, Any] = {
    "id": "m1",
    "thread_id": "t1",
    "history_id": "1",
    "label_ids": [],
    "received_at": "2026-09-04T08:00:00Z",
    "message_id": "<1@mill.example>",
    "sender": "Tomasz Wrona",
    "to": "ann",
    "cc": "",
    "subject": "25 sacks wet",
    "snippet": "",
    "text": "All of them.",
    "attachments": [],
}
FILE = {"id": "f1", "name": "invoice.pdf", "mime_type": "application/pdf"}
CELLS = {"spreadsheet_id": "s1", "range": "Deliveries!A40:C61", "values": [["1", "2"]]}


@pytest.fixture
def office(database: Database) -> Office:
    return Office(database)


@pytest.fixture
def view(database: Database) -> ObjectView:
    (view,) = object_views(database)
    return view


def viewer(name: str = "ann", tenant: str = "default", *permissions: str) -> Viewer:
    return Viewer(principal=Principal(name, tenant, frozenset(permissions or {"casefiles:read"})))


async def make_casefile(office: Office, database: Database) -> str:
    """A casefile of ann with a mail, a file and cells."""
    made = await office.call("create_casefile", title="Seidel mill", description="What it owes us.", tags=["flour"])
    casefile = made["casefile_id"]
    await office.call("update_casefile", casefile_id=casefile, notes="412.50 € for 25 sacks.")
    copies: list[tuple[Any, dict[str, Any]]] = [(GmailMessage, MAIL), (DriveFile, FILE), (SheetRange, CELLS)]
    async with database.write() as session:
        for table, data in copies:
            at = datetime(2026, 9, 5, tzinfo=UTC)
            session.add(table(casefile=casefile, id=str(data.get("id", "s1")), data=data, kept=True, synced_at=at))
    return casefile


async def test_a_casefile_is_shown_with_its_notes_mails_files_and_cells(
    office: Office, database: Database, view: ObjectView
) -> None:
    casefile = await make_casefile(office, database)
    (row,) = await view.rows(viewer())
    assert (row.id, row.name, row.note) == (casefile, "Seidel mill", "ann · flour")
    found = await view.detail(viewer(), casefile)
    assert found is not None
    assert (found.name, found.note) == ("Seidel mill", "ann owns it · you are its owner")
    assert [(each.title, each.text, each.rows) for each in found.sections] == [
        ("About", "What it owes us.", ()),
        ("Notes", "412.50 € for 25 sacks.", ()),
        ("Kept mails", "", (("Tomasz Wrona", "25 sacks wet", "4 September 2026"),)),
        ("Files", "", (("invoice.pdf",),)),
        ("Cells", "", (("Deliveries!A40:C61",),)),
    ]
    assert [each.label for each in found.actions] == ["Delete…", "Archive"]


async def test_who_may_only_read_a_casefile_can_do_nothing_with_it(
    office: Office, database: Database, view: ObjectView
) -> None:
    casefile = await make_casefile(office, database)
    assert await view.detail(viewer("bob"), casefile) is None
    assert await view.rows(viewer("bob")) == ()
    await office.call("grant_permission", casefile_id=casefile, target_user_id="bob", permission="viewer")
    found = await view.detail(viewer("bob"), casefile)
    assert found is not None
    assert (found.note, found.actions) == ("ann owns it · you are its viewer", ())


async def test_a_casefile_does_not_exist_for_another_tenant_or_without_the_permission(
    office: Office, database: Database, view: ObjectView
) -> None:
    casefile = await make_casefile(office, database)
    for other in (viewer("ann", "elsewhere"), viewer("ann", "default", "casefiles:write")):
        assert await view.rows(other) == ()
        assert await view.detail(other, casefile) is None
    assert await view.detail(viewer(), "cf_none") is None


async def test_casefiles_are_searched_and_archived_ones_stand_apart(
    office: Office, database: Database, view: ObjectView
) -> None:
    casefile = await make_casefile(office, database)
    await office.call("create_casefile", title="Stollen 100%")
    assert [each.name for each in await view.rows(viewer(), "owes")] == ["Seidel mill"]
    assert [each.name for each in await view.rows(viewer(), "100%")] == ["Stollen 100%"]
    assert await view.rows(viewer(), "_") == ()
    await office.call("archive_casefile", casefile_id=casefile, archived=True)
    groups = {each.name: each.group for each in await view.rows(viewer())}
    assert groups == {"Seidel mill": "Archived", "Stollen 100%": ""}
    found = await view.detail(viewer(), casefile)
    assert found is not None
    assert [(each.label, each.arguments["archived"]) for each in found.actions[1:]] == [("Reopen", False)]
