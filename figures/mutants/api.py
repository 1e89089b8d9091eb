"""Mutants of the figure about tenants over HTTP."""

from __future__ import annotations

from typing import Final

from figures.api import figures
from figures.mutants.mutant import edited, mutants_of

_READER: Final = "remit.client.reader:RunReader"

MUTANTS: Final = mutants_of(
    "tenants.api.leaks",
    {
        "the questions of others are shown": edited(
            f"{_READER}._can_see", "if self.principal.name not in question.requesters and", "if False and"
        ),
        "runs of all tenants are found": edited(
            "remit.engine.visible_runs:VisibleRuns._has_run", "row.tenant == self.principal.tenant", "True"
        ),
        "everyone sees every run of the tenant": edited(
            "remit.engine.visible_runs:VisibleRuns._owns", "return ", "return True or "
        ),
        "everyone reads every conversation": edited("remit.engine.sharing:has_access", "return ", "return True or "),
        "every file is read": edited(
            "remit.record.artifact:ArtifactScope.sees", "return self.tenant", "return True or self.tenant"
        ),
    },
    lambda: figures(short=True),
)
