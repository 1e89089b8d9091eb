"""Mutants of the figure about drift between code, inventory and lock."""

from __future__ import annotations

from functools import partial
from typing import Final

from figures import drift
from figures.mutants.mutant import edited, mutants_of

_CHECK: Final = "remit.inventory.drift"
_LOCK: Final = "remit.inventory.lock_diff"

_SMALL: Final = mutants_of(
    "drift.planted_missed",
    {
        "code and inventory are not compared with the lock": edited(
            f"{_CHECK}:_check_drift", "yield from diff_lock(lock, operations, offered)", "return"
        ),
        "a lock that was changed by hand is believed": edited(
            f"{_LOCK}:_diff_operation", "elif not before.has_valid_digests():", "elif False:"
        ),
        "a changed default is no change": edited(
            f"{_LOCK}:_diff_parameters", "elif before.defaults.get(name) != now.defaults.get(name):", "elif False:"
        ),
        "a changed type is no change": edited(f"{_LOCK}:_diff_parameters", "if old != new:", "if False:"),
        "the capability of a method is not compared with its effect": edited(
            f"{_CHECK}:_check_capability", "if capability is not None and (reads or writes):", "if False:"
        ),
        "a method without a tool is not noticed": edited(
            f"{_CHECK}:_check_method_coverage", "if not has_tool and not entry.spec.without_tool:", "if False:"
        ),
        "permissions outside the vocabulary are accepted": edited(
            "remit.inventory.reader:_InventoryReader._check_permissions",
            "if permission not in self._vocabulary.permissions:",
            "if False:",
        ),
    },
    drift.measure_small_application,
)
_REAL: Final = mutants_of(
    "drift.planted_missed",
    {
        "the permissions of called tools are not compared": edited(
            f"{_CHECK}:_check_call_permissions",
            "for each in tool.method.calls if tool.method is not None else ():",
            "for each in ():",
        ),
    },
    partial(drift.figures, short=False),
)

MUTANTS: Final = (*_SMALL, *_REAL)
