"""What an approver is shown of differences: addresses in place of ids, and words in place of JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from remit.tools import Change
from remit_cms.sections.links import find_addresses
from remit_cms.storage.differences import NEW_SECTIONS, Difference
from remit_cms.storage.scope import Scope
from remit_cms.templates.references import ObjectRef, iterate_references, replace_references

_THEME: Final = re.compile(r"theme \([\w-]+\)")
_AMBIGUOUS: Final = re.compile(r"[,;\"|]|: |^\s|\s$|^$")
"""What could be taken for the end of a value, or for the name of another one."""


def to_changes(differences: Sequence[Difference], prefix: str = "") -> tuple[Change, ...]:
    """Differences as an approver is shown them: a theme variable by variable, and no new section beside its texts."""
    described = {each.where.partition(" / ")[0] for each in differences if " / " in each.where}
    return tuple(
        Change(prefix + change.where, change.before, change.after)
        for each in differences
        if not (each.after in NEW_SECTIONS and not each.before and each.where in described)
        for change in _split_theme(each)
    )


async def show_changes(scope: Scope, changes: Sequence[Change]) -> tuple[Change, ...]:
    """Changes with the addresses of pages in place of references, as ``/about`` for ``page:z08gpd0a``, and in words."""
    references = {
        found
        for change in changes
        for text in (change.before, change.after)
        for found in iterate_references(_read_value(text))
    }
    addresses = await find_addresses(scope, references, scope.default_locale, live=False) if references else {}
    return put_in_words(changes, addresses)


def put_in_words(changes: Sequence[Change], addresses: Mapping[ObjectRef, str]) -> tuple[Change, ...]:
    """Changes with these addresses in place of references, and without JSON."""

    def show(text: str) -> str:
        return in_words(_with_addresses(_read_value(text), addresses))

    shown = [Change(change.where, show(change.before), show(change.after)) for change in changes]
    # What would look alike is shown as it is stored.
    pairs = zip(changes, shown, strict=True)
    return tuple(stored if each.before == each.after else each for stored, each in pairs)


def _with_addresses(value: JsonValue, addresses: Mapping[ObjectRef, str]) -> JsonValue:
    """The value with addresses in place of references, and of the whole of one such as ``{"page": "z08gpd0a"}``."""
    if isinstance(value, dict) and len(value) == 1:
        ((kind, name),) = value.items()
        if (address := addresses.get(ObjectRef(kind, str(name)))) is not None:
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
    before, after = (_read_value(text) or {} for text in (difference.before, difference.after))
    if not (_THEME.fullmatch(difference.where) and isinstance(before, dict) and isinstance(after, dict)):
        return [difference]
    values = [(name, *(in_words(theme.get(name)) for theme in (before, after))) for name in {**before, **after}]
    return [
        Difference(where=f"theme: {name}", before=former, after=value)
        for name, former, value in values
        if former != value
    ]


def _read_value(text: str) -> JsonValue:
    """A value that a difference shows: a text, or what JSON says."""
    try:
        return json.loads(text) if text.startswith(("{", "[")) or text in ("true", "false") else text
    except ValueError:
        return text
