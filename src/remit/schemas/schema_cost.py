"""Bounds the cost of JSON schemas from outside, and of checking values against them.

A validator checks a part of a value once for each schema that describes it. References that converge, and recursive
alternatives, can double that number at each step, so a short schema could cost hours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple, cast

from remit.errors import ContractError
from remit.schemas.json_schema import JsonSchema
from remit.schemas.json_validator import Problem, SchemaMismatchError
from remit.schemas.schema_document import DEFINITION_KEYS, iter_children, iter_schemas, resolve_pointer

MAX_DEPTH: Final = 100
"""The maximum nesting of lists and objects in a value."""
MAX_CHECKS: Final = 1_000_000
"""The maximum total checks of the parts of one value."""
MAX_SAME_VALUE: Final = 10_000
"""The maximum number of schemas for the same value, each counted once per path to it."""
MAX_IN_PLACE: Final = 64
"""The maximum length of a chain of schemas for the same value."""
MAX_REACHED: Final = 100_000
"""The maximum total of schemas reachable from a document's alternatives, which are each compiled with all of these."""

_SAME_VALUE_KEYS: Final = frozenset({"allOf", "anyOf", "oneOf", "if", "then", "else", "not", "dependentSchemas"})
_CHOICE_KEYS: Final = frozenset({"anyOf", "oneOf", "if"})
_OVERLAPPING_KEYS: Final = frozenset({"patternProperties", "contains", "propertyNames"})
"""Keywords whose schemas may describe a part that another keyword also describes."""


class _Node(NamedTuple):
    """A schema and the numbers of the schemas to which it leads: for the same value and for its parts.

    ``choices`` are also compiled separately: alternatives, and properties with a default.
    """

    pointer: str
    same: list[int]
    parts: list[int]
    overlapping: list[int]
    choices: list[int]
    patterns: int


class SchemaCost:
    """The maximum checks of each part of a value by a document's validator.

    ``patterns`` is the number of compiled patterns, each counted once per compiled schema that leads to it.

    Raises:
        ContractError: the document costs too much for any value, or has a reference only to itself.
    """

    def __init__(self, document: JsonSchema) -> None:
        self._nodes = _read_nodes(document)
        self._order = _order_nodes(self._nodes)
        self._checks = [1] * len(self._nodes)
        self._by_depth: list[int] = []
        self._grow()
        for number, checks in enumerate(self._checks):
            if checks > MAX_SAME_VALUE:
                what = f"more than {MAX_SAME_VALUE:,} schemas describe the same value at {self._nodes[number].pointer}"
                raise ContractError(f"its JSON schema costs too much: {what}; combine fewer of them")
        self._check_choices()

    def count(self, value: object) -> int:
        """The maximum number of checks for a value.

        Raises:
            SchemaMismatchError: it is nested too deeply, or needs too many checks.
        """
        depth, size = _measure(value)
        if depth > MAX_DEPTH:
            raise SchemaMismatchError([Problem((), f"Input should nest at most {MAX_DEPTH} levels")])
        while len(self._by_depth) <= depth and self._grow():
            pass
        checks = size * self._by_depth[min(depth, len(self._by_depth) - 1)]
        if checks > MAX_CHECKS:
            what = f"at {size:,} parts and {depth} levels, the alternatives of the schema"
            message = f"Input should be smaller or nest less: {what} take more than {MAX_CHECKS:,} checks"
            raise SchemaMismatchError([Problem((), message)])
        return checks

    def _grow(self) -> bool:
        """Count the checks of values nested one level deeper; false if there are none."""
        before, checks = self._checks, [0] * len(self._nodes)
        for number in self._order:
            node = self._nodes[number]
            parts = 0
            if self._by_depth:
                parts = max((before[each] for each in node.parts), default=0)
                parts += sum(before[each] for each in node.overlapping)
            checks[number] = min(max(parts, 1) + sum(checks[each] for each in node.same), MAX_CHECKS + 1)
        if self._by_depth and checks == before:
            return False
        self._checks = checks
        self._by_depth.append(checks[0])
        return True

    def _check_choices(self) -> None:
        reached, self.patterns = 0, sum(node.patterns for node in self._nodes)
        for start in (each for node in self._nodes for each in node.choices):
            seen, pending = {start}, [start]
            while pending:
                node = self._nodes[pending.pop()]
                new = {*node.same, *node.parts, *node.overlapping} - seen
                seen |= new
                pending += new
                if reached + len(seen) > MAX_REACHED:
                    what = f"its alternatives lead to more than {MAX_REACHED:,} schemas, each counted for each of them"
                    raise ContractError(f"its JSON schema costs too much: {what}; give it fewer alternatives")
            reached += len(seen)
            self.patterns += sum(self._nodes[number].patterns for number in seen)


def _read_nodes(document: JsonSchema) -> list[_Node]:
    schemas = list(iter_schemas(document))
    numbers = {id(schema): number for number, (_, schema) in enumerate(schemas)}
    return [_read_node(document, pointer, schema, numbers) for pointer, schema in schemas]


def _read_node(document: JsonSchema, pointer: str, schema: JsonSchema, numbers: Mapping[int, int]) -> _Node:
    patterns = ("pattern" in schema) + len(schema.get("patternProperties", ()))
    node = _Node(pointer, [], [], [], [], patterns)
    if "$ref" in schema:
        node.same.extend(_numbers_of([resolve_pointer(document, schema["$ref"])], numbers))
    for name, child in iter_children(schema):
        key = name.partition("/")[0]
        found = list(_numbers_of([child], numbers))
        if key in _SAME_VALUE_KEYS:
            node.same.extend(found)
            node.choices.extend(found if key in _CHOICE_KEYS else ())
        elif key not in DEFINITION_KEYS:
            (node.overlapping if key in _OVERLAPPING_KEYS else node.parts).extend(found)
            has_default = key == "properties" and isinstance(child, dict) and "default" in child
            node.choices.extend(found if has_default else ())
    return node


def _numbers_of(schemas: Iterable[object], numbers: Mapping[int, int]) -> Iterator[int]:
    return (numbers[id(cast("JsonSchema", each))] for each in schemas if isinstance(each, dict))


def _order_nodes(nodes: list[_Node]) -> list[int]:
    """Order the nodes so that each follows those to which it leads for the same value."""
    levels: dict[int, int] = {}
    for first in range(len(nodes)):
        path, pending = list[int](), [first]
        while pending:
            number = pending[-1]
            if number in levels:
                pending.pop()
            elif path and path[-1] == number:
                levels[number] = 1 + max((levels[each] for each in nodes[number].same), default=0)
                path.pop()
                pending.pop()
            else:
                path.append(number)
                if around := set(path).intersection(nodes[number].same):
                    where = nodes[min(around)].pointer
                    raise ContractError(f"its JSON schema refers only to itself at {where}; describe a type there")
                if len(path) > MAX_IN_PLACE:
                    where = nodes[number].pointer
                    what = f"more than {MAX_IN_PLACE} schemas for the same value follow one another at {where}"
                    raise ContractError(f"its JSON schema is nested too deeply: {what}")
                pending += [each for each in nodes[number].same if each not in levels]
    return sorted(levels, key=lambda each: levels[each])


def _measure(value: object) -> tuple[int, int]:
    """The nesting depth and the total number of parts."""
    depth, size = -1, 0
    level = [value]
    while level:
        depth, size = depth + 1, size + len(level)
        level = [part for each in level for part in _parts(each)]
    return depth, size


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()
