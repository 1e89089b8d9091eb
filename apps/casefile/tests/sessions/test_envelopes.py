"""A request for a tool may name the casefile that it is about beside the parameters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from remit import Principal, Runtime
from remit.inventory import handle_request
from remit_casefile.app import build

ANN = Principal("ann", "office", frozenset({"*"}))


async def send(runtime: Runtime, tool: str, **payload: Any) -> tuple[str, Any]:
    """The status of a response, with its result or the message of its error."""
    sent = {"user_id": "ann", "payload": {"tool_name": tool, **payload}, "metadata": {"trace": "1"}}
    response = await handle_request(runtime, sent, by=ANN)
    assert response.metadata == {"trace": "1"}
    said = response.payload and response.payload.model_dump()
    return response.status.value, response.error.message if response.error else said and said["result"]


async def test_a_request_names_its_casefile_beside_the_parameters(tmp_path: Path) -> None:
    casefiles = build(tmp_path)
    runtime = Runtime(casefiles.app)
    _, made = await send(runtime, "create_casefile", parameters={"title": "X"})
    ident = made["casefile_id"]
    status, found = await send(runtime, "get_casefile", casefile_id=ident)
    assert (status, found["casefile"]["title"]) == ("COMPLETED", "X")
    status, found = await send(runtime, "get_casefile", casefile_id=ident, parameters={"casefile_id": ident})
    assert (status, found["casefile"]["title"]) == ("COMPLETED", "X")
    status, message = await send(
        runtime, "get_casefile", casefile_id="cf_000101_000000", parameters={"casefile_id": ident}
    )
    said = f"the request says casefile_id = 'cf_000101_000000', but its parameters say '{ident}'; give it once"
    assert (status, message) == ("FAILED", said)
    status, message = await send(runtime, "list_casefiles", casefile_id=ident)
    assert (status, "casefile_id" in message) == ("FAILED", True)
    status, message = await send(runtime, "get_casefile", casefile_id="no casefile")
    assert (status, "payload.casefile_id" in message) == ("FAILED", True)
    await casefiles.database.close()
