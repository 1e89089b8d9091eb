"""The run instructions of a worker: a Jinja template over the properties of the run."""

from __future__ import annotations

from typing import Final

from remit.agent.run_instructions import RunInfo
from remit.schemas.finding import Finding
from remit.workers.prompt import Template

RUN_FIELDS: Final = ("principal", "tenant", "target", "conversation", "now", "date")
"""The names that a template of run instructions may use."""


class RunTemplate:
    """Run instructions from a template. ``file`` and ``line`` say where it is, for messages."""

    def __init__(self, text: str, *, file: str = "run_instructions", line: int = 1) -> None:
        self._text = text
        self._template = Template(text, file=file, line=line)

    def __call__(self, run: RunInfo) -> str:
        """Render the template."""
        values = (
            run.principal.name,
            run.principal.tenant,
            run.target,
            run.conversation,
            run.now.isoformat(timespec="seconds"),
            run.now.date().isoformat(),
        )
        return self._template.render(dict(zip(RUN_FIELDS, values, strict=True)))

    def check(self) -> list[Finding]:
        """Find the errors that do not depend on a run."""
        return self._template.check(RUN_FIELDS)

    def __repr__(self) -> str:
        return f"RunTemplate({self._text!r})"
