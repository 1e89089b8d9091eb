"""How edits of several change sets lie over what visitors see of a document, in the model of its editors."""

from __future__ import annotations

from figures.cms_model import FIELDS, ORDERS, Page, Values


def lay(page: Page, base: Values | None, numbers: list[int], published: list[int]) -> tuple[Values | None, bool]:
    """What a state becomes by the edits of revisions, and whether they lack a place in it.

    ``published`` are the revisions whose edits visitors saw: an edit of what one of them changed later is left out.
    """
    is_missing = False
    for first, last in _runs(numbers):
        before, after = _before(page, first), page.values(last) or {}
        if base is None and before is not None:
            return None, True
        if base is None:
            base = dict(after)
            continue
        overruled = {part for each in published if each > last for part in _parts_of(page, each)}
        base, lacks = apply(base, before or {}, after, overruled)
        is_missing = is_missing or lacks
    return base, is_missing


def _before(page: Page, number: int) -> Values | None:
    return page.values(number - 1) if number > 1 else None


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _parts_of(page: Page, number: int) -> set[str]:
    after = page.values(number)
    return set() if after is None else changed_parts(_before(page, number) or {}, after)


def changed_parts(before: Values, after: Values) -> set[str]:
    """The values that differ, what is new or gone in an order, and the orders of which the rest stands otherwise."""
    names = {*before, *after} - ORDERS
    parts = {name for name in names if before.get(name) != after.get(name)}
    for order in ORDERS & {*before, *after}:
        old, new = before.get(order, []), after.get(order, [])
        parts |= {f"{order}/{each}" for each in {*old} ^ {*new}}
        if [each for each in old if each in new] != [each for each in new if each in old]:
            parts.add(order)
    return parts


def apply(base: Values, before: Values, after: Values, left_out: set[str]) -> tuple[Values, bool]:
    """The changes from one state to another, applied to a third one, and whether one of them has no place there."""
    changed = changed_parts(before, after) - left_out
    result, is_missing = dict(base), False
    for order in ORDERS & {*base, *after}:
        result[order] = _merge(order, base.get(order, []), before.get(order, []), after.get(order, []), changed)
    there = {each for order in ORDERS for each in result.get(order, ())}
    known = {each for order in ORDERS for state in (base, before, after) for each in state.get(order, ())}
    for name in changed:
        if name in ORDERS or "/" in name:
            continue
        owner = name.split(" ")[0]
        value = after.get(name)
        if owner in known and owner not in there:
            is_missing = is_missing or value is not None
        elif value is None and name not in FIELDS:
            result.pop(name, None)
        else:
            result[name] = value
    gone = known - there
    kept = {name: value for name, value in result.items() if name.split(" ")[0] not in gone}
    return kept, is_missing


def _merge(order: str, base: list[str], before: list[str], after: list[str], changed: set[str]) -> list[str]:
    merged = [*base]
    if order in changed:
        moved = iter([each for each in after if each in base])
        merged = [next(moved) if each in after else each for each in base]
    for place, each in enumerate(after):
        if each in before or each in merged:
            continue
        above = next((other for other in reversed(after[:place]) if other in merged), None)
        merged.insert(0 if above is None else merged.index(above) + 1, each)
    absent = {each for each in merged if f"{order}/{each}" in changed and each not in after}
    new = {each for each in merged if each not in base and f"{order}/{each}" not in changed}
    return [each for each in merged if each not in absent | new]
