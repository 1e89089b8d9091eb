"""Mutants of the figure about clients, which keep tenants, principals and targets apart."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_READER: Final = "remit.client.reader:RunReader"
_RUNS: Final = "remit.engine.visible_runs:VisibleRuns"

MUTANTS: Final = mutants_of(
    "tenants.client.leaks",
    {
        "a run of another tenant exists": edited(f"{_RUNS}._has_run", "row.tenant == self.principal.tenant and ", ""),
        "the runs of others in the tenant exist": edited(
            f"{_RUNS}._visible_run", "if self._may(permission, row.target) or (", "if True or ("
        ),
        "a permission for one target counts for all": edited(
            f"{_RUNS}._may",
            "self.principal.at(target).may(permission)",
            "any(permission in each for each in self.principal.permissions)",
        ),
        "a list has the runs of everybody in the tenant": edited(
            f"{_READER}._page", "else self.principal.name", 'else ""'
        ),
        "the cursor of a list may be anybody's run": edited(
            f"{_READER}._page", "await self._visible_run(before)", "pass"
        ),
        "a question is visible to the whole tenant": edited(
            f"{_READER}._can_see", "question.missing_permission(self.principal)", "False"
        ),
        "all grants of the tenant are listed": edited(
            f"{_READER}._can_see_grant", "self.principal.name in (grant.by, grant.principal)", "True"
        ),
        "a call in a conversation of others gets its target": edited(
            "remit.engine.conversations:Conversations.create_header",
            "current = target  #",
            "pass  #",
        ),
        "a conversation is shared with everybody in the tenant": edited(
            "remit.engine.sharing:access_of",
            'row.shared.get(principal.name, "")',
            'next(iter(row.shared.values()), "")',
        ),
        "who may read a conversation may share it": edited(
            "remit.client.conversation_reader:ConversationReader._visible_conversation",
            "if not has_access(self.principal, visible[0], needed):",
            "if not visible:",
        ),
        "a list has all conversations of the tenant": edited(
            "remit.client.conversation_reader:ConversationReader.conversations",
            'return fits and has_access(self.principal, row, "read")',
            "return fits",
        ),
        "the runs of a conversation are everybody's": edited(
            f"{_RUNS}._visible_run", " and await self._has_access(row, access)", ""
        ),
        "an idempotency key of another principal is in use": edited(
            "remit.engine.request:derive_run_id", "by.name, ", ""
        ),
        "a run of another principal is refused by another message": edited(
            f"{_RUNS}._visible_run", 'f"run {show_id(run)} does not exist"', 'f"run {run} is {row and row.status}"'
        ),
    },
)
