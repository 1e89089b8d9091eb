"""Arguments for any tool, made of its JSON schema: those it allows, and near misses that it refuses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from hypothesis import strategies as st

Schema: TypeAlias = Mapping[str, Any]
Values: TypeAlias = st.SearchStrategy[Any]
Pools: TypeAlias = Mapping[str, Sequence[Any]]
"""By the name of a parameter, values that mean something: ids of what is there, was there, or is somebody else's."""

ODD_STRINGS: Final = (
    "",
    " ",
    "\x00",
    "a\nb",
    "é",
    "e\u0301",
    "ß",
    "İ",
    "😀",
    "\u202e\u200b",
    "%_\\",
    "'; DROP TABLE casefiles; --",
    "{{ casefile_id }}",
    "null",
    "*",
    "../..",
)
REFUSED_NAMES: Final = frozenset({"\x00", "a\nb", "e\u0301", "\u202e\u200b"})
"""Those of them that no conversation can be named: they cannot be stored or seen, or have a composed form."""

_TIMES: Final = (
    "2026-01-01T00:00:00Z",
    "2026-06-01T12:00:00.123456+14:00",
    "2024-02-29T23:59:59-12:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00",
    "2026-07-01T00:00:00",
)
_MAX_LENGTH: Final = 6_000
"""No text is made longer than this, so that a call stays small."""


class GeneratedArguments(NamedTuple):
    """The arguments of a call, as text, and whether the schema of its tool surely refuses them."""

    raw: str
    is_refused: bool


def generate_arguments(schema: Schema, pools: Pools) -> st.SearchStrategy[GeneratedArguments]:
    """Arguments that the schema allows, and now and then a near miss."""
    valid = generate_value(schema, schema, "", pools)
    return _mostly(valid.flatmap(_near_misses(schema)), valid.map(_valid_arguments))


def generate_value(schema: Schema, root: Schema, name: str, pools: Pools) -> Values:
    """Values of a part of a schema; ``name`` is the parameter's, which may have a pool."""
    if "$ref" in schema:
        found = str(schema["$ref"]).rpartition("/")[2]
        return _anything() if found == "JsonValue" else generate_value(root["$defs"][found], root, name, pools)
    if "anyOf" in schema:
        return st.one_of([generate_value(each, root, name, pools) for each in schema["anyOf"]])
    if "enum" in schema or "const" in schema:
        return st.sampled_from(list(schema.get("enum", [schema.get("const")])))
    made = _BY_TYPE.get(str(schema.get("type")), _any)(schema, root, name, pools)
    return _mostly(made, st.sampled_from(list(pools[name]))) if pools.get(name) and _is_text(schema) else made


def _mostly(one: Values, mostly: Values) -> Values:
    """One of the two, the first one time in six."""
    return st.sampled_from([mostly] * 5 + [one]).flatmap(lambda chosen: chosen)


def _valid_arguments(payload: dict[str, Any]) -> GeneratedArguments:
    return GeneratedArguments(json.dumps(payload), is_refused=False)


def _is_text(schema: Schema) -> bool:
    return schema.get("type") == "string"


def _text(schema: Schema, _root: Schema, _name: str, _pools: Pools) -> Values:
    least, most = int(schema.get("minLength", 0)), min(int(schema.get("maxLength", 80)), _MAX_LENGTH)
    if schema.get("format") == "date-time":
        return st.sampled_from(_TIMES)
    if "pattern" in schema:
        return st.from_regex(re.compile(str(schema["pattern"]), re.ASCII), fullmatch=True).map(lambda text: text[:most])
    odd = st.lists(st.sampled_from(ODD_STRINGS), min_size=1, max_size=3).map(
        lambda parts: "".join(parts)[:most].ljust(least)
    )
    bounds = st.sampled_from([least, most]).map(lambda length: "x" * length)
    return st.one_of(st.sampled_from(["ann", "bob", "about us"]).map(lambda text: text[:most]), odd, bounds)


def _number(schema: Schema, _root: Schema, _name: str, _pools: Pools) -> Values:
    least, most = int(schema.get("minimum", -(2**53) + 1)), int(schema.get("maximum", 2**53 - 1))
    return st.one_of(st.sampled_from([least, most]), st.integers(max(least, -3), min(most, 9)))


def _list(schema: Schema, root: Schema, name: str, pools: Pools) -> Values:
    least = int(schema.get("minItems", 0))
    item = generate_value(schema.get("items", {}), root, name, pools)
    return st.lists(item, min_size=least, max_size=min(int(schema.get("maxItems", 3)), least + 2))


def _object(schema: Schema, root: Schema, _name: str, pools: Pools) -> Values:
    """An object with the fields it needs, and some of the others."""
    named: Schema = schema.get("properties", {})
    if not named:
        return st.dictionaries(st.sampled_from(["title", "casefile_id", "limit", "é"]), _anything(), max_size=2)
    needed = set(schema.get("required", ()))
    fields = {name: generate_value(part, root, name, pools) for name, part in named.items()}
    must = {name: each for name, each in fields.items() if name in needed}
    return st.fixed_dictionaries(must, optional={name: each for name, each in fields.items() if name not in needed})


def _any(_schema: Schema, _root: Schema, _name: str, _pools: Pools) -> Values:
    return _anything()


def _anything() -> Values:
    return st.sampled_from([None, True, 0, -1.5, 2**53 - 1, "", "é", "\x00", [], [None], {}, {"a": [{}]}])


def _constant_generator(values: Values) -> Callable[[Schema, Schema, str, Pools], Values]:
    def made(_schema: Schema, _root: Schema, _name: str, _pools: Pools) -> Values:
        return values

    return made


_BY_TYPE: Final[dict[str, Callable[[Schema, Schema, str, Pools], Values]]] = {
    "string": _text,
    "integer": _number,
    "number": _constant_generator(st.sampled_from([0.0, -1.5, 1e300])),
    "boolean": _constant_generator(st.booleans()),
    "null": _constant_generator(st.none()),
    "array": _list,
    "object": _object,
}


def _near_misses(schema: Schema) -> Callable[[dict[str, Any]], st.SearchStrategy[GeneratedArguments]]:
    """Ways to spoil arguments of this schema, so that it surely refuses them."""
    named: Schema = schema.get("properties", {})

    def spoiled(payload: dict[str, Any]) -> st.SearchStrategy[GeneratedArguments]:
        ways = [json.dumps({**payload, "unheard_of": 1}), "[]", "null", "", "{", "[" * 300, '"text"']
        ways += [json.dumps({**payload, name: "\ud800"}) for name in named]
        for name in schema.get("required", ()):
            ways.append(json.dumps({key: each for key, each in payload.items() if key != name}))
            ways.append(json.dumps({**payload, name: True if _is_text(named[name]) else None}))
        for name, part in named.items():
            ways += [_replace_value(payload, name, text) for text in _refused_values(part)]
        return st.sampled_from(ways).map(lambda raw: GeneratedArguments(raw, is_refused=True))

    return spoiled


def _refused_values(part: Schema) -> list[str]:
    """Values, as JSON, that a part of a schema refuses."""
    kinds = {str(each.get("type")) for each in part.get("anyOf", [part])}
    wrong = ["1e999", "NaN", "9" * 400, "1.5", '{"a": 1}', f'"{chr(92)}udfff"']
    if "boolean" not in kinds:
        wrong.append("true")
    if "array" not in kinds:
        wrong.append("[]")
    if "string" not in kinds:
        wrong += ['"1"', '"yes"']
    if "boolean" in kinds and "integer" not in kinds:
        wrong.append("1")
    for each in part.get("anyOf", [part]):
        if _is_text(each) and "maxLength" in each and int(each["maxLength"]) <= _MAX_LENGTH:
            wrong.append(json.dumps("x" * (int(each["maxLength"]) + 1)))
        if _is_text(each) and int(each.get("minLength", 0)) > 0:
            wrong.append('""')
        if each.get("type") == "integer":
            wrong += [str(int(each[name]) + step) for name, step in (("minimum", -1), ("maximum", 1)) if name in each]
    loose = "$ref" in part or "object" in kinds or "number" in kinds
    return [] if loose else wrong


def _replace_value(payload: dict[str, Any], name: str, text: str) -> str:
    """The payload as JSON, with one value as that text."""
    rest = [f"{json.dumps(key)}: {json.dumps(each)}" for key, each in payload.items() if key != name]
    return "{" + ", ".join([*rest, f"{json.dumps(name)}: {text}"]) + "}"
