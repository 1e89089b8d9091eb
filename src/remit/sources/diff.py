"""The difference between two versions of an offer, as lines that a person reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from msgspec import structs

from remit.sources.offer import Offer, Snapshot

_NAMES: Final = {"input_schema": "parameters", "output_schema": "result", "meta": "_meta"}
_MOST_DEPTH: Final = 100


def diff_offers(old: Offer | None, new: Offer | None) -> list[str]:
    """What differs: ``+`` what was added, ``-`` what was removed, both for what has changed. Nothing is cut."""
    return _diff(_flatten_offer(old), _flatten_offer(new))


def diff_origins(old: Snapshot, new: Snapshot) -> list[str]:
    """What differs in what a source says of itself."""
    before = {"command or host": old.address, "instructions": old.instructions}
    after = {"command or host": new.address, "instructions": new.instructions}
    return _diff(*({name: show_part(each) for name, each in part.items() if each} for part in (before, after)))


def show_part(value: object) -> str:
    """A value on one line, in which a character that cannot be seen is written as its escape."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)


def _diff(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    lines = list[str]()
    for path in [*before, *(each for each in after if each not in before)]:
        old, new = before.get(path), after.get(path)
        if old == new:
            continue
        lines += [f"{sign} {path}: {each}" for sign, each in (("-", old), ("+", new)) if each is not None]
    return lines


def _flatten_offer(offer: Offer | None) -> dict[str, str]:
    """The parts of an offer by their path, such as ``parameters.path.description``."""
    found = dict[str, str]()
    if offer is not None:
        for name, value in structs.asdict(offer).items():
            if value not in ("", {}, None):
                found.update(_flatten(_NAMES.get(name, name), value, 0))
    return found


def _flatten(path: str, value: object, depth: int) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value and depth < _MOST_DEPTH:
        for key, each in cast("dict[str, Any]", value).items():
            yield from _flatten(f"{path}.{show_part(key)[1:-1]}", each, depth + 1)
    elif isinstance(value, list) and value and depth < _MOST_DEPTH:
        for index, each in enumerate(cast("list[Any]", value)):
            yield from _flatten(f"{path}[{index}]", each, depth + 1)
    else:
        yield path, show_part(cast("object", value))
