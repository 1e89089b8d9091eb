"""Defects of resumed runs that several figures notice."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited

TARGET_LOST: Final = edited(
    "remit.engine.root:RootCaller.__call__",
    "caller=root_caller(ledger.run, header, principal),",
    'caller=__import__("dataclasses").replace(root_caller(ledger.run, header, principal), **('
    '{"target": ""} if getattr(ledger, "_epoch", 1) > 1 else {})),',
)
"""A run has its target in its first execution only."""
