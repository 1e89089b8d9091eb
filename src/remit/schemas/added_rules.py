"""Finds hand-written rules in the JSON schema of a type, which pydantic shows but does not check."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from pydantic import WithJsonSchema

from remit.schemas.core_nodes import Node

_WORDS: Final = frozenset(
    {
        "$comment",
        "$id",
        "$schema",
        "contentEncoding",
        "contentMediaType",
        "default",
        "deprecated",
        "description",
        "discriminator",
        "example",
        "examples",
        "externalDocs",
        "readOnly",
        "title",
        "writeOnly",
        "xml",
    }
)
"""The keywords of JSON Schema and OpenAPI that do not constrain values. Custom ones begin with ``x-``."""


_SAMPLE: Final[dict[str, Any]] = {"type": "object", "properties": {}}


def has_added_rules(nodes: Iterable[Node]) -> bool:
    """Whether a type's ``json_schema_extra`` or `WithJsonSchema` states rules that are not checked.

    A validator next to `WithJsonSchema` is taken to implement its rules.
    """
    return any(map(_has_rules, nodes))


def _has_rules(node: Node) -> bool:
    metadata, kind = cast("Mapping[str, Any]", node.get("metadata") or {}), node.get("cls")
    own: Any = getattr(kind, "model_config", None) or getattr(kind, "__pydantic_config__", None) or {}
    functions = metadata.get("pydantic_js_annotation_functions", ())
    is_read_by_type = not str(node.get("type")).startswith("function-")
    return (
        (is_read_by_type and any(isinstance(getattr(each, "__self__", None), WithJsonSchema) for each in functions))
        or _demands(metadata.get("pydantic_js_extra"), kind)
        or _demands(own.get("json_schema_extra"), kind)
    )


def _demands(added: object, kind: object) -> bool:
    """Whether an addition constrains values. A function is applied to a sample to see what it adds."""
    if callable(added):
        sample = copy.deepcopy(_SAMPLE)
        try:
            added(*(sample, kind)[: len(inspect.signature(added).parameters)])
        except Exception:  # noqa: BLE001 - it needs a certain schema, so what it adds is not known
            return True
        added = {key: part for key, part in sample.items() if part != _SAMPLE.get(key)}
    if not isinstance(added, Mapping):
        return False
    return any(key not in _WORDS and not key.startswith("x-") for key in cast("Mapping[str, Any]", added))
