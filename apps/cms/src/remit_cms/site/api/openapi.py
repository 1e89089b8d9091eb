"""The OpenAPI document of a site: the addresses of the API, and the types of the site as schemas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from remit_cms.models import View
from remit_cms.site.api.models import (
    AddressReply,
    DocumentSummary,
    EntriesValue,
    ErrorReply,
    ImageValue,
    Index,
    LinkValue,
    MediaValue,
    Navigation,
    Settings,
    Types,
)
from remit_cms.site.api.requests import PARAMETERS
from remit_cms.site.api.values import schema_of_fields
from remit_cms.storage.tables import Kind, SectionDefinition
from remit_cms.templates.slots import Structure

_MODELS: Final[tuple[type[View], ...]] = (
    *(AddressReply, DocumentSummary, EntriesValue, ErrorReply, ImageValue, Index),
    *(LinkValue, MediaValue, Navigation, Settings, Types),
)
_REFERENCE: Final = "#/components/schemas/"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address of the API, with the schema of its answer. ``List`` and ``Document`` are those of each type."""

    path: str
    summary: str
    answer: str
    parameters: tuple[str, ...] = ()


def describe_api(
    endpoints: Sequence[Endpoint], types: Sequence[tuple[SectionDefinition, Structure]], *, name: str, url: str
) -> dict[str, Any]:
    """The OpenAPI 3.1 document of a site with these types."""
    collections = {row.key: f"entry_{row.key}" for row, _ in types if row.kind == Kind.ENTRY}
    paths = dict[str, Any]()
    for endpoint in endpoints:
        if "{collection}" in endpoint.path:
            for key, schema in collections.items():
                path = endpoint.path.replace("{collection}", key)
                paths[path] = {"get": _describe(endpoint, path, schema)}
        else:
            paths[endpoint.path] = {"get": _describe(endpoint, endpoint.path, "page")}
    return {
        "openapi": "3.1.0",
        "info": {"title": name, "version": "1", "description": "What visitors of the site see, as data."},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {"schemas": _make_schemas(types, collections)},
    }


def _describe(endpoint: Endpoint, path: str, document: str) -> dict[str, Any]:
    schema = {"List": f"{document}_list", "Document": document}.get(endpoint.answer, endpoint.answer)
    parameters: list[dict[str, Any]] = [
        {"name": name, "in": "query", "schema": PARAMETERS[name][0], "description": PARAMETERS[name][1]}
        for name in endpoint.parameters
    ]
    if "{id}" in path:
        parameters.append({"name": "id", "in": "path", "required": True, "schema": {"type": "string"}})
    answer = {"$ref": f"{_REFERENCE}{schema}"} if schema else {"type": "object"}
    failed = {"description": "Why not", "content": _json({"$ref": f"{_REFERENCE}ErrorReply"})}
    return {
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": {
            "200": {"description": endpoint.summary, "content": _json(answer)},
            "304": {"description": "Nothing has changed since the answer whose ETag is in If-None-Match"},
            "400": failed,
            "404": failed,
        },
    }


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _make_schemas(types: Sequence[tuple[SectionDefinition, Structure]], collections: dict[str, str]) -> dict[str, Any]:
    template = f"{_REFERENCE}{{model}}"
    inputs = [(model, "serialization") for model in _MODELS]
    _, definitions = models_json_schema(inputs, by_alias=True, ref_template=template)  # pyright: ignore[reportArgumentType]
    schemas: dict[str, Any] = definitions["$defs"]
    for schema in schemas.values():
        schema["additionalProperties"] = False
    summary = schemas["DocumentSummary"]
    for row, structure in types:
        fields = {**schema_of_fields(structure), "title": row.name}
        if row.key in collections and row.kind == Kind.ENTRY:
            schemas[collections[row.key]] = _extend(summary, row.key, {"fields": fields})
        else:
            schemas[f"section_{row.key}"] = _describe_section(row.key, fields)
    sections = [{"$ref": f"{_REFERENCE}section_{row.key}"} for row, _ in types if row.kind == Kind.PAGE]
    schemas["page"] = _extend(summary, "page", {"sections": {"type": "array", "items": {"oneOf": sections}}})
    documents = ["page", *collections.values()]
    for each in documents:
        schemas[f"{each}_list"] = _describe_list(each)
    any_document = [{"$ref": f"{_REFERENCE}{each}"} for each in documents]
    schemas["AddressReply"]["properties"]["document"] = {"oneOf": [*any_document, {"type": "null"}]}
    return schemas


def _extend(summary: dict[str, Any], kind: str, properties: dict[str, Any]) -> dict[str, Any]:
    """The schema of a document of a type with its content, which the items of lists have where it is asked for."""
    own = {**summary["properties"], **properties, "type": {"const": kind}}
    return {**summary, "title": kind, "properties": own, "required": [*summary["required"], *properties]}


def _describe_section(key: str, fields: dict[str, Any]) -> dict[str, Any]:
    properties = {
        "id": {"type": "string"},
        "type": {"const": key},
        "fields": fields,
        "untranslated": {"type": "object", "additionalProperties": {"type": "string"}},
    }
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _describe_list(document: str) -> dict[str, Any]:
    item = {"anyOf": [{"$ref": f"{_REFERENCE}{document}"}, {"$ref": f"{_REFERENCE}DocumentSummary"}]}
    properties = {
        "items": {"type": "array", "items": item},
        "total": {"type": "integer", "minimum": 0},
        "nextCursor": {"type": ["string", "null"]},
    }
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
