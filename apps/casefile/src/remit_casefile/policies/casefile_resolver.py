"""Resolves the casefile of a call: the one it names, else that of its session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue
from sqlalchemy import select

from remit.layers import Call
from remit_casefile.storage.tables import Session
from remit_casefile.storage.transactions import View

CASEFILE_PARAMETER: Final = "casefile_id"
"""By this parameter a call names its casefile. No other says one."""


@dataclass(frozen=True, slots=True)
class CasefileResolver:
    """Resolves the casefile of a call. ``fixed`` is the one set by the inventory for a narrowed tool."""

    fixed: str | None = None

    @classmethod
    def from_fixed(cls, fixed: Mapping[str, JsonValue]) -> CasefileResolver:
        """A resolver for fixed values, which calls do not contain but bodies receive."""
        casefile_id = fixed.get(CASEFILE_PARAMETER)
        return cls(casefile_id if isinstance(casefile_id, str) else None)

    def explicit_casefile(self, call: Call) -> str | None:
        """The casefile named by a call, or None.

        Unbound arguments are bound as the base would, so that the gate sees what the body will get.

        Raises:
            InvalidArgumentsError: the arguments do not fit.
        """
        if self.fixed is not None:
            return self.fixed
        payload = call.payload
        if payload is None:
            payload = call.callee.schema_in.bind(call.arguments)
        casefile_id = dict(payload).get(CASEFILE_PARAMETER)
        return casefile_id if isinstance(casefile_id, str) else None

    async def find_casefile(self, view: View, call: Call) -> str | None:
        """The casefile of a call: the one it names, else that of its session."""
        casefile_id = self.explicit_casefile(call)
        return casefile_id if casefile_id is not None else await _session_casefile(view, call.caller.conversation)


async def _session_casefile(view: View, conversation: str) -> str | None:
    mine = (Session.tenant == view.tenant, Session.user == view.person, Session.conversation == conversation)
    return await view.session.scalar(select(Session.casefile).where(*mine)) if conversation else None
