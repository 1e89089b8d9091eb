"""Tools: list them, read one, call one."""

from __future__ import annotations

from typing import Any, Final, cast

import msgspec
from starlette.responses import Response

from remit.errors import RequestNotFoundError
from remit.server.documents.document import Listed, text_of_json
from remit.server.documents.tools import CallOutcome, NewCall, ToolDocument, ToolsQuery
from remit.server.problems import status_of
from remit.server.responses import write_document
from remit.server.rest.operation import NoQuery, Operation, Sent
from remit.shown import show_value

_ACCEPTED: Final = 202


async def list_tools(sent: Sent[ToolsQuery, None]) -> Listed[ToolDocument]:
    """List the tools that one may call."""
    tools = await sent.client.tools(target=sent.query.target)
    return Listed(items=tuple(ToolDocument.of(each, sent.client.contract) for each in tools))


async def read_tool(sent: Sent[ToolsQuery, None]) -> ToolDocument:
    """Read the contract of a tool."""
    name = sent.path["tool"]
    for each in await sent.client.tools(target=sent.query.target):
        if each.name == name:
            return ToolDocument.of(each, sent.client.contract)
    raise RequestNotFoundError(f"there is no tool {show_value(name)} that you may call")


async def call_tool(sent: Sent[NoQuery, NewCall]) -> Response:
    """Call a tool. It answers 202 while the call waits for a person, and the status of its error if it fails."""
    asked = sent.body
    result = await sent.client.call(
        sent.path["tool"],
        text_of_json(asked.arguments, "{}"),
        conversation=asked.conversation,
        target=asked.target,
        idempotency_key=sent.key,
    )
    error = None if result.reply is None else result.reply.error
    status = _ACCEPTED if result.reply is None else 200 if error is None else status_of(error)
    return write_document(CallOutcome.of(result), status)


async def handle_request(sent: Sent[ToolsQuery, Any]) -> Response:
    """Answer a request in an envelope: a ``ToolRequest``, or the request of a method.

    The envelope of the response says what came of it. The id of the request is its idempotency key, and its user must
    be the sender.
    """
    from remit.inventory.requests import handle_request as handle  # noqa: PLC0415 - few servers take envelopes

    request = cast("dict[str, object]", sent.body)
    response = await handle(sent.serving.runtime, request, by=sent.client.principal, target=sent.query.target)
    return write_document(response.model_dump(mode="json"))


OPERATIONS: Final = (
    Operation(method="GET", path="/api/tools", handle=list_tools, answer=Listed[ToolDocument], query=ToolsQuery),
    Operation(method="GET", path="/api/tools/{tool}", handle=read_tool, answer=ToolDocument, query=ToolsQuery),
    Operation(
        method="POST",
        path="/api/tools/{tool}",
        handle=call_tool,
        answer=CallOutcome,
        body=NewCall,
        keyed=True,
        further=(202,),
    ),
    Operation(
        method="POST",
        path="/api/requests",
        handle=handle_request,
        answer=dict[str, Any],
        body=cast("type[msgspec.Struct]", dict[str, Any]),
        query=ToolsQuery,
    ),
)
