"""Mutants of the figure about declared policies."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_GATES: Final = "remit.inventory.gates"
_EVENTS: Final = "remit.layers.events"

MUTANTS: Final = mutants_of(
    "policy.unenforced",
    {
        "what is declared is not built": edited(
            "remit.inventory.governance:PolicyTable.build_stack",
            "for name in self.sections if name in policies",
            "for name in ()",
        ),
        "the limits that a tool declares are not enforced": edited(
            "remit.dispatch.preset:with_declared_limits", "seconds = facts.timeout", "return layers"
        ),
        "the permissions of a call are not checked": edited(
            "remit.layers.authorize:_why_denied", "if not lacking:", "if True:"
        ),
        "what was removed is only noted": edited(
            f"{_GATES}:DeprecationGate.why_closed", "if not deprecation.is_removed_in(self.version):", "if True:"
        ),
        "an idle session is resumed though it may not be": edited(
            f"{_GATES}:SessionGate.check", "if not self.resume:", "if False:"
        ),
        "fields are recorded that must not be": edited(
            f"{_EVENTS}:RecordEvents._record_event",
            "redact_fields(self.redact, _select_fields(_parse_content(reply.content), self.fields))",
            "_select_fields(_parse_content(reply.content), self.fields)",
        ),
        "events hold every field of the result": edited(f"{_EVENTS}:_select_fields", "if key in names", "if True"),
    },
)
