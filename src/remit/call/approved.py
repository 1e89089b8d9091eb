"""Compares the state for which the current call was approved, for the code that writes."""

from __future__ import annotations

from remit.call.current_call import CURRENT_CALL, ApprovedState


def approved_state() -> ApprovedState | None:
    """The state for which the current call was approved; None if it was not approved, or no body runs."""
    current = CURRENT_CALL.get()
    return None if current is None else current.approved_state


async def check_approved_state() -> None:
    """Refuse the current call if the state that it was approved for has changed.

    For tools that do not write with `remit.effects.once`, which does this itself. Await it immediately before the
    write: if the state has changed, the call counts as not started and is asked about again. The check takes the tool's
    preview again. A call that needed no approval, or whose approval covers no state, passes.

    Raises:
        ConflictError: says what changed. Let it propagate out of the body.
    """
    approved = approved_state()
    if approved is not None:
        await approved.compare()
