"""What a client gets for a call: its result, that it waits, or a task."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from remit.call.contract import Contract
from remit.call.entity import Entity, entities_of
from remit.client.client import Client
from remit.client.reader import RunDetails
from remit.engine.result import Result as CallResult
from remit.errors import CallError
from remit.journal.question_row import QuestionRow
from remit.mcp.addresses import link_file, object_address
from remit.mcp.decisions import describe_question
from remit.mcp.wire import Result
from remit.record.artifact import find_artifacts

_MOST_LINKS: Final = 20
_POLL_MILLISECONDS: Final = 2000
_AGAIN: Final = (
    "Tell the user. Once it is decided, make the same call again, with the same arguments: it continues this call "
    "without another question."
)


def text_result(text: str, *, is_error: bool = False) -> Result:
    """A result that is a text."""
    return {"content": [{"type": "text", "text": text}], "isError": is_error}


def ended_result(text: str, callee: Contract, kinds: Collection[str], *, is_error: bool) -> Result:
    """The result of a call that has ended, with links to its files and to its objects of these kinds."""
    told = text_result(text, is_error=is_error)
    if is_error:
        return told
    if callee.schema_out.json_schema.get("type") == "object":
        with suppress(ValueError, RecursionError):
            value: object = json.loads(text)
            if isinstance(value, dict):
                told["structuredContent"] = value
    told["content"] += [*_list_links(text, callee, kinds)][:_MOST_LINKS]
    return told


def waiting_result(
    client: Client, result: CallResult[Any], rows: Sequence[QuestionRow], pages: Sequence[str]
) -> Result:
    """The result of a call that waits: what for, and what to do."""
    if not rows:
        why = result.reason or "another process executes it"
        return _tell_unfinished(result, (), f"This call has not ended: {why}. {_AGAIN}")
    asked = "\n\n".join(describe_question(client, each) for each in rows)
    where = "\n".join(pages) or "\n".join(f"remit approvals approve {each.question.id}" for each in rows)
    ids = [each.question.id for each in rows]
    is_interrupted = any(each.question.kind == "outcome" for each in rows)
    parts = (
        f"This call waits for a person: it {'was interrupted' if is_interrupted else 'has not been made'}.",
        asked,
        f"A person decides it here:\n{where}",
        _AGAIN,
    )
    return _tell_unfinished(result, ids, "\n\n".join(parts))


def task_result(details: RunDetails, status: str = "working", message: str = "") -> Result:
    """The state of a call as a task, without its type."""
    row = details.row
    changed = row.ended or max((each.question.asked for each in details.questions), default=row.opened)
    told: Result = {
        "taskId": row.run,
        "status": status,
        "createdAt": _time(row.opened),
        "lastUpdatedAt": _time(changed),
        "ttlMs": None,
        "pollIntervalMs": _POLL_MILLISECONDS,
    }
    return {**told, "statusMessage": message} if message else told


def _tell_unfinished(result: CallResult[Any], questions: Sequence[str], text: str) -> Result:
    told = text_result(text, is_error=True)
    return {**told, "structuredContent": {"status": result.status, "run": result.run, "questions": [*questions]}}


def _list_links(text: str, callee: Contract, kinds: Collection[str]) -> Sequence[Result]:
    """Links to the files and objects in a result."""
    try:
        value: object = callee.schema_out.load(text)
    except (ValueError, CallError):
        return ()
    objects = (each for each in entities_of(value) if each.kind in kinds)
    return [*map(link_file, find_artifacts(value)), *map(_link_object, objects)]


def _link_object(entity: Entity) -> Result:
    address = object_address(entity.kind, entity.id)
    return {"type": "resource_link", "uri": address, "name": entity.name, "description": entity.kind}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
