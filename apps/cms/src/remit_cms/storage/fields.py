"""The fields of values: what of a part is edited by itself, such as a colour of a theme, and what an edit builds on."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final

from pydantic import JsonValue

from remit_cms.models import Content
from remit_cms.templates.image_values import FOCAL_POINT

_MARK: Final = "#"
_TOKEN: Final = re.compile(r"\s+|[\u2e80-\U0003ffff]|[^\s\u2e80-\U0003ffff]+")
"""A word with its punctuation, what is between words, or a character of a script that has no words between spaces."""

_EDGES: Final = re.compile(r"^\W+|\W+$")


def split_values(values: Mapping[str, JsonValue], divided: Collection[str]) -> dict[str, JsonValue]:
    """The values of a document by field. The slots in ``divided`` hold values of which each key is a field.

    An image in a slot has its texts and its focal point as fields, which belong to that image: they have no place where
    another one is shown.
    """
    fields: dict[str, JsonValue] = {}
    for part, value in values.items():
        if not isinstance(value, dict):
            fields[part] = value
        elif "imageId" in value:
            fields |= _split_image(part, value)
        elif part.rpartition("/")[2] in divided:
            fields |= {f"{part}{_MARK}{key}": Content({key: each}) for key, each in value.items()}
        else:
            fields[part] = value
    return fields


def _split_image(part: str, slot: Content) -> Iterator[tuple[str, JsonValue]]:
    image = slot["imageId"]
    yield part, Content(imageId=image)
    if point := Content({key: slot[key] for key in FOCAL_POINT if key in slot}):
        yield f"{part}{_MARK}{image}{_MARK}point", point
    for key in slot.keys() - {"imageId", *FOCAL_POINT}:
        yield f"{part}{_MARK}{image}{_MARK}{key}", Content({key: slot[key]})


def join_values(fields: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The values that `split_values` made these fields of. Fields without a place are left out."""
    values = {field: value for field, value in fields.items() if part_of_field(field) == field}
    for field, value in fields.items():
        part = part_of_field(field)
        if part != field and has_value(field, fields) and isinstance(value, dict):
            whole = values.get(part)
            values[part] = {**(whole if isinstance(whole, dict) else {}), **value}
    return values


def part_of_field(field: str) -> str:
    """The part to which a field belongs; it may be the whole of it."""
    return field.partition(_MARK)[0]


def has_value(field: str, fields: Mapping[str, JsonValue]) -> bool:
    """Whether there is the value of which this is a field: it needs the image that it is of."""
    match field.split(_MARK):
        case [part, image, _]:
            return fields.get(part) == {"imageId": image}
        case _:
            return True


def builds_on_others(base: JsonValue, before: JsonValue, after: JsonValue) -> bool:
    """Whether an edit from one value to another keeps something that ``base`` lacks, such as a sentence of another.

    An edit that has replaced all that others wrote does not.
    """
    if base in (before, after) or None in (before, after):
        return False
    if isinstance(before, dict) and isinstance(after, dict):
        return _keeps_a_key(base if isinstance(base, dict) else {}, before, after)
    if isinstance(before, (str, list)) and isinstance(after, type(before)):
        former = _tokens(base) if isinstance(base, type(before)) else []
        return _keeps_a_token(former, _tokens(before), _tokens(after))
    return False


def _keeps_a_key(base: Content, before: Content, after: Content) -> bool:
    if len(before) == len(after) == 1:  # a reference, which is replaced as a whole
        (key,) = before
        return key in after and builds_on_others(base.get(key), before[key], after[key])
    others = [key for key in {**base, **before} if base.get(key) != before.get(key)]
    return any(
        before.get(key) == after.get(key) or builds_on_others(base.get(key), before.get(key), after.get(key))
        for key in others
    )


def _keeps_a_token(base: Sequence[str], before: Sequence[str], after: Sequence[str]) -> bool:
    """Whether the edit left anything where others had edited, or wrote some words again that are theirs alone."""
    first, last, former_end = _changed_span(before, base)
    start, end, latter_end = _changed_span(before, after)
    if not (start <= first and last <= end):
        return True
    theirs = {*map(_word, before[first:last])} - {"", *map(_word, base[first:former_end])}
    return not theirs.isdisjoint(map(_word, after[start:latter_end]))


def _changed_span(one: Sequence[Hashable], other: Sequence[Hashable]) -> tuple[int, int, int]:
    """Where what two sequences do not share begins and ends in the first one, and where it ends in the second one."""
    start = _count_alike(one, other)
    rest = _count_alike(one[start:][::-1], other[start:][::-1])
    return start, len(one) - rest, len(other) - rest


def _count_alike(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _tokens(value: JsonValue) -> list[str]:
    if isinstance(value, str):
        return _TOKEN.findall(value)
    return [json.dumps(each, sort_keys=True) for each in value] if isinstance(value, list) else []


def _word(token: str) -> str:
    return _EDGES.sub("", token)
