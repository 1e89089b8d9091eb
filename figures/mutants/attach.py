"""Mutants of the figures about calls that attach."""

from __future__ import annotations

from typing import Final

from figures import attach_joined
from figures.mutants.mutant import edited, mutants_of

_ATTACHER: Final = "remit.client.attaching:CallAttacher"

MUTANTS: Final = (
    *mutants_of(
        "client.attach.doubled",
        {
            "each call has a run of its own": edited(
                f"{_ATTACHER}.__call__", "run = await store.attach_call(call, header.call)", "run = header.call"
            ),
            "a question that was returned counts as read": edited(
                f"{_ATTACHER}.__call__", "if result.status not in UNFINISHED_STATUSES:", "if True:"
            ),
        },
    ),
    *mutants_of(
        "client.attach.lost",
        {
            "a result is read although its caller was cancelled": edited(
                f"{_ATTACHER}._mark_read", "await self.executor.store.attach_call(call, run)", "pass"
            ),
            "a run whose question was decided still waits": edited(
                "remit.client.settling:find_lasting_rest", "return None if is_over or", "return None if"
            ),
        },
    ),
    *mutants_of(
        "client.attach.parted",
        {
            "a caller that waited for a run asks again which one it is": edited(
                f"{_ATTACHER}._join",
                "has_joined = True",
                "run = await self.executor.store.attach_call(call, (await self.create_header(request)).call)"
                "; header = structs.replace(header, call=run)",
            ),
            "a caller whose run another executes has an error": edited(
                f"{_ATTACHER}._execute", "except LeaseError:", "except ():"
            ),
        },
        lambda: attach_joined.figures(short=True),
    ),
)
