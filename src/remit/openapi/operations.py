"""The operations of an OpenAPI document: what each is called, takes, and needs to be sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from msgspec import Struct

from remit.errors import ContractError
from remit.openapi.document import Document, Part
from remit.openapi.parameters import Parameter
from remit.openapi.schemas import SchemaReader
from remit.record.arguments import content_digest
from remit.schemas.json_schema import JsonSchema

METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_IGNORED_HEADERS: Final = frozenset({"accept", "authorization", "content-type"})
"""Headers that OpenAPI describes elsewhere."""

_JSON: Final = re.compile(r"application/(json|[a-z0-9.+-]+\+json)")
_FORM: Final = "application/x-www-form-urlencoded"
_TEXT: Final = "text/plain"
BODY: Final = "body"
"""The argument that is the whole body, where its fields cannot be arguments themselves."""

_MOST_NAME: Final = 64
_MOST_TEXT: Final = 2_000


class Operation(Struct, frozen=True, kw_only=True):
    """An operation of a document.

    ``body`` lists the arguments that are fields of the body; None if the argument `BODY` is the whole body.
    ``security`` lists the alternatives, each the schemes that it needs together. ``server`` is the operation's own one.
    """

    name: str
    title: str
    description: str
    method: str
    path: str
    schema: JsonSchema
    where: str
    parameters: tuple[Parameter, ...] = ()
    body: tuple[str, ...] | None = ()
    media_type: str = ""
    security: tuple[tuple[str, ...], ...] = ()
    server: str = ""


def read_operations(document: Document) -> tuple[dict[str, Operation], dict[str, str]]:
    """The operations of a document by name, and the names of those that cannot be called, each with the reason."""
    found, refused = dict[str, Operation](), dict[str, str]()
    for path, item in document.root.child("paths").value.items():
        if not isinstance(item, dict) or not path.startswith("/"):
            continue
        try:
            shared = document.follow(document.root.child("paths", path))
        except ContractError as error:
            refused[path] = error.message
            continue
        for method in METHODS:
            if isinstance(shared.value.get(method), dict):
                part = shared.child(method)
                name = _name(method, path, part)
                where = document.locate(part)
                if name in found or name in refused:
                    first = found[name].where if name in found else "above"
                    refused[f"{name} {method.upper()} {path}"] = f"{where}: {name} is the name of another one, {first}"
                    continue
                try:
                    found[name] = _read(document, name, method, path, shared, part)
                except ContractError as error:
                    refused[name] = error.message
    return found, refused


def _read(document: Document, name: str, method: str, path: str, shared: Part, part: Part) -> Operation:
    reader = SchemaReader(document)
    properties: JsonSchema = {}
    required = list[str]()
    parameters = list[Parameter]()
    for found, described in _list_parameters(document, shared, part):
        where = document.locate(described)
        if found.name in properties:
            other = next(each for each in parameters if each.name == found.name)
            raise ContractError(f"{where}: {found.name!r:.100} is in the {found.place} and in the {other.place} too")
        parameters.append(found)
        properties[found.name] = _schema_of(reader, described)
        required += [found.name] * found.is_required
    for missing in set(re.findall(r"{([^{}]*)}", path)) - {each.name for each in parameters if each.place == "path"}:
        raise ContractError(f"{document.locate(part)}: the path has {{{missing:.100}}}, which no parameter describes")
    media_type, fields = _read_body(document, reader, part, properties, required)
    schema: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if reader.definitions:
        schema["$defs"] = reader.definitions
    servers = [each.value.get("url", "") for each in (*part.children("servers"), *shared.children("servers"))]
    title = str(part.value.get("summary", ""))
    told = "\n\n".join(each for each in (title, str(part.value.get("description", ""))) if each)
    return Operation(
        name=name,
        title=title[:_MOST_TEXT],
        description=told[:_MOST_TEXT] or f"{method.upper()} {path}",
        method=method.upper(),
        path=path,
        schema=schema,
        where=document.locate(part),
        parameters=tuple(parameters),
        body=fields,
        media_type=media_type,
        security=_read_security(document, part),
        server=str(servers[0]) if servers else "",
    )


def _name(method: str, path: str, part: Part) -> str:
    """The name of the tool: the operation's own one in the characters that models' providers allow."""
    written = part.value.get("operationId")
    text = written if isinstance(written, str) and written else f"{method}_{path}"
    name = re.sub(r"[^A-Za-z0-9-]+", "_", text).strip("_") or method
    return name if len(name) <= _MOST_NAME else f"{name[: _MOST_NAME - 9]}_{content_digest('openapi', text)[:8]}"


def _list_parameters(document: Document, shared: Part, part: Part) -> Iterator[tuple[Parameter, Part]]:
    """The parameters of an operation: its own ones, and those of its path that it does not describe again."""
    found = dict[tuple[str, str], Part]()
    for each in (*shared.children("parameters"), *part.children("parameters")):
        described = document.follow(each)
        found[str(described.value.get("in")), str(described.value.get("name"))] = described
    for (place, name), described in found.items():
        where = document.locate(described)
        if place != "header" or name.lower() not in _IGNORED_HEADERS:
            yield Parameter.of(name, place, described.value, where), described


def _schema_of(reader: SchemaReader, described: Part) -> JsonSchema:
    """The schema of a parameter, with its description."""
    content = next(iter(described.children("content")), None)
    schema = reader.read(described.child("schema") if content is None else content.child("schema"))
    text: object = described.value.get("description")
    return {"description": text, **schema} if isinstance(text, str) and text and "$ref" not in schema else schema


def _read_body(
    document: Document, reader: SchemaReader, part: Part, properties: JsonSchema, required: list[str]
) -> tuple[str, tuple[str, ...] | None]:
    """Add the arguments of the body. Returns its media type, and its fields; None if one argument is the whole body."""
    body = document.follow(part.child("requestBody"))
    if not body.value:
        return "", ()
    offered = list(body.child("content").value)
    media_type = next((each for each in offered if _JSON.fullmatch(each.partition(";")[0].strip().lower())), "")
    media_type = media_type or next((each for each in (_FORM, _TEXT) if each in offered), "")
    where, is_required = document.locate(body), body.value.get("required") is True
    if not media_type:
        if not is_required:
            return "", ()
        raise ContractError(f"{where}: its body is {', '.join(offered)!r:.100}; JSON, forms and plain text can be sent")
    described = body.child("content", media_type, "schema")
    fields = _flat_fields(document, described)
    if media_type != _TEXT and fields is not None and not set(fields) & set(properties):
        target = reader.read(document.follow(described))
        needs = [each for each in target.get("required", ()) if each in target.get("properties", {})]
        if is_required or not needs:
            properties.update(target.get("properties", {}))
            required += needs
            return media_type, tuple(target.get("properties", {}))
    if BODY in properties:
        raise ContractError(f"{where}: the whole body would be the argument {BODY!r}, which a parameter is already")
    properties[BODY] = {"type": "string"} if media_type == _TEXT else reader.read(described)
    required += [BODY] * is_required
    return media_type, None


def _flat_fields(document: Document, described: Part) -> list[str] | None:
    """The fields of a body that can be arguments themselves; None if it is anything but a plain, closed object."""
    schema = document.follow(described).value
    properties: object = schema.get("properties")
    others = {"allOf", "anyOf", "oneOf", "not", "if", "patternProperties", "minProperties", "nullable"} & set(schema)
    if not isinstance(properties, dict) or others or schema.get("type", "object") != "object":
        return None
    if schema.get("additionalProperties", False) is not False:
        return None
    return list(cast("dict[str, Any]", properties))


def _read_security(document: Document, part: Part) -> tuple[tuple[str, ...], ...]:
    """The alternatives of schemes; none if the operation needs no credentials."""
    found: object = part.value.get("security", document.root.value.get("security"))
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return tuple(tuple(cast("dict[str, object]", each)) for each in listed if isinstance(each, dict))
