"""What an approver is shown of differences: addresses in place of ids, and words in place of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from remit.tools import Change
from remit_cms.redirects.views import name_targets
from remit_cms.sections.links import find_addresses
from remit_cms.storage.differences import NEW_SECTIONS, Difference, compare_snapshots
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.templates.references import ObjectRef, iterate_references, replace_references

_THEME: Final = re.compile(r"theme \([\w-]+\)")
_AMBIGUOUS: Final = re.compile(r"[,;\"|]|: |^\s|\s$|^$")
"""What could be taken for the end of a value, or for the name of another one."""


async def compare_states(
    scope: Scope, before: Snapshot | None, after: Snapshot | None, prefix: str = ""
) -> tuple[Difference, ...]:
    """What an approver is shown of the differences between two states: redirects with where they lead."""
    former, latter = await name_targets(scope, before), await name_targets(scope, after)
    return for_approvers(compare_snapshots(former, latter), prefix)


def for_approvers(differences: Sequence[Difference], prefix: str = "") -> tuple[Difference, ...]:
    """What an approver is shown of differences: a theme by its variables, and no new section beside its texts."""
    described = {each.where.partition(" / ")[0] for each in differences if " / " in each.where}
    return tuple(
        part.model_copy(update={"where": prefix + part.where})
        for each in differences
        if not (each.after in NEW_SECTIONS and not each.before and each.where in described)
        for part in _split_theme(each)
    )


async def show_changes(scope: Scope, differences: Sequence[Difference]) -> tuple[Change, ...]:
    """Differences with the addresses of pages in place of references, as ``/about`` for ``page:z08gpd0a``, in words."""
    references = {found for each in differences for value in each.values for found in iterate_references(value)}
    addresses = await find_addresses(scope, references, scope.default_locale, live=False) if references else {}
    return put_in_words(differences, addresses)


def put_in_words(differences: Sequence[Difference], addresses: Mapping[ObjectRef, str]) -> tuple[Change, ...]:
    """Differences with these addresses in place of references, and without JSON."""

    def show(each: Difference) -> Change:
        before, after = (in_words(_with_addresses(value, addresses)) for value in each.values)
        if before == after:  # what would look alike is shown as it is stored
            before, after = each.before, each.after
        return Change(each.where, before, after)

    return tuple(map(show, differences))


def _with_addresses(value: JsonValue, addresses: Mapping[ObjectRef, str]) -> JsonValue:
    """The value with addresses in place of references, and of the whole of one such as ``{"page": "z08gpd0a"}``."""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, name),) = value.items()
        address = name if kind == "url" else addresses.get(ObjectRef(kind, str(name)))
        if address is not None:
            return address
    return replace_references(value, addresses)


def in_words(value: JsonValue) -> str:
    """A value without brackets: ``text: Our bread, url: /bread``. Quotes are around what could be misread."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case dict():
            return ", ".join(f"{key}: {_part_in_words(part)}" for key, part in value.items())
        case list():
            is_table = any(isinstance(part, (list, dict)) for part in value)
            return ("; " if is_table else ", ").join(map(_part_in_words, value))
        case _:
            return str(value)


def _part_in_words(value: JsonValue) -> str:
    if isinstance(value, list) and not any(isinstance(part, (list, dict)) for part in value):
        return " | ".join(map(_part_in_words, value))  # a row of a table
    if isinstance(value, (list, dict)):
        return f"({in_words(value)})"
    if isinstance(value, str) and _AMBIGUOUS.search(value):
        return json.dumps(value, ensure_ascii=False)
    return in_words(value)


def _split_theme(difference: Difference) -> list[Difference]:
    """A difference for each variable of a theme; one of anything else as it is."""
    before, after = (value or {} for value in difference.values)
    if not (_THEME.fullmatch(difference.where) and isinstance(before, dict) and isinstance(after, dict)):
        return [difference]
    values = [(name, *(in_words(theme.get(name)) for theme in (before, after))) for name in {**before, **after}]
    return [
        Difference(where=f"theme: {name}", before=former, after=value)
        for name, former, value in values
        if former != value
    ]
