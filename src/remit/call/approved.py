"""The state for which the current call was approved, so that the code that writes can compare it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final, Protocol


class ApprovedState(Protocol):
    """The states that the approvers of a call saw."""

    async def compare(self) -> None:
        """Compare the approved state with the current state.

        Raises:
            ConflictError: the state has changed.
        """
        ...


APPROVED_STATE: Final[ContextVar[ApprovedState | None]] = ContextVar("remit_approved_state", default=None)
"""The approved state of the call whose body runs; None if the call was not approved."""


async def check_approved_state() -> None:
    """Refuse the current call if the state that it was approved for has changed.

    For tools that do not write with `remit.effects.once`, which does this itself. Await it immediately before the
    write: if the state has changed, the call counts as not started and is asked about again. The check takes the tool's
    preview again. A call that needed no approval, or whose approval covers no state, passes.

    Raises:
        ConflictError: says what changed. Let it propagate out of the body.
    """
    approved = APPROVED_STATE.get()
    if approved is not None:
        await approved.compare()
