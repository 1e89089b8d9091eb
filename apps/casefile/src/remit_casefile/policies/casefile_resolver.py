"""In which casefile a call is made: the one that it names, or else that of its session."""

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
    """Finds the casefile of a call. ``fixed`` is the one that the inventory gives a narrowed tool, if it gives one."""

    fixed: str | None = None

    @classmethod
    def from_fixed(cls, fixed: Mapping[str, JsonValue]) -> CasefileResolver:
        """With what the inventory fixes: a call does not say that, and the body runs with it."""
        casefile_id = fixed.get(CASEFILE_PARAMETER)
        return cls(casefile_id if isinstance(casefile_id, str) else None)

    def explicit_casefile(self, call: Call) -> str | None:
        """The casefile that a call names; none where it names none.

        What is not bound yet is bound here as the base would, so that the gate sees what the body will get.

        Raises:
            InvalidArgumentsError: the arguments are none that the body could get.
        """
        if self.fixed is not None:
            return self.fixed
        payload = call.payload
        if payload is None:
            payload = call.callee.schema_in.bind(call.arguments)
        casefile_id = dict(payload).get(CASEFILE_PARAMETER)
        return casefile_id if isinstance(casefile_id, str) else None

    async def find_casefile(self, view: View, call: Call) -> str | None:
        """The casefile in which a call is made: the one it names, or that of the session it is made in."""
        casefile_id = self.explicit_casefile(call)
        return casefile_id if casefile_id is not None else await _session_casefile(view, call.caller.conversation)


async def _session_casefile(view: View, conversation: str) -> str | None:
    mine = (Session.tenant == view.tenant, Session.user == view.person, Session.conversation == conversation)
    return await view.session.scalar(select(Session.casefile).where(*mine)) if conversation else None
