"""Checks values and parameters against the shapes that the documents give, and selects fields of them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, Final, cast

from apps.casefile.tests.google.fake.discovery import Document, Json, Route, Schema


class ShapeError(Exception):
    """A value has another shape than the documents say."""


def check(document: Document, schema: Schema, value: object, where: str, method: str = "") -> None:
    """Refuse a value that has another shape; with a method, also one that lacks what that requires."""
    if schema.ref is not None:
        schema = document.schemas[schema.ref]
    if schema.type == "object":
        _check_object(document, schema, value, where, method)
    elif schema.type == "array":
        if not isinstance(value, list):
            raise ShapeError(f"{where} is not a list")
        for index, part in enumerate(cast("list[object]", value)):
            check(document, schema.items or Schema(type="any"), part, f"{where}[{index}]", method)
    elif not _is_plain(schema, value):
        raise ShapeError(f"{where} is {value!r}, which is no {schema.format or schema.type}")


def _check_object(document: Document, schema: Schema, value: object, where: str, method: str) -> None:
    if not isinstance(value, dict):
        raise ShapeError(f"{where} is no object")
    fields = cast("Json", value)
    for name, part in fields.items():
        known = schema.properties.get(name) or schema.additional_properties
        if known is None:
            raise ShapeError(f"Invalid JSON payload received. Unknown name \"{name}\" at '{where}'")
        check(document, known, part, f"{where}.{name}", method)
    for name, known in schema.properties.items():
        if method in known.annotations.required and name not in fields:
            raise ShapeError(f"{where}.{name} is required")


def _is_plain(schema: Schema, value: object) -> bool:
    if schema.enum is not None and value not in schema.enum:
        return False
    if schema.type == "any":
        return True
    if isinstance(value, str):
        return schema.type == "string" and (schema.format not in _FORMATS or _FORMATS[schema.format](value))
    if isinstance(value, bool):
        return schema.type == "boolean"
    return isinstance(value, int if schema.type == "integer" else (int, float)) and schema.type in ("integer", "number")


def _is_whole(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+", text) is not None


def _is_date(text: str) -> bool:
    return datetime.fromisoformat(text).tzinfo is not None


def _is_base64(text: str) -> bool:
    try:
        base64.b64decode(text.encode(), altchars=b"-_", validate=True)
    except binascii.Error:
        return False
    return True


_FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "int64": _is_whole,
    "uint64": _is_whole,
    "byte": _is_base64,
    "date-time": _is_date,
}


def parameters(route: Route, in_path: Json, query: Iterable[tuple[str, str]]) -> Json:
    """The parameters of a request as their types say, with the defaults of those that are absent."""
    known = {**route.document.parameters, **route.method.parameters}
    given: dict[str, list[str]] = {name: [str(value)] for name, value in in_path.items()}
    for name, value in query:
        if name not in known or known[name].location == "path":
            raise ShapeError(f'Invalid JSON payload received. Unknown name "{name}": Cannot bind query parameter.')
        given.setdefault(name, []).append(value)
    read: Json = {}
    for name, schema in known.items():
        if name in given:
            values = [_parameter(name, schema, value) for value in given[name]]
            if len(values) > 1 and not schema.repeated:
                raise ShapeError(f"{name} is given twice")
            read[name] = values if schema.repeated else values[0]
        elif schema.required:
            raise ShapeError(f"Required parameter: {name}")
        elif schema.default is not None:
            read[name] = _parameter(name, schema, schema.default)
    return read


def _parameter(name: str, schema: Schema, text: str) -> Any:
    value: Any = text
    if schema.type == "boolean":
        value = {"true": True, "false": False}.get(text, text)
    elif schema.type == "integer" and re.fullmatch(r"-?[0-9]+", text):
        value = int(text)
    low, high = schema.minimum, schema.maximum
    fits = _is_plain(schema, value)
    if not fits or (low is not None and value < low) or (high is not None and value > high):
        raise ShapeError(f"Invalid value at '{name}': {text!r}")
    return value


def selected(value: Any, mask: str) -> Any:
    """The part of a value that a ``fields`` parameter asks for: ``a,b(c,d/e)``."""
    tree, rest = _mask(mask)
    if rest:
        raise ShapeError(f"Invalid field selection {mask}")
    return _select(value, tree)


def _mask(text: str) -> tuple[Json, str]:
    tree: Json = {}
    while True:
        found = re.match(r"[\w*]+", text)
        if found is None:
            raise ShapeError(f"Invalid field selection at {text!r}")
        below, text = tree.setdefault(found[0], {}), text[found.end() :]
        while text.startswith("/"):
            found = re.match(r"/([\w*]+)", text)
            if found is None:
                raise ShapeError(f"Invalid field selection at {text!r}")
            below, text = below.setdefault(found[1], {}), text[found.end() :]
        if text.startswith("("):
            inner, text = _mask(text[1:])
            if not text.startswith(")"):
                raise ShapeError("Invalid field selection: a parenthesis is open")
            below.update(inner)
            text = text[1:]
        if not text.startswith(","):
            return tree, text
        text = text[1:]


def _select(value: Any, tree: Json) -> Any:
    if isinstance(value, list):
        return [_select(part, tree) for part in cast("list[Any]", value)]
    if not tree or "*" in tree or not isinstance(value, dict):
        return value
    fields = cast("Json", value)
    return {name: _select(fields[name], below) for name, below in tree.items() if name in fields}
