"""What was approved of a document for a time to come: its parts with their values before and after, and its links."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from pydantic import BaseModel

from remit_cms.storage.merging import empty_state
from remit_cms.storage.parts import iterate_changed_parts, values_of
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.storage.translations import list_visible
from remit_cms.templates.slots import Structure

VISIBLE: Final = "visible"
"""The part that a document has for visitors who did not see it before."""


class Approval(BaseModel):
    """What an approver saw of a document: a digest of each part that differs, and what links to what is hidden.

    ``edited`` are the parts of all edits, also those that a later edit overrules. ``types`` are the types through which
    visitors would read it, by key, as they were.
    """

    parts: dict[str, str] = {}
    edited: list[str] = []
    links: list[str] = []
    types: dict[str, Structure] = {}


def changed_parts(live: Snapshot | None, wanted: Snapshot) -> dict[str, str]:
    """The parts that are different for visitors, each with a digest of its value before and after."""
    before = live or empty_state(wanted)
    old, new = values_of(before), values_of(wanted)
    parts = {part: _digest(old.get(part), new.get(part)) for part in iterate_changed_parts(before, wanted)}
    return {VISIBLE: "", **parts} if live is None else parts


def reads_otherwise(
    scope: Scope, state: Snapshot, former: Mapping[str, Structure], latter: Mapping[str, Structure]
) -> bool:
    """Whether visitors read something else of a document after a change of types, of those on both sides."""
    for section in state.sections:
        old, new = former.get(section.definition), latter.get(section.definition)
        if old is None or new is None or old == new:
            continue
        for chain in map(scope.fallback_chain, scope.locales):
            before, after = (list_visible(each, section.contents, chain, section.lists) for each in (old, new))
            if before != after:
                return True
    return False


def _digest(*values: object) -> str:
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]
