"""Mutants of the figure about credentials of a gateway."""

from __future__ import annotations

from typing import Final

from figures import gateway_credentials
from figures.mutants.mutant import edited, mutants_of

_ANSWER: Final = "remit.gateway.server:WrappedServer.answer"

MUTANTS: Final = mutants_of(
    "gateway.credentials_leaked",
    {
        "results are passed on with all that they have": edited(
            "remit.gateway.server:_redact", "if not contains_secret(content):", "if True:"
        ),
        "the message of a refusal is passed on as it is": edited(
            _ANSWER, 'told["message"], data', "error.message, data"
        ),
        "the data of a refusal is passed on as it is": edited(
            _ANSWER, 'data = told["data"] if error.data is not UNSET else UNSET', "data = error.data"
        ),
    },
    lambda: gateway_credentials.figures(short=False),
)
