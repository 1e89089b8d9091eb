"""Lays edits of another environment over drafts of this one, and names what stands in the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remit.errors import ConflictError
from remit_cms.models import pluralize
from remit_cms.storage.differences import compare_paths
from remit_cms.storage.merging import apply_changes, empty_state
from remit_cms.storage.parts import iterate_changed_parts, part_of, values_of
from remit_cms.storage.scope import Scope
from remit_cms.storage.snapshots import Snapshot
from remit_cms.templates.references import ObjectRef, iterate_references
from remit_cms.templates.slots import Structure

_MAX_NAMED = 5


def merge_edit(
    draft: Snapshot | None, before: Snapshot | None, after: Snapshot, structures: Mapping[str, Structure]
) -> Snapshot:
    """What a draft becomes by an edit from one state to another, all with the ids of this environment.

    ``structures`` are the types of their sections, by key.

    Raises:
        ConflictError: the draft is not there, or has other values in what the edit changes, or lacks what it builds on.
    """
    if draft is None:
        if before is not None:
            raise ConflictError(
                f"'{after.title}' is not here, and the change set only changes it. The one that made it comes first."
            )
        return after
    earlier = before or empty_state(after)
    changed = {*iterate_changed_parts(earlier, after)}
    _check_values(draft, earlier, after, changed, structures)
    merged = apply_changes(draft, earlier, after)
    if merged.missing:
        raise ConflictError(
            f"'{after.title}' lacks here what the edits build on. The change set that added it comes first."
        )
    return merged.snapshot


def _check_values(
    draft: Snapshot, before: Snapshot, after: Snapshot, changed: set[str], structures: Mapping[str, Structure]
) -> None:
    own, old, new = values_of(draft), values_of(before), values_of(after)
    others = {part for part in changed if own.get(part) not in (old.get(part), new.get(part))}
    if not others:
        return
    compared = compare_paths(before, draft, structures)
    named = [each for path, each, _ in compared if part_of(path, draft.locale) in others]
    told = [f"{each.where} is {_quote(each.after)}, not {_quote(each.before)}" for each in named[:_MAX_NAMED]]
    shown = "; ".join(told) or "its sections stand otherwise"
    rest = f"; and {pluralize(len(named) - _MAX_NAMED, 'other place')}" if len(named) > _MAX_NAMED else ""
    raise ConflictError(
        f"The draft of '{draft.title}' here is not what the change set changes: {shown}{rest}. The change set can be "
        "taken over once the draft says the same in these places."
    )


def _quote(text: str) -> str:
    return f"'{text}'" if text else "empty"


async def check_types(source: Scope, here: Scope, states: Sequence[Snapshot]) -> None:
    """Refuse documents whose types are not here, or lack fields here: a person approves types.

    Raises:
        ConflictError: names the type, and the fields that it lacks.
    """
    used: dict[str, set[str]] = {}
    for state in states:
        for section in state.sections:
            keys = {key for content in section.contents.values() for key in content}
            used.setdefault(section.definition, set()).update(keys)
    theirs, own = await source.load_structures(used), await here.load_structures(used)
    for key, keys in sorted(used.items()):
        if key not in theirs:
            continue
        if key not in own:
            raise ConflictError(f"The type '{key}' is not here. Define it first: cms_defineType.")
        known = {slot.key for slot in own[key].slots}
        missing = sorted(theirs[key].shown_key(slot.key) for slot in theirs[key].slots if slot.key in keys - known)
        if missing:
            raise ConflictError(f"The type '{key}' has no {', '.join(missing)} here. Add that first: cms_changeType.")


def find_new_links(before: Snapshot | None, after: Snapshot) -> set[ObjectRef]:
    """What the parts link to that an edit changes."""
    new = values_of(after)
    changed = iterate_changed_parts(before or empty_state(after), after)
    return {reference for part in changed for reference in iterate_references(new.get(part))}
