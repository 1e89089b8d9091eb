"""What was approved of a document for a time to come: its parts with their values before and after, and its links."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Final

from pydantic import BaseModel

from remit_cms.storage.merging import empty_state
from remit_cms.storage.parts import iterate_changed_parts, values_of
from remit_cms.storage.snapshots import Snapshot

VISIBLE: Final = "visible"
"""The part that a document has for visitors who did not see it before."""


class Approval(BaseModel):
    """What an approver saw of a document: a digest of each part that differs, and what links to what is hidden.

    ``edited`` are the parts of all edits, also those that a later edit overrules.
    """

    parts: dict[str, str] = {}
    edited: list[str] = []
    links: list[str] = []


def changed_parts(live: Snapshot | None, wanted: Snapshot) -> dict[str, str]:
    """The parts that are different for visitors, each with a digest of its value before and after."""
    before = live or empty_state(wanted)
    old, new = values_of(before), values_of(wanted)
    parts = {part: _digest(old.get(part), new.get(part)) for part in iterate_changed_parts(before, wanted)}
    return {VISIBLE: "", **parts} if live is None else parts


def _digest(*values: object) -> str:
    return sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:12]
