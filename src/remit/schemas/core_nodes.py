"""Walk through pydantic's core schemas, which are nested dictionaries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, cast

Node = dict[str, Any]

_CONTAINER_TYPES: Final = (dict, list, tuple)
_NON_SCHEMA_KEYS: Final = frozenset({"default", "expected", "metadata", "keys_schema"})


def iter_nodes(schema: Any) -> Iterator[Node]:
    """Iterate over the nodes of a core schema, outermost first."""
    pending = [schema]
    while pending:
        part = pending.pop()
        if isinstance(part, dict):
            node = cast("Node", part)
            is_mapping = not isinstance(node.get("type"), str)  # schemas by name
            if not is_mapping:
                yield node
            for key, value in reversed(node.items()):
                if isinstance(value, _CONTAINER_TYPES) and (is_mapping or key not in _NON_SCHEMA_KEYS):
                    pending.append(value)
        elif isinstance(part, (list, tuple)):
            pending += reversed(cast("list[Any]", part))


def transform_nodes(part: Any, change: Callable[[Node, Node], None]) -> Any:
    """Copy a core schema and apply ``change`` to each copied node and its original, innermost first."""
    if isinstance(part, (list, tuple)):  # a tuple holds a union member and its label
        return type(cast("list[Any]", part))(transform_nodes(each, change) for each in cast("list[Any]", part))
    if not isinstance(part, dict):
        return part
    node = cast("Node", part)
    if not isinstance(node.get("type"), str):  # schemas by name
        return {key: transform_nodes(value, change) for key, value in node.items()}
    copy = {key: value if key in _NON_SCHEMA_KEYS else transform_nodes(value, change) for key, value in node.items()}
    change(copy, node)
    return copy


def keeps_extra_fields(node: Node) -> bool:
    """Whether the node is a model or dataclass that keeps unknown keys."""
    return extra_behavior(node) == "allow"


def extra_behavior(node: Node) -> str:
    """What a model or dataclass does with unknown keys: ``"ignore"``, ``"forbid"`` or ``"allow"``."""
    return str(node.get("config", {}).get("extra_fields_behavior", "ignore"))


def list_choices(union: Node) -> list[Node]:
    """The nodes among which a union chooses."""
    return [choice[0] if isinstance(choice, tuple) else choice for choice in union["choices"]]
