"""The key that signs links to previews, and where the site is for visitors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from remit.errors import ExternalError, NotFoundError, SetupError
from remit.secrets import EnvSecrets, Secret, SecretRef, Secrets
from remit_cms.site.links import Preview, check_key, short_key_error, sign_preview

KEY_VARIABLE: Final = "REMIT_CMS_PREVIEW_KEY"
"""The environment variable with the key that signs links to previews: 32 characters or more."""
DEFAULT_URL: Final = "http://127.0.0.1:8080"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewKey:
    """Where the site is for visitors, and the reference to the key that signs links to its previews."""

    url: str = DEFAULT_URL
    secrets: Secrets = field(default_factory=lambda: EnvSecrets(KEY_VARIABLE))
    reference: SecretRef = f"env:{KEY_VARIABLE}"

    def link(self, key: Secret, preview: Preview, path: str) -> str:
        """The address of a preview on the site, at a path."""
        return f"{self.url.rstrip('/')}/preview/{sign_preview(key, preview)}/{path}"

    async def find(self) -> Secret | None:
        """The key; None if there is none.

        Raises:
            SetupError: it is too short.
        """
        try:
            key = await self.secrets.resolve(self.reference)
        except NotFoundError:
            return None
        except SetupError as error:  # a value too short to be redacted is too short to sign as well
            raise short_key_error(self.reference) from error
        check_key(key)
        return key

    async def resolve(self) -> Secret:
        """The key.

        Raises:
            ExternalError: there is none, or it is too short.
        """
        fault = "no key for previews is configured"
        try:
            key = await self.find()
        except SetupError:
            key, fault = None, "the key for previews is too short"
        if key is None:
            raise ExternalError(
                f"{fault}; the operator sets {KEY_VARIABLE} to 32 random characters or more, "
                "for the site and for this application"
            )
        return key
