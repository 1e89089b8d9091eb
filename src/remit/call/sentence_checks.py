"""Checks the sentences and the undo of a tool against its contract, so that each name in them has a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast, get_args

from msgspec import Struct

from remit.call.contract import InputSchema, OutputSchema
from remit.call.facts import Facts
from remit.call.sentences import Tense, Value, values_of
from remit.errors import ContractError
from remit.schemas.suggestions import suggest

Schema = Mapping[str, Any]

WHOLE_RESULT: Final = "result"
"""The name of a result that is not an object."""


class _Found(Struct, frozen=True):
    """A property: its schema, and whether every value has it."""

    schema: Schema
    is_certain: bool


def check_sentences(name: str, facts: Facts, schema_in: InputSchema[Any], schema_out: OutputSchema[Any]) -> None:
    """Refuse sentences or an undo that name what a call does not have.

    Raises:
        ContractError: names the sentence, the name and the line to write.
    """
    if facts.says is not None:
        for tense in get_args(Tense):
            template = facts.says.form(tense)
            for value, is_needed in values_of(facts.says.parts(tense)):
                found = _find(value, schema_in, schema_out)
                shown = f"{{{'.'.join(value.path)}}}"
                what = f"{name} says {template!r}: {shown}"
                _check_value(what, value, found, schema_in, schema_out)
                is_there = found is not None and found.is_certain and (tense == "done" or _is_input(value, schema_in))
                if is_needed and not is_there:
                    when = "may be missing" if _is_input(value, schema_in) else "is known only when the call has ended"
                    raise ContractError(
                        f"{what} {when}; put it in brackets, with the words that need it: [ of {shown}]"
                    )
    if facts.undo is not None:
        for argument, value, _ in facts.undo.values():
            if value is not None:
                what = f"{name}: undo {facts.undo.tool!r} takes {argument!r} from {{{'.'.join(value.path)}}}, which"
                _check_value(what, value, _find(value, schema_in, schema_out), schema_in, schema_out)


def _check_value(
    what: str, value: Value, found: _Found | None, schema_in: InputSchema[Any], schema_out: OutputSchema[Any]
) -> None:
    if found is None:
        names = {*_properties(schema_in.json_schema), *_properties(schema_out.json_schema)}
        remedy = suggest(value.path[0], names)
        raise ContractError(f"{what} is neither an argument nor a field of the result; {remedy}")
    if any(each.get("format") == "password" for each in _alternatives(found.schema, {})):
        raise ContractError(f"{what} is a secret, which no sentence may show; leave it out")


def _is_input(value: Value, schema_in: InputSchema[Any]) -> bool:
    return _find_property(schema_in.json_schema, value.path) is not None


def _find(value: Value, schema_in: InputSchema[Any], schema_out: OutputSchema[Any]) -> _Found | None:
    """The property that a value names: an argument, or else a field of the result."""
    found = _find_property(schema_in.json_schema, value.path)
    if found is not None:
        return found
    schema = schema_out.json_schema
    found = _find_property(schema, value.path)
    if found is None and value.path == (WHOLE_RESULT,) and not _properties(schema):
        return _Found(schema, is_certain=False)
    return found


def _find_property(whole: Schema, path: tuple[str, ...]) -> _Found | None:
    definitions = cast("Schema", whole.get("$defs", {}))
    found = _Found(whole, is_certain=True)
    for name in path:
        having = [each for each in _alternatives(found.schema, definitions) if name in each.get("properties", {})]
        if not having:
            return None
        all_have = len(having) == sum(1 for _ in _alternatives(found.schema, definitions))
        is_certain = found.is_certain and all_have and all(name in each.get("required", ()) for each in having)
        found = _Found(having[0]["properties"][name], is_certain)
    can_be_null = any(each.get("type") == "null" for each in _alternatives(found.schema, definitions))
    return _Found(found.schema, found.is_certain and not can_be_null)


def _properties(schema: Schema) -> set[str]:
    definitions = cast("Schema", schema.get("$defs", {}))
    return {name for each in _alternatives(schema, definitions) for name in each.get("properties", {})}


def _alternatives(schema: Schema, definitions: Schema, depth: int = 0) -> Iterator[Schema]:
    """The schemas of which a value satisfies one, without references."""
    named = str(schema.get("$ref", "")).rpartition("/")[2]
    parts = [definitions[named]] if named in definitions else []
    for several in ("anyOf", "oneOf", "allOf"):
        parts += cast("list[Schema]", schema.get(several, []))
    if not parts or depth > _MAX_DEPTH:
        yield schema
        return
    for each in parts:
        yield from _alternatives(each, definitions, depth + 1)


_MAX_DEPTH: Final = 8
