"""Grants and scheduled calls: list, make, end."""

from __future__ import annotations

from typing import Final

from remit.approvals.policy import DECIDE_PERMISSION
from remit.client.client import GrantOptions
from remit.engine.schedule import Schedule
from remit.server.documents.document import Done, Listed, text_of_json
from remit.server.documents.grants import GrantDocument, GrantsQuery, NewGrant, NewSchedule, SchedulesQuery
from remit.server.documents.runs import RunSummary
from remit.server.documents.tools import CallOutcome
from remit.server.rest.operation import NoQuery, Operation, Sent


async def list_grants(sent: Sent[GrantsQuery, None]) -> Listed[GrantDocument]:
    """List the grants that one gave, uses or may revoke, oldest first."""
    page = await sent.client.grants(after=sent.query.after, limit=sent.query.limit)
    return Listed(items=tuple(map(GrantDocument.of, page.items)), next=page.next)


async def create_grant(sent: Sent[NoQuery, NewGrant]) -> GrantDocument:
    """Approve calls in advance."""
    asked = sent.body
    options = GrantOptions(
        arguments=text_of_json(asked.arguments, "{}"),
        who=asked.permission or DECIDE_PERMISSION,
        reason=asked.reason,
        target=asked.target,
        idempotency_key=sent.key,
    )
    grant = await sent.client.create_grant(
        asked.tool, principal=asked.principal, count=asked.count, expires_in=asked.expires_in, **options
    )
    return GrantDocument.of(await sent.client.grant(grant.id))


async def revoke_grant(sent: Sent[NoQuery, None]) -> GrantDocument:
    """Revoke a grant."""
    await sent.client.revoke_grant(sent.path["grant"])
    return GrantDocument.of(await sent.client.grant(sent.path["grant"]))


async def list_schedules(sent: Sent[SchedulesQuery, None]) -> Listed[RunSummary]:
    """List the calls that wait for their time; the newest first. ``due`` is the time."""
    asked = sent.query
    page = await sent.client.runs(status="scheduled", target=asked.target, before=asked.before, limit=asked.limit)
    return Listed(items=tuple(map(RunSummary.of, page.items)), next=page.next)


async def create_schedule(sent: Sent[NoQuery, NewSchedule]) -> CallOutcome:
    """Schedule a call. It is checked, and its questions are asked, now."""
    asked = sent.body
    Schedule(asked.at, asked.every, asked.missed)
    result = await sent.client.schedule(
        asked.tool,
        text_of_json(asked.arguments, "{}"),
        at=asked.at,
        every=asked.every,
        missed=asked.missed,
        conversation=asked.conversation,
        target=asked.target,
        idempotency_key=sent.key,
    )
    return CallOutcome.of(result)


async def cancel_schedule(sent: Sent[NoQuery, None]) -> Done:
    """Withdraw a scheduled call."""
    await sent.client.cancel(sent.path["run"])
    return Done()


OPERATIONS: Final = (
    Operation(method="GET", path="/api/grants", handle=list_grants, answer=Listed[GrantDocument], query=GrantsQuery),
    Operation(
        method="POST",
        path="/api/grants",
        handle=create_grant,
        answer=GrantDocument,
        body=NewGrant,
        status=201,
        keyed=True,
    ),
    Operation(method="DELETE", path="/api/grants/{grant}", handle=revoke_grant, answer=GrantDocument),
    Operation(
        method="GET",
        path="/api/schedules",
        handle=list_schedules,
        answer=Listed[RunSummary],
        query=SchedulesQuery,
    ),
    Operation(
        method="POST",
        path="/api/schedules",
        handle=create_schedule,
        answer=CallOutcome,
        body=NewSchedule,
        status=201,
        keyed=True,
    ),
    Operation(method="DELETE", path="/api/schedules/{run}", handle=cancel_schedule, answer=Done),
)
