"""Mutants of the figure about clients, which keep tenants, principals and targets apart."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

_READER: Final = "remit.engine.reader:RunReader"

MUTANTS: Final = mutants_of(
    "tenants.client.leaks",
    {
        "a run of another tenant exists": edited(f"{_READER}._has_run", "row.tenant == self.principal.tenant and ", ""),
        "the runs of others in the tenant exist": edited(
            f"{_READER}._visible_run", "or not (self._owns(row) or self._may(permission, row.target))", ""
        ),
        "a permission for one target counts for all": edited(
            f"{_READER}._may",
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
        "an idempotency key of another principal is in use": edited(
            "remit.engine.request:derive_run_id", "by.name, ", ""
        ),
        "a run of another principal is refused by another message": edited(
            f"{_READER}._visible_run", 'f"run {run} does not exist"', 'f"run {run} is {row and row.status}"'
        ),
    },
)
