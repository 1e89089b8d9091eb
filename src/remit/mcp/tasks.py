"""Tasks: calls whose results clients fetch later. A task is the run of a call, so any process finds it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Raw, field

from remit.client.client import Client
from remit.client.reader import RunDetails
from remit.errors import LeaseError, RequestNotFoundError
from remit.journal.index import UNFINISHED_STATUSES
from remit.mcp.decisions import confirmable, describe_question, make_form, take_answers
from remit.mcp.peers import TASKS, TASKS_EXTENSION, Asked, Peer
from remit.mcp.results import ended_result, task_result, text_result
from remit.mcp.wire import INVALID_PARAMS, MISSING_CAPABILITY, ProtocolError, Result

_CAPABILITY: Final[Result] = {"requiredCapabilities": {"extensions": TASKS_EXTENSION}}


class TaskAsked(Asked, kw_only=True):
    """Which task is meant, and the answers to its questions."""

    task: str = field(name="taskId")
    answers: dict[str, Raw] = field(default_factory=dict[str, Raw], name="inputResponses")


async def get_task(client: Client, peer: Peer, asked: TaskAsked, kinds: Collection[str]) -> Result:
    """The state of a task, with its result once it has one."""
    details = await _find(client, peer, asked)
    if details.row.status in ("waiting", "stalled") and not details.questions:
        details = await _continue(client, details)
    row = details.row
    if row.status in UNFINISHED_STATUSES:
        return _tell_unfinished(client, peer, details)
    if row.status == "cancelled":
        await client.detach(row.run)
        return task_result(details, "cancelled", details.error)
    contract = client.contract(row.callee)
    is_error = row.status != "done"
    text = details.text or details.error
    if contract is None:
        result = text_result(text, is_error=is_error)
    else:
        result = ended_result(text, contract, kinds, is_error=is_error)
    await client.detach(row.run)
    return {**task_result(details, "completed"), "result": {"resultType": "complete", **result}}


async def update_task(client: Client, peer: Peer, asked: TaskAsked) -> Result:
    """Take the answers to the forms of a task. Answers to anything else change nothing."""
    details = await _find(client, peer, asked)
    shown = [each.question.id for each in confirmable(client, details.questions)]
    await take_answers(client, asked.answers, [each for each in shown if each in asked.answers])
    return {}


async def cancel_task(client: Client, peer: Peer, asked: TaskAsked) -> Result:
    """Cancel a task, unless it has ended."""
    details = await _find(client, peer, asked)
    if details.row.status in UNFINISHED_STATUSES:
        await client.cancel(details.row.run)
    return {}


def _tell_unfinished(client: Client, peer: Peer, details: RunDetails) -> Result:
    """The state of a task that has not ended: what it waits for, and the forms that the client can show."""
    message = "\n\n".join(describe_question(client, each) for each in details.questions) or details.reason
    forms = confirmable(client, details.questions) if peer.can_form else []
    if not forms:
        return task_result(details, "working", message)
    requests = {each.question.id: {"method": "elicitation/create", "params": make_form(client, each)} for each in forms}
    return {**task_result(details, "input_required", message), "inputRequests": requests}


async def _continue(client: Client, details: RunDetails) -> RunDetails:
    """Continue a run whose question was decided, where no executor does."""
    try:
        await client.resume(details.row.run)
    except LeaseError:
        return details
    return await client.details(details.row.run)


async def _find(client: Client, peer: Peer, asked: TaskAsked) -> RunDetails:
    """The run of a task, which the principal has opened by a call.

    Raises:
        ProtocolError: there is none, or the client cannot fetch tasks.
    """
    if not peer.can_fetch:
        raise ProtocolError(MISSING_CAPABILITY, f"the client does not declare {TASKS}", _CAPABILITY)
    try:
        details = await client.details(asked.task)
    except RequestNotFoundError:
        details = None
    names = {each.name for each in await client.tools(target=details.row.target)} if details is not None else set[str]()
    if details is None or details.row.principal != client.principal.name or details.row.callee not in names:
        raise ProtocolError(INVALID_PARAMS, "there is no such task")
    return details
