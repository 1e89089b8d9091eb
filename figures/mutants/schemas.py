"""Mutants of the figure about tools of servers and documents of others."""

from __future__ import annotations

from typing import Final

from figures.mutants.mutant import edited, mutants_of

MUTANTS: Final = mutants_of(
    "schemas.corpus_wrong",
    {
        "an operation lacks the definitions to which its schema refers": edited(
            "remit.openapi.operations:_read", "if reader.definitions:", "if False:"
        ),
        "long names of operations are cut": edited(
            "remit.openapi.operations:_name",
            "f\"{name[: _MOST_NAME - 9]}_{content_digest('openapi', text)[:8]}\"",
            "name[:_MOST_NAME]",
        ),
        "arguments are not compared with their schema": edited(
            "remit.call.json_contract:JsonInput.bind",
            'cast("dict[str, Any]", self._binder.bind(value, strict=strict))',
            "dict(value)",
        ),
    },
)
