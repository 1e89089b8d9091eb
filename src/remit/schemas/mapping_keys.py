"""The keys of mappings. In JSON they are texts, so a type can be a key only if each of its values has one text.

If a value had two texts, such as ``1`` and ``01``, one would be lost or read back as the other.
"""

from __future__ import annotations

from typing import Any, Final

from remit.errors import ContractError
from remit.schemas.core_nodes import Node, list_choices

WHOLE_NUMBER_KEY: Final = r"^(0|-?[1-9]\d*)$"
BOOLEAN_KEY: Final = "^(true|false)$"
UUID_KEY: Final = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
_SHOWN: Final[dict[str, dict[str, Any]]] = {
    "int": {"pattern": WHOLE_NUMBER_KEY},
    "bool": {"pattern": BOOLEAN_KEY},
    "uuid": {"pattern": UUID_KEY},
    "date": {"format": "date"},
}
_TEXTS: Final = frozenset({"bytes", "str"})
_CHANGES: Final = ("strip_whitespace", "to_lower", "to_upper")
_CHECKED: Final = frozenset({"function-after", "function-before", "function-wrap"})


def show_keys(mapping: Node) -> dict[str, Any] | None:
    """The ``propertyNames`` of a JSON schema for keys that are not texts; None for texts, which pydantic shows.

    Raises:
        ContractError: a value of the key type may have several texts, or cannot be read back from its text.
    """
    node = _find_checked(mapping["keys_schema"])
    if node["type"] == "any" == mapping.get("values_schema", node)["type"]:
        return None  # values without a declared type are written with the texts of their keys
    words = _list_words(node)
    if node["type"] in _SHOWN:
        return _SHOWN[node["type"]]
    if node.get("sub_type") == "int":
        return {"pattern": WHOLE_NUMBER_KEY, "enum": [str(each) for each in words]}
    if not _is_text(node):
        raise ContractError(
            f"a mapping has keys of a type ({node['type']}) whose values can have several JSON representations; "
            "write dict[str, …], or take int, bool, date, UUID, or the words of an Enum or Literal as keys"
        )
    return None


def _is_text(node: Node) -> bool:
    """Whether keys are texts that reading does not change."""
    if node["type"] == "union":
        return all(_is_text(_find_checked(each)) for each in list_choices(node))
    if any(node.get(each) for each in _CHANGES):
        return False
    words = _list_words(node)
    return node["type"] in _TEXTS or (bool(words) and all(isinstance(each, str) for each in words))


def _list_words(node: Node) -> list[object]:
    """The values of an enumeration or a literal; none for other types."""
    return [each.value for each in node["members"]] if node["type"] == "enum" else node.get("expected", [])


def _find_checked(node: Node) -> Node:
    """The type whose values functions check, unless it has a custom serializer."""
    while node["type"] in _CHECKED and "serialization" not in node:
        node = node["schema"]
    return {"type": "with a serializer"} if "serialization" in node else node
