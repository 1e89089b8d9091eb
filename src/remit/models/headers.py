"""The extra headers of model requests, resolved where the request leaves the process."""

from __future__ import annotations

import os
from collections.abc import Mapping

from remit.chat.settings import ModelSettings
from remit.errors import NoModelError, NotFoundError
from remit.secrets import EnvSecrets


async def resolve_headers(settings: ModelSettings, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The extra headers with the values of their secrets, which are redacted everywhere from this call on.

    Raises:
        NoModelError: a variable is not set. The run rests as stalled.
    """
    headers: dict[str, str] = {}
    for name, reference in settings.extra_headers.items():
        variable = reference.partition(":")[2]
        try:
            secret = await EnvSecrets(variable, environ=environ).resolve(reference)
        except NotFoundError:
            raise NoModelError(f"the header {name} needs the environment variable {variable}; set it") from None
        headers[name] = secret.reveal()
    return headers
