"""Tools of servers and documents of others: each loads, takes right arguments, and refuses wrong ones.

Another validator, `jsonschema`, says which arguments are right. `scripts/collect_corpus.py` collects the tools.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from jsonschema import Draft202012Validator

from figures.figure import Figure, no_violations
from remit import Tool
from remit.errors import ContractError, InvalidArgumentsError
from remit.openapi import OpenApi

CORPUS: Final = Path(__file__).parent / "corpus"
_DEEPEST: Final = 8
_TEXTS: Final = {
    "date": "2026-11-28",
    "date-time": "2026-11-28T12:00:00Z",
    "email": "ada@bakery.example",
    "uri": "https://bakery.example/",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
}
_PATTERNED: Final = (
    "x",
    "1.0.0",
    "0" * 40,
    f"sha256:{'0' * 64}",
    "A" * 100,
    "2026-11-28T12:00:00Z",
    "https://a.example/",
    "123e4567-e89b-42d3-a456-426614174000",
    "ssh-rsa AAAA",
    "refs/heads/a",
)
"""Texts of which one fits each pattern."""
_WRONG: Final[Mapping[str, Any]] = {
    "string": 3,
    "integer": "three",
    "number": "three",
    "boolean": "yes",
    "array": "one",
    "object": "one",
}
"""A value of another type, for each type."""

Named = tuple[str, dict[str, Any]]


def servers() -> dict[str, list[Named]]:
    """The name and the schema of each tool, by server."""
    found = dict[str, list[Named]]()
    for path in sorted(CORPUS.glob("*.json")):
        told = json.loads(path.read_text(encoding="utf-8"))
        found[path.stem] = [(each["name"], each["inputSchema"]) for each in told["tools"]]
    return found


def operations(step: int = 1) -> list[Named]:
    """The name and the schema of each operation of GitHub's document, or of each ``step``-th, and the refused ones."""
    text = gzip.decompress((CORPUS / "github-openapi.json.gz").read_bytes()).decode()
    api = OpenApi(text, "github-openapi.json")
    found = [(each.name, each.schema) for each in api.operations.values()][::step]
    return [*found, *((name, {}) for name in api.refused)]


async def _do_nothing(_arguments: dict[str, Any]) -> None:
    """Take the arguments."""


def check(name: str, schema: dict[str, Any]) -> tuple[int, list[str]]:
    """How many arguments were given to a tool, and what it did with them that it must not."""
    try:
        tool = Tool.from_schema(name[:64].replace(".", "_"), "A tool of somebody else.", schema, _do_nothing)
    except ContractError as error:
        return 1, [f"{name} does not load: {error}"]
    right = Sample(schema).of(schema)
    validator: Any = Draft202012Validator({key: each for key, each in schema.items() if key != "$schema"})
    if not validator.is_valid(right):
        return 1, [f"{name} has no right arguments here, but {json.dumps(right)[:200]}"]
    wrong = [each for each in make_wrong(schema, right) if not validator.is_valid(each)]
    given = [(right, True), *((each, False) for each in wrong)]
    found = list[str]()
    for arguments, is_right in given:
        try:
            tool.build_arguments(**arguments)
            took = True
        except InvalidArgumentsError:
            took = False
        if took is not is_right:
            found.append(f"{name} {'takes' if took else 'refuses'} {json.dumps(arguments)[:200]}")
    return len(given), found


class Sample:
    """Makes the smallest right value of a schema."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root

    def of(self, schema: Any, depth: int = 0) -> Any:
        """A value that the schema accepts, unless it has rules that are too rare to follow."""
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return None
        node = self._follow(cast("dict[str, Any]", schema))
        if "const" in node:
            return node["const"]
        if "enum" in node:
            return node["enum"][0]
        for key in ("anyOf", "oneOf"):
            if key in node and "type" not in node:
                return self.of(node[key][0], depth + 1)
        if "allOf" in node and "type" not in node:
            parts = [self.of(each, depth + 1) for each in node["allOf"]]
            fields = [cast("dict[str, Any]", each) for each in parts if isinstance(each, dict)]
            return {key: value for each in fields for key, value in each.items()} if fields else parts[0]
        return self._of_type(node, depth)

    def _of_type(self, node: dict[str, Any], depth: int) -> Any:
        listed: object = node.get("type", "object" if "properties" in node else None)
        kind = cast("list[object]", listed)[0] if isinstance(listed, list) else listed
        if kind == "object":
            return self._of_object(node, depth)
        if kind == "array":
            return [self.of(node.get("items", {}), depth + 1) for _ in range(int(node.get("minItems", 0)))]
        if kind == "string":
            pattern = node.get("pattern")
            if pattern is not None:
                return next((each for each in _PATTERNED if re.search(pattern, each)), "x")
            text = _TEXTS.get(node.get("format", ""), "x")
            return text.ljust(node.get("minLength", 0), "x")[: node.get("maxLength", 1 << 20)]
        if kind in ("integer", "number"):
            least = node.get("minimum", node.get("exclusiveMinimum", 0) + ("exclusiveMinimum" in node))
            return min(max(least, 1), node.get("maximum", 1 << 30))
        return True if kind == "boolean" else None

    def _of_object(self, node: dict[str, Any], depth: int) -> dict[str, Any]:
        """What an object needs itself, by its first alternative, and as many more fields as it needs."""
        alternatives: list[dict[str, Any]] = node.get("anyOf", node.get("oneOf", []))
        branch = self._follow(alternatives[0] if alternatives else {})
        properties = {**node.get("properties", {}), **branch.get("properties", {})}
        names = dict.fromkeys([*node.get("required", ()), *branch.get("required", ())])
        names |= dict.fromkeys([*properties][: max(node.get("minProperties", 0), branch.get("minProperties", 0))])
        return {key: self.of(properties.get(key, {}), depth + 1) for key in names}

    def _follow(self, node: dict[str, Any]) -> dict[str, Any]:
        for _ in range(_DEEPEST):
            if "$ref" not in node:
                break
            part: Any = self._root
            for name in node["$ref"].removeprefix("#/").split("/"):
                part = part[name.replace("~1", "/").replace("~0", "~")]
            node = part
        return node


def make_wrong(schema: dict[str, Any], right: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Arguments that a schema refuses, as the other validator judges: one missing, or one of another type."""
    for key in schema.get("required", ()):
        yield {name: value for name, value in right.items() if name != key}
    for key, described in schema.get("properties", {}).items():
        kind: object = cast("dict[str, object]", described).get("type") if isinstance(described, dict) else None
        if isinstance(kind, str) and kind in _WRONG:
            yield {**right, key: _WRONG[kind]}


def figures(*, short: bool = False) -> list[Figure]:
    """The tools of servers, and the operations of GitHub; with ``short`` every tenth of those."""
    found, n, wrong = servers(), 0, list[str]()
    for name, tools in {**found, "GitHub": operations(10 if short else 1)}.items():
        for tool, schema in tools:
            count, problems = check(tool, schema)
            n += count
            wrong += [f"{name}: {each}" for each in problems]
    tools = sum(map(len, found.values()))
    how = f"arguments of {tools} tools of {len(found)} servers and of GitHub's operations that are judged otherwise"
    how += f"; {wrong[:3]}" if wrong else ""
    return [no_violations("schemas.corpus_wrong", len(wrong), n, how)]
