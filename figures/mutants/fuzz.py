"""Mutants of the figure about calls with any arguments."""

from __future__ import annotations

from typing import Final

from figures.fuzz import measure_routes, measure_until_noticed
from figures.mutants.mutant import edited, mutants_of

_VIEW: Final = "remit_casefile.storage.transactions:View"

_OPERATION: Final = "remit.server.rest.operation"

_OF_SERVERS: Final = mutants_of(
    "fuzz.unexpected",
    {
        "a text that cannot be stored is passed on": edited(
            f"{_OPERATION}:_check_texts", "isinstance(asked, Struct)", "False"
        ),
        "a refusal quotes all that was sent": edited(f"{_OPERATION}:_cut", "len(problem) <= _MOST_CHARS", "True"),
        "a body that is no text is a defect": edited(
            f"{_OPERATION}:_read_body", "(msgspec.DecodeError, ValueError, RecursionError)", "RecursionError"
        ),
    },
    measure_routes,
)

MUTANTS: Final = (
    *mutants_of(
        "fuzz.unexpected",
        {
            "reading a casefile changes it": edited(
                f"{_VIEW}.get_casefile", "return found", "found.updated_at = self.now\n    return found"
            ),
            "a text is converted to the number that a tool takes": edited(
                "remit.layers.validate:_Validate.__call__", "strict=self._strict", "strict=False"
            ),
            "a call that fails leaves its changes behind": edited(
                "remit.database.database:Database.write",
                "async with session.begin():\n                    yield session",
                "await session.begin()\n                try:\n                    yield session\n"
                "                finally:\n                    await session.commit()",
            ),
            "a conversation has a name that cannot be one": edited(
                "remit.engine.request:RunRequest.check",
                'if talk != "" and check_shown("conversation", talk, RequestError, _MAX_NAME_CHARS) != talk:',
                "if False:",
            ),
            "a casefile that does not exist is used": edited(
                f"{_VIEW}.get_casefile", "if found is None or found.tenant != self.tenant:", "if False:"
            ),
        },
        measure_until_noticed,
    ),
    *_OF_SERVERS,
)
