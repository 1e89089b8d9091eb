"""Which call a piece of a stream belongs to."""

from __future__ import annotations

from typing import Any

import pytest

from remit.models.call_pieces import find_call, with_whole_name


def piece(name: str = "", arguments: str = "", **fields: Any) -> dict[str, Any]:
    return {"function": {"name": name, "arguments": arguments}, **fields}


ONE = piece("look", '{"a":', id="c1", index=0)
WHOLE = piece("look", "{}", index=0)


@pytest.mark.parametrize(
    ("known", "added", "expected"),
    [
        ([], piece("look", id="c1"), None),
        ([ONE], piece("", "1}", index=0), 0),
        ([ONE], piece("", "1}", id="c1"), 0),
        ([ONE], piece("look", "1}", id="c1", index=0), 0),
        ([ONE], piece("", "1}", id="c9", index=0), 0),
        ([ONE], piece("", "1}"), 0),
        ([ONE], piece("look", "{}", id="c2", index=0), None),
        ([ONE], piece("look", "{}", id="c1", index=1), None),
        ([ONE], piece("", "1}", id="c1", index=1), 0),
        ([ONE], piece("drop", "{}", id="c1", index=0), None),
        ([ONE], piece("drop", "{}", index=0), None),
        ([ONE], piece("look", "{}"), 0),
        ([ONE], piece("look", "{}", id="c2"), None),
        ([ONE], piece("drop", "{}"), None),
        ([WHOLE], piece("look", "{}"), None),
        ([ONE], piece("", "1}", index="0"), 0),
        ([piece("look")], piece("look", "{}"), 0),
        ([piece("look", index=0)], piece("_all", index=0), 0),
        ([piece("look", id="c1", index=0)], piece("_all", "{}", id="c2", index=0), None),
        ([piece("look", "{}", index=0)], piece("_all", index=0), None),
        ([ONE], piece("", "{}", index=1), None),
        ([WHOLE], piece("look", "{}", index=0), None),
        ([WHOLE], piece("look", "", index=0), 0),
        ([piece("look", "[" * 100_000, index=0)], piece("look", "{}", index=0), 0),
        ([piece("", "", index=0)], piece("look", "{}", id="c1", index=0), 0),
        ([{"index": 0, "function": None}], piece("look", index=0), 0),
        ([ONE, piece("drop", "", id="c2", index=0)], piece("", "{}", index=0), 1),
        ([ONE, piece("drop", "", id="c2", index=1)], piece("", "1}", index=0), 0),
    ],
)
def test_a_piece_continues_a_call_by_its_id_its_index_or_the_order(
    known: list[dict[str, Any]], added: dict[str, Any], expected: int | None
) -> None:
    found = find_call(known, added, str)
    assert found is (None if expected is None else known[expected])


@pytest.mark.parametrize("key", ["function", "custom"])
@pytest.mark.parametrize(
    ("begun", "more", "whole"),
    [
        ("look", "_all", "look_all"),
        ("look", "look", "look"),
        ("look", "", ""),
        ("", "look", "look"),
        (None, "look", "look"),
        ("look", None, None),
    ],
)
def test_the_parts_of_a_name_are_joined(key: str, begun: object, more: object, whole: object) -> None:
    added = {"index": 0, key: {"name": more, "arguments": "{"}}
    assert with_whole_name({key: {"name": begun}}, added) == {"index": 0, key: {"name": whole, "arguments": "{"}}
