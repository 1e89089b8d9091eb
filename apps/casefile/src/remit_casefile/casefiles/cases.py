"""The methods on casefiles. A model reads each docstring before it calls."""

from __future__ import annotations

import json

from sqlalchemy import Select, Text, cast, func, or_, select

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import Preview
from remit_casefile.casefiles.access import Level, require_casefile, resolve_level, visibility_condition
from remit_casefile.casefiles.payloads import (
    AddSessionToCasefilePayload,
    ArchiveCasefilePayload,
    CasefileArchivedPayload,
    CasefileCreatedPayload,
    CasefileDeletedPayload,
    CasefilePayload,
    CasefilesPayload,
    CasefileUpdatedPayload,
    CreateCasefilePayload,
    DeleteCasefilePayload,
    GetCasefilePayload,
    ListCasefilesPayload,
    SessionAddedPayload,
    UpdateCasefilePayload,
)
from remit_casefile.casefiles.views import (
    casefile_brief,
    describe_contents,
    describe_texts,
    load_casefile_view,
    load_session_ids,
)
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Casefile, CasefileSession
from remit_casefile.storage.transactions import Edit, View, edit_once, open_view, session_not_found


class Cases:
    """The casefiles of a tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_casefile(self, ctx: LeafContext, payload: CreateCasefilePayload) -> CasefileCreatedPayload:
        """Create a casefile. You own it, and no other user can see it until you grant access."""

        async def work(edit: Edit) -> CasefileCreatedPayload:
            casefile = Casefile(
                id=await edit.draw_unused_id(Casefile, edit.ids.casefile),
                tenant=edit.tenant,
                title=payload.title,
                description=payload.description,
                notes="",
                tags=payload.tags,
                owner=edit.person,
                state="active",
                public_access=None,
                created_at=edit.now,
                updated_at=edit.now,
            )
            edit.session.add(casefile)
            edit.add_change("casefile", casefile.id, name=casefile.title)
            return CasefileCreatedPayload(
                casefile_id=casefile.id, title=casefile.title, created_at=edit.now, created_by=edit.person
            )

        return await edit_once(self._database, ctx, payload, CasefileCreatedPayload, work)

    async def get_casefile(self, ctx: LeafContext, payload: GetCasefilePayload) -> CasefilePayload:
        """Read a casefile: its texts, tags and sessions, and what you may do with it."""
        async with open_view(self._database, ctx) as view:
            casefile = await view.get_casefile(payload.casefile_id)
            level = await resolve_level(view, casefile, view.person)
            return CasefilePayload.model_validate(
                {"casefile": await load_casefile_view(view, casefile), "your_level": level.label}
            )

    async def update_casefile(self, ctx: LeafContext, payload: UpdateCasefilePayload) -> CasefileUpdatedPayload:
        """Change the title, description, tags or notes of a casefile. Omitted fields are not changed."""
        updates = payload.model_dump(exclude={"casefile_id", "expected_notes"}, exclude_none=True)
        expected = payload.expected_notes

        async def work(edit: Edit) -> CasefileUpdatedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            if expected is not None and expected != casefile.notes:
                raise ConflictError(f"The notes of casefile '{casefile.id}' are not the expected ones: read it again.")
            before = {"title": casefile.title, "description": casefile.description}
            before |= {"tags": casefile.tags, "notes": casefile.notes}
            changed = [name for name, value in updates.items() if value != before[name]]
            for name in changed:
                setattr(casefile, name, updates[name])
            if changed:
                casefile.updated_at = edit.now
                edit.add_change("casefile", casefile.id, *changed, name=casefile.title)
            return CasefileUpdatedPayload(casefile=await load_casefile_view(edit, casefile), updated_fields=changed)

        return await edit_once(self._database, ctx, payload, CasefileUpdatedPayload, work)

    async def list_casefiles(self, ctx: LeafContext, payload: ListCasefilesPayload) -> CasefilesPayload:
        """List the casefiles that you may see, filtered by tags, owner or words; the last changed first."""
        async with open_view(self._database, ctx) as view:
            matching = _matching_casefiles(view, payload)
            total = await view.session.scalar(select(func.count()).select_from(matching.subquery())) or 0
            page_query = (
                matching.order_by(Casefile.updated_at.desc(), Casefile.id).limit(payload.limit).offset(payload.offset)
            )
            rows = (await view.session.scalars(page_query)).all()
            return CasefilesPayload(
                casefiles=[casefile_brief(row) for row in rows],
                total_count=total,
                offset=payload.offset,
                limit=payload.limit,
            )

    async def archive_casefile(self, ctx: LeafContext, payload: ArchiveCasefilePayload) -> CasefileArchivedPayload:
        """Archive a casefile, so that it can only be read; or reopen it."""

        async def work(edit: Edit) -> CasefileArchivedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            state = "archived" if payload.archived else "active"
            changed = casefile.state != state
            if changed:
                casefile.state, casefile.updated_at = state, edit.now
                edit.add_change("casefile", casefile.id, "state", name=casefile.title)
            return CasefileArchivedPayload(casefile_id=casefile.id, state=state, changed=changed)

        return await edit_once(self._database, ctx, payload, CasefileArchivedPayload, work)

    async def delete_casefile(self, ctx: LeafContext, payload: DeleteCasefilePayload) -> CasefileDeletedPayload:
        """Delete a casefile of yours with its contents, after the person confirms it."""
        if not payload.confirm:
            return await self._request_confirmation(ctx, payload)

        async def work(edit: Edit) -> CasefileDeletedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            message = f"Deleted the casefile '{casefile.title}' with {await describe_contents(edit, casefile)}."
            await edit.session.delete(casefile)
            edit.add_change("casefile", casefile.id, name=casefile.title)
            return CasefileDeletedPayload(
                casefile_id=casefile.id, title=casefile.title, deleted_at=edit.now, message=message
            )

        return await edit_once(self._database, ctx, payload, CasefileDeletedPayload, work)

    async def add_session_to_casefile(
        self, ctx: LeafContext, payload: AddSessionToCasefilePayload
    ) -> SessionAddedPayload:
        """Add one of your sessions to a casefile. A session without a casefile works in this one from now on."""

        async def work(edit: Edit) -> SessionAddedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            session = await edit.get_session(payload.session_id)
            if session.user != edit.person:
                raise session_not_found(payload.session_id)
            if session.state == "closed":
                raise ConflictError(f"Session '{session.id}' is closed; begin a new one, and add that.")
            if await edit.session.get(CasefileSession, (casefile.id, session.id)) is None:
                edit.session.add(CasefileSession(casefile=casefile.id, session=session.id))
                edit.add_change("casefile", casefile.id, "session_ids", name=casefile.title)
            if session.casefile is None:
                session.casefile = casefile.id
                edit.add_change("session", session.id, "casefile_id")
            await edit.session.flush()
            return SessionAddedPayload(
                casefile_id=casefile.id,
                session_id=session.id,
                session_type=payload.session_type,
                session_ids=await load_session_ids(edit, casefile),
            )

        return await edit_once(self._database, ctx, payload, SessionAddedPayload, work)

    async def preview_deletion(self, ctx: LeafContext, payload: DeleteCasefilePayload) -> Preview:
        """The casefile to delete, for the approver: its title, contents and texts, all of which would be lost."""
        async with open_view(self._database, ctx) as view:
            casefile = await require_casefile(view, payload.casefile_id, Level.OWNER)
            contents = await describe_contents(view, casefile)
            summary = "\n".join([f"the casefile '{casefile.title}' with {contents}", *describe_texts(casefile)])
            state = f"{casefile.id}, {summary}, changed {casefile.updated_at.isoformat()}"
            return Preview(summary, state=state, names=(("casefile_id", casefile.title),))

    async def _request_confirmation(self, ctx: LeafContext, payload: DeleteCasefilePayload) -> CasefileDeletedPayload:
        async with open_view(self._database, ctx) as view:
            casefile = await view.get_casefile(payload.casefile_id)
            message = (
                f"This would delete the casefile '{casefile.title}' with {await describe_contents(view, casefile)}. "
                "Nothing is deleted until the person agrees."
            )
            if not ctx.caller.conversation:
                message += " Call it again with confirm true: a person is asked then."
            return CasefileDeletedPayload(
                casefile_id=casefile.id, title=casefile.title, deleted_at=None, message=message
            )


def _matching_casefiles(view: View, filters: ListCasefilesPayload) -> Select[Casefile]:
    """The casefiles that match the filters and that the caller may see."""
    query = select(Casefile).where(visibility_condition(view))
    if filters.user_id is not None:
        query = query.where(Casefile.owner == filters.user_id)
    if filters.tags:
        query = query.where(or_(*(func.has_item(cast(Casefile.tags, Text), json.dumps(tag)) for tag in filters.tags)))
    for word in filters.search_query.casefold().split():
        texts = (Casefile.title, Casefile.description, Casefile.notes)
        query = query.where(or_(*(func.casefold(text).contains(word, autoescape=True) for text in texts)))
    return query
