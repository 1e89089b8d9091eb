"""Finds the tool call to which a piece of a stream belongs: by its id, then by its index, then by the order.

Endpoints number and name the pieces in many ways: one index for all calls, one id for all calls, an id in each piece or
in the first, no index, no id, the name again in each piece, or a part of it. Arguments must never reach the wrong call,
so a piece that names a tool begins a new call unless it clearly continues one. A name continues only before the first
arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from remit.models.choices import index_of


def find_call(
    calls: Sequence[dict[str, Any]], piece: Mapping[str, Any], read_text: Callable[[object], str]
) -> dict[str, Any] | None:
    """The call that a piece continues; None if it starts one. ``read_text`` reads the arguments so far."""
    name = function_of(piece).get("name")
    found, has_its_id = _find_candidate(calls, piece, is_named=bool(name))
    if found is None or not name:
        return found
    begun = function_of(found)
    if not begun.get("name"):
        return found
    arguments = read_text(begun.get("arguments"))
    if begun["name"] != name:
        return None if arguments.strip() else found
    has_more = bool(function_of(piece).get("arguments"))
    return None if has_more and _is_whole(arguments) and not has_its_id else found


def with_whole_name(call: Mapping[str, Any], piece: Mapping[str, Any]) -> Mapping[str, Any]:
    """The piece of a call with the tool's whole name so far, if the piece has another part of the name."""
    begun, more = function_of(call).get("name"), function_of(piece).get("name")
    if not isinstance(begun, str) or not isinstance(more, str) or not begun or not more or begun == more:
        return piece
    key = "function" if piece.get("function") else "custom"
    return {**piece, key: {**piece[key], "name": begun + more}}


def _find_candidate(
    calls: Sequence[dict[str, Any]], piece: Mapping[str, Any], *, is_named: bool
) -> tuple[dict[str, Any] | None, bool]:
    """The call with the id of a piece, or else with its index, or else the last call; and whether the id matches."""
    number, index = piece.get("id"), index_of(piece)
    same_id = [each for each in calls if number and each.get("id") == number]
    same_index = [each for each in calls if index is not None and index_of(each) == index]
    if same_id:
        both = [each for each in same_id if index is None or index_of(each) in (index, None)]
        return (both[-1], True) if both else (None if is_named else same_id[-1], True)
    if same_index:
        is_another = is_named and number and same_index[-1].get("id")
        return (None if is_another else same_index[-1]), False
    begins = index is not None or (is_named and number) or not calls
    return (None if begins else calls[-1]), False


def function_of(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """The function of a call, or its custom tool; empty if there is none."""
    function: object = call.get("function") or call.get("custom")
    return cast("Mapping[str, Any]", function) if isinstance(function, Mapping) else {}


def _is_whole(arguments: str) -> bool:
    """Whether the arguments of a call are complete."""
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False
