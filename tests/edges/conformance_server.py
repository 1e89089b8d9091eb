"""The application that the conformance suite of MCP wants to meet.

`python -m tests.edges.conformance_server` serves it, and everybody is signed in. Its tools have the names and results
that the suite looks for; what Remit does not offer is listed in ``mcp_programs/expected_failures.yaml``.
"""

from __future__ import annotations

from typing import Final

import uvicorn
from starlette.middleware import Middleware
from starlette.requests import Request

from remit import Allow, App, Ask, Effect, Policy, Runtime, Tool, When, tool
from remit.errors import ToolFailed
from remit.mcp.settings import McpSettings
from remit.server import Identity, build_server
from remit.server.guard import Guard
from remit.testing import superuser

SCHEMA_2020: Final = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "allOf": [{"anyOf": [{"required": ["name"]}, {"required": ["address"]}]}],
    "if": {"required": ["name"]},
    "then": {"properties": {"name": {"minLength": 1}}},
    "else": {"required": ["address"]},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}


CONFIRMED: Final = (
    "test_input_required_result_capabilities",
    "test_input_required_result_elicitation",
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
)
"""The tools whose calls a person confirms in a form."""


@tool(effect=Effect.PURE)
async def test_simple_text() -> str:
    """Say a text."""
    return "This is a simple text response for testing."


@tool(effect=Effect.PURE)
async def test_error_handling() -> str:
    """Answer with an error."""
    raise ToolFailed("This tool intentionally returns an error for testing")


@tool(effect=Effect.PURE, says="Send a greeting")
async def test_input_required_result_request_state() -> str:
    """Wait until a person has confirmed the call."""
    return "state-ok"


async def json_schema_2020_12_tool(arguments: dict[str, object]) -> str:
    """Take what the schema allows."""
    return str(arguments)


def build() -> App:
    """The application."""
    described = Tool.from_schema(
        "json_schema_2020_12_tool", "Take a schema of 2020-12.", SCHEMA_2020, json_schema_2020_12_tool, effect="pure"
    )
    asking = [test_input_required_result_request_state.with_name(name) for name in CONFIRMED]
    policy = Policy(
        When("confirmed", lambda call: call.callee.name in CONFIRMED, Ask(reason="the suite says so", kind="confirm")),
        When("every other call", lambda _call: True, Allow()),
    )
    return App(name="conformance", tools=[test_simple_text, test_error_handling, described, *asking], policy=policy)


async def authenticate(_request: Request) -> Identity:
    """Sign in everybody."""
    return Identity(superuser())


app = build()

if __name__ == "__main__":
    settings = McpSettings(hold_seconds=0.5, ask_seconds=0)
    server = build_server(Runtime(app), authenticate, mcp=settings, middleware=[Middleware(Guard)])
    uvicorn.run(server, host="127.0.0.1", port=0, access_log=False)
