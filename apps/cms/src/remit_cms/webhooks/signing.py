"""Signs deliveries as the Standard Webhooks do: HMAC-SHA256 over id, time and body, with a secret for each webhook."""

from __future__ import annotations

import hmac
from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from remit.errors import ExternalError, NotFoundError, SetupError
from remit.secrets import EnvSecrets, Secrets

KEY_VARIABLE: Final = "REMIT_CMS_WEBHOOK_KEY"
"""The environment variable with the key from which the secrets of webhooks are derived: 32 characters or more."""
_MIN_KEY: Final = 32


@dataclass(frozen=True, slots=True)
class WebhookKey:
    """The operator's key. The secret of each webhook follows from it and the webhook's id, so none is stored."""

    secrets: Secrets = field(default_factory=lambda: EnvSecrets(KEY_VARIABLE))
    reference: str = f"env:{KEY_VARIABLE}"

    async def derive(self, webhook: str) -> bytes:
        """The secret of a webhook.

        Raises:
            ExternalError: there is no key, or it is too short to keep anybody from guessing it.
        """
        try:
            key = (await self.secrets.resolve(self.reference)).reveal()
        except (NotFoundError, SetupError):
            key = ""
        if len(key) < _MIN_KEY:
            raise ExternalError(
                f"webhooks have no key: the operator sets {KEY_VARIABLE} to {_MIN_KEY} random characters or more"
            )
        return hmac.digest(key.encode(), f"webhook {webhook}".encode(), sha256)


def write_secret(secret: bytes) -> str:
    """A secret as the Standard Webhooks write it, for the server that checks the signatures."""
    return f"whsec_{b64encode(secret).decode()}"


def sign(secret: bytes, delivery: str, seconds: int, body: str) -> dict[str, str]:
    """The headers of a delivery at a time, in seconds since the epoch."""
    digest = hmac.digest(secret, f"{delivery}.{seconds}.{body}".encode(), sha256)
    return {
        "content-type": "application/json",
        "webhook-id": delivery,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{b64encode(digest).decode()}",
    }
