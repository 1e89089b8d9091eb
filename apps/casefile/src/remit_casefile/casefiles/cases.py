"""The methods on casefiles. A model reads each docstring before it calls."""

from __future__ import annotations

from sqlalchemy import Select, func, or_, select

from remit import LeafContext
from remit.errors import ConflictError
from remit.tools import Preview
from remit_casefile.casefiles.access import Level, require_casefile, resolve_level, visibility_condition
from remit_casefile.casefiles.payloads import (
    AddSessionToCasefileRequest,
    AddSessionToCasefileResponse,
    ArchiveCasefileRequest,
    ArchiveCasefileResponse,
    CasefileArchivedPayload,
    CasefileCreatedPayload,
    CasefileDeletedPayload,
    CasefilePayload,
    CasefilesPayload,
    CasefileUpdatedPayload,
    CreateCasefileRequest,
    CreateCasefileResponse,
    DeleteCasefilePayload,
    DeleteCasefileRequest,
    DeleteCasefileResponse,
    GetCasefileRequest,
    GetCasefileResponse,
    ListCasefilesPayload,
    ListCasefilesRequest,
    ListCasefilesResponse,
    SessionAddedPayload,
    UpdateCasefileRequest,
    UpdateCasefileResponse,
)
from remit_casefile.casefiles.views import casefile_brief, describe_contents, load_casefile_view, load_session_ids
from remit_casefile.storage.database import Database
from remit_casefile.storage.tables import Casefile, CasefileSession
from remit_casefile.storage.transactions import Edit, View, edit_once, open_view, session_not_found


class Cases:
    """The casefiles of a tenant."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def create_casefile(self, ctx: LeafContext, request: CreateCasefileRequest) -> CreateCasefileResponse:
        """Create a casefile. You own it, and no other user can see it until you grant access."""
        payload = request.payload

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
            return CasefileCreatedPayload(
                casefile_id=casefile.id, title=casefile.title, created_at=edit.now, created_by=edit.person
            )

        made = await edit_once(self._database, ctx, request, CasefileCreatedPayload, work)
        return CreateCasefileResponse.completed(request, made)

    async def get_casefile(self, ctx: LeafContext, request: GetCasefileRequest) -> GetCasefileResponse:
        """Read a casefile: its texts, tags and sessions, and what you may do with it."""
        async with open_view(self._database, ctx) as view:
            casefile = await view.get_casefile(request.payload.casefile_id)
            level = await resolve_level(view, casefile, view.person)
            found = CasefilePayload.model_validate(
                {"casefile": await load_casefile_view(view, casefile), "your_level": level.label}
            )
            return GetCasefileResponse.completed(request, found)

    async def update_casefile(self, ctx: LeafContext, request: UpdateCasefileRequest) -> UpdateCasefileResponse:
        """Change the title, description, tags or notes of a casefile. Omitted fields are not changed."""
        updates = request.payload.model_dump(exclude={"casefile_id", "expected_notes"}, exclude_none=True)
        expected = request.payload.expected_notes

        async def work(edit: Edit) -> CasefileUpdatedPayload:
            casefile = await edit.get_casefile(request.payload.casefile_id)
            if expected is not None and expected != casefile.notes:
                raise ConflictError(f"The notes of casefile '{casefile.id}' are not the expected ones: read it again.")
            before = {"title": casefile.title, "description": casefile.description}
            before |= {"tags": casefile.tags, "notes": casefile.notes}
            changed = [name for name, value in updates.items() if value != before[name]]
            for name in changed:
                setattr(casefile, name, updates[name])
            if changed:
                casefile.updated_at = edit.now
            return CasefileUpdatedPayload(casefile=await load_casefile_view(edit, casefile), updated_fields=changed)

        done = await edit_once(self._database, ctx, request, CasefileUpdatedPayload, work)
        return UpdateCasefileResponse.completed(request, done)

    async def list_casefiles(self, ctx: LeafContext, request: ListCasefilesRequest) -> ListCasefilesResponse:
        """List the casefiles that you may see, filtered by tags, owner or words; the last changed first."""
        payload = request.payload
        async with open_view(self._database, ctx) as view:
            matching = _matching_casefiles(view, payload)
            total = await view.session.scalar(select(func.count()).select_from(matching.subquery())) or 0
            page_query = (
                matching.order_by(Casefile.updated_at.desc(), Casefile.id).limit(payload.limit).offset(payload.offset)
            )
            rows = (await view.session.scalars(page_query)).all()
            found = CasefilesPayload(
                casefiles=[casefile_brief(row) for row in rows],
                total_count=total,
                offset=payload.offset,
                limit=payload.limit,
            )
            return ListCasefilesResponse.completed(request, found)

    async def archive_casefile(self, ctx: LeafContext, request: ArchiveCasefileRequest) -> ArchiveCasefileResponse:
        """Archive a casefile, so that it can only be read; or reopen it."""
        payload = request.payload

        async def work(edit: Edit) -> CasefileArchivedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            state = "archived" if payload.archived else "active"
            changed = casefile.state != state
            if changed:
                casefile.state, casefile.updated_at = state, edit.now
            return CasefileArchivedPayload(casefile_id=casefile.id, state=state, changed=changed)

        done = await edit_once(self._database, ctx, request, CasefileArchivedPayload, work)
        return ArchiveCasefileResponse.completed(request, done)

    async def delete_casefile(self, ctx: LeafContext, request: DeleteCasefileRequest) -> DeleteCasefileResponse:
        """Delete a casefile of yours with its contents. Call it with confirm false first, which requests approval."""
        payload = request.payload
        if not payload.confirm:
            return DeleteCasefileResponse.completed(request, await self._request_confirmation(ctx, payload))

        async def work(edit: Edit) -> CasefileDeletedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            message = f"Deleted the casefile '{casefile.title}' with {await describe_contents(edit, casefile)}."
            await edit.session.delete(casefile)
            return CasefileDeletedPayload(
                casefile_id=casefile.id, title=casefile.title, deleted_at=edit.now, message=message
            )

        done = await edit_once(self._database, ctx, request, CasefileDeletedPayload, work)
        return DeleteCasefileResponse.completed(request, done)

    async def add_session_to_casefile(
        self, ctx: LeafContext, request: AddSessionToCasefileRequest
    ) -> AddSessionToCasefileResponse:
        """Add one of your sessions to a casefile. A session without a casefile works in this one from now on."""
        payload = request.payload

        async def work(edit: Edit) -> SessionAddedPayload:
            casefile = await edit.get_casefile(payload.casefile_id)
            session = await edit.get_session(payload.session_id)
            if session.user != edit.person:
                raise session_not_found(payload.session_id)
            if session.state == "closed":
                raise ConflictError(f"Session '{session.id}' is closed; begin a new one, and add that.")
            if await edit.session.get(CasefileSession, (casefile.id, session.id)) is None:
                edit.session.add(CasefileSession(casefile=casefile.id, session=session.id))
            if session.casefile is None:
                session.casefile = casefile.id
            await edit.session.flush()
            return SessionAddedPayload(
                casefile_id=casefile.id,
                session_id=session.id,
                session_type=payload.session_type,
                session_ids=await load_session_ids(edit, casefile),
            )

        done = await edit_once(self._database, ctx, request, SessionAddedPayload, work)
        return AddSessionToCasefileResponse.completed(request, done)

    async def preview_deletion(self, ctx: LeafContext, payload: DeleteCasefilePayload) -> Preview:
        """The casefile to delete, for the approver: its title and contents, when it was last changed."""
        async with open_view(self._database, ctx) as view:
            casefile = await require_casefile(view, payload.casefile_id, Level.OWNER, "delete_casefile")
            summary = f"the casefile '{casefile.title}' with {await describe_contents(view, casefile)}"
            return Preview(summary, state=f"{summary}, changed {casefile.updated_at.isoformat()}")

    async def _request_confirmation(self, ctx: LeafContext, payload: DeleteCasefilePayload) -> CasefileDeletedPayload:
        async with open_view(self._database, ctx) as view:
            casefile = await view.get_casefile(payload.casefile_id)
            message = (
                f"This would delete the casefile '{casefile.title}' with {await describe_contents(view, casefile)}. "
                "Nothing is deleted yet. Ask the person, and wait."
            )
            return CasefileDeletedPayload(
                casefile_id=casefile.id, title=casefile.title, deleted_at=None, message=message
            )


def _matching_casefiles(view: View, filters: ListCasefilesPayload) -> Select[Casefile]:
    """The casefiles that match the filters and that the caller may see."""
    query = select(Casefile).where(visibility_condition(view))
    if filters.user_id is not None:
        query = query.where(Casefile.owner == filters.user_id)
    if filters.tags:
        tag = func.json_each(Casefile.tags).table_valued("value")
        query = query.where(select(1).select_from(tag).where(tag.c.value.in_(filters.tags)).exists())
    for word in filters.search_query.casefold().split():
        texts = (Casefile.title, Casefile.description, Casefile.notes)
        query = query.where(or_(*(func.casefold(text).contains(word, autoescape=True) for text in texts)))
    return query
