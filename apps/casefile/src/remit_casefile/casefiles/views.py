"""Views of casefiles and of their access lists."""

from __future__ import annotations

from typing import Final

from sqlalchemy import func, select

from remit_casefile.casefiles.access import is_expired
from remit_casefile.casefiles.access_list_payloads import GrantView
from remit_casefile.casefiles.payloads import CasefileBrief, CasefileView
from remit_casefile.storage.tables import Casefile, CasefileSession, DriveFile, GmailMessage, Grant, SheetRange
from remit_casefile.storage.transactions import View

_CONTENT_TABLES: Final = (
    (CasefileSession, "session"),
    (Grant, "grant"),
    (GmailMessage, "message"),
    (DriveFile, "file"),
    (SheetRange, "range of cells"),
)


def casefile_brief(casefile: Casefile) -> CasefileBrief:
    """A casefile in a list."""
    return CasefileBrief.model_validate(_brief_fields(casefile))


async def load_casefile_view(view: View, casefile: Casefile) -> CasefileView:
    """A casefile with its texts and sessions."""
    more = {
        "description": casefile.description,
        "notes": casefile.notes,
        "public_access": casefile.public_access,
        "created_at": casefile.created_at,
        "session_ids": await load_session_ids(view, casefile),
    }
    return CasefileView.model_validate({**_brief_fields(casefile), **more})


async def load_session_ids(view: View, casefile: Casefile) -> list[str]:
    """The ids of the sessions that were added to a casefile."""
    query = select(CasefileSession.session).where(CasefileSession.casefile == casefile.id)
    return list((await view.session.scalars(query.order_by(CasefileSession.session))).all())


_SHOWN_CHARS = 400
"""How much of each text an approver is shown. The summary of a preview has at most 2,000 characters."""


async def describe_contents(view: View, casefile: Casefile) -> str:
    """What is deleted with a casefile: ``2 sessions, 1 grant``."""
    counts: list[str] = []
    for table, name in _CONTENT_TABLES:
        query = select(func.count()).select_from(table).where(table.casefile == casefile.id)
        number = await view.session.scalar(query) or 0
        if number:
            first, _, rest = name.partition(" ")
            counts.append(f"{number:,} {name}" if number == 1 else f"{number:,} {first}s {rest}".rstrip())
    return ", ".join(counts) or "nothing in it"


def describe_texts(casefile: Casefile) -> list[str]:
    """The texts that are deleted with a casefile, a line each: their beginning and their length."""
    texts = {"description": casefile.description, "tags": ", ".join(casefile.tags), "notes": casefile.notes}
    shown = {name: text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…" for name, text in texts.items()}
    return [f"{name} ({len(text):,} characters): {shown[name]}" for name, text in texts.items() if text]


def grant_view(view: View, grant: Grant) -> GrantView:
    """An entry of an access list."""
    return GrantView.model_validate(
        {
            "user_id": grant.user,
            "permission": grant.level,
            "granted_by": grant.granted_by,
            "granted_at": grant.granted_at,
            "expires_at": grant.expires_at,
            "expired": is_expired(grant, view),
            "notes": grant.notes,
        }
    )


def _brief_fields(casefile: Casefile) -> dict[str, object]:
    return {
        "casefile_id": casefile.id,
        "title": casefile.title,
        "tags": casefile.tags,
        "owner_id": casefile.owner,
        "state": casefile.state,
        "updated_at": casefile.updated_at,
    }
