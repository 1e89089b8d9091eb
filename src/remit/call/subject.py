"""Whose calls rules and windows read together."""

from __future__ import annotations

from typing import Literal, TypeAlias

from remit.record.arguments import content_digest
from remit.record.principal import Caller

Per: TypeAlias = Literal["run", "conversation", "principal", "tenant", "agent"]
"""Whose calls count together. A run outside of a conversation is one of its own."""


def subject_of(caller: Caller, per: Per, *parts: str) -> str:
    """Identify whose calls count together, and for what (``parts``), in the store."""
    whose = {
        "run": caller.run,
        "conversation": caller.conversation or caller.run,
        "principal": caller.principal.name,
        "tenant": "",
        "agent": caller.agent,
    }
    return content_digest(caller.application, caller.principal.tenant, per, whose[per], *parts)
