"""The description of the API as OpenAPI 3.1: made from the operations, their documents, and the contracts of tools."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from remit.client.tools import ToolInfo
from remit.server.documents.document import Document, Listed, Problem
from remit.server.responses import write_document
from remit.server.rest.operation import Operation
from remit.server.serving import Serving

_REFERENCE: Final = "#/components/schemas/{name}"
_PATH_PARAMETER: Final = re.compile(r"{(\w+)}")
_KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "schema": {"type": "string", "maxLength": 1000},
    "description": "The same key with the same request acts once.",
}
_REFUSALS: Final = {
    "400": "The request is not valid.",
    "401": "Nobody is signed in.",
    "403": "The permissions do not allow it.",
    "404": "It does not exist, or is not visible.",
    "409": "The present state does not allow it.",
    "413": "The body is too large.",
    "429": "There were too many requests.",
    "503": "The journal or the model is away.",
}
_TOOL_PATH: Final = "/api/tools/{tool}"


def openapi_route(serving: Serving, operations: Sequence[Operation]) -> Route:
    """The route ``/openapi.json``: the API with the tools that the sender of the request may call."""

    async def describe(request: Request) -> Response:
        client = await serving.client(request)
        return write_document(describe_api(operations, await client.tools()))

    return Route("/openapi.json", describe)


def describe_api(operations: Sequence[Operation], tools: Iterable[ToolInfo] = ()) -> dict[str, Any]:
    """The description of operations, and of the calls of tools."""
    kinds = [kind for each in operations for kind in (each.answer, each.body, each.query) if kind is not None]
    schemas, components = msgspec.json.schema_components([*kinds, Problem], ref_template=_REFERENCE)
    _require_all(components)
    schema_of = dict(zip(map(_key, [*kinds, Problem]), schemas, strict=True))
    paths = dict[str, dict[str, Any]]()
    for each in operations:
        paths.setdefault(each.path, {})[each.method.lower()] = _describe(each, schema_of, components)
    for tool in tools:
        called = next(each for each in operations if each.path == _TOOL_PATH and each.method == "POST")
        paths[_TOOL_PATH.replace("{tool}", tool.name)] = {"post": _describe_tool(called, tool, schema_of)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Remit", "version": version("remit"), "description": "Governed tool calls of LLM agents."},
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "remit"},
            },
        },
        "security": [{"token": []}, {"session": []}],
    }


def _require_all(components: Mapping[str, dict[str, Any]]) -> None:
    """Say that documents of the server have all their fields, also those that a default fills."""
    names = {each.__name__ for each in _subclasses(Document)}
    for name, schema in components.items():
        if name in names or name.startswith(f"{Listed.__name__}_"):
            schema["required"] = list(schema.get("properties", ()))


def _subclasses(kind: type) -> Iterator[type]:
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def _key(kind: Any) -> str:
    return repr(kind)


def _describe(
    operation: Operation, schema_of: Mapping[str, dict[str, Any]], components: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    summary, _, rest = (inspect.getdoc(operation.handle) or "").partition("\n\n")
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": " ".join(summary.split()),
        "parameters": [*_parameters(operation, schema_of, components), *([_KEY] if operation.keyed else [])],
        "responses": _responses(operation, schema_of),
    }
    if rest:
        described["description"] = " ".join(rest.split())
    if operation.body is not None:
        content = {"application/json": {"schema": schema_of[_key(operation.body)]}}
        described["requestBody"] = {"required": True, "content": content}
    elif operation.takes_content:
        content = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
        described["requestBody"] = {"required": True, "content": content}
    return described


def _parameters(
    operation: Operation, schema_of: Mapping[str, dict[str, Any]], components: Mapping[str, dict[str, Any]]
) -> Iterable[dict[str, Any]]:
    for name in _PATH_PARAMETER.findall(operation.path):
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
    reference = schema_of[_key(operation.query)]
    query = components[reference["$ref"].rpartition("/")[2]]
    for name, schema in query.get("properties", {}).items():
        yield {"name": name, "in": "query", "required": name in query.get("required", ()), "schema": schema}


def _responses(operation: Operation, schema_of: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    schema = {"type": "string"} if operation.answer is None else schema_of[_key(operation.answer)]
    done = {"description": "It was done.", "content": {operation.media_type: {"schema": schema}}}
    problem = {"application/json": {"schema": schema_of[_key(Problem)]}}
    refusals = {status: {"description": text, "content": problem} for status, text in _REFUSALS.items()}
    return {**{str(status): done for status in (operation.status, *operation.further)}, **refusals}


def _describe_tool(called: Operation, tool: ToolInfo, schema_of: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    properties = {
        "arguments": dict(tool.parameters),
        "conversation": {"type": "string"},
        "target": {"type": "string"},
    }
    schema = {"type": "object", "properties": properties, "required": ["arguments"], "additionalProperties": False}
    return {
        "operationId": f"call_{tool.name}",
        "summary": tool.description.partition("\n")[0],
        "parameters": [_KEY],
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "responses": _responses(called, schema_of),
    }
