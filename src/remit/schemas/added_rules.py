"""Finds rules that the author of a type wrote into its JSON schema by hand, which pydantic shows and does not check."""

from __future__ import annotations

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
"""The words of JSON schemas and of OpenAPI that demand nothing of a value. An author's own ones begin with ``x-``."""


def has_added_rules(nodes: Iterable[Node]) -> bool:
    """Whether a type has ``json_schema_extra`` or `WithJsonSchema` that say what its values are like.

    What a function adds is not known, so it counts.
    """
    return any(map(_has_rules, nodes))


def _has_rules(node: Node) -> bool:
    metadata = cast("Mapping[str, Any]", node.get("metadata") or {})
    own: Any = (
        getattr(node.get("cls"), "model_config", None) or getattr(node.get("cls"), "__pydantic_config__", None) or {}
    )
    functions = metadata.get("pydantic_js_annotation_functions", ())
    return (
        any(isinstance(getattr(each, "__self__", None), WithJsonSchema) for each in functions)
        or _demands(metadata.get("pydantic_js_extra"))
        or _demands(cast("Mapping[str, Any]", own).get("json_schema_extra"))
    )


def _demands(added: object) -> bool:
    if isinstance(added, Mapping):
        return any(key not in _WORDS and not key.startswith("x-") for key in cast("Mapping[str, Any]", added))
    return added is not None
