"""An OpenID provider that people may sign in with."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_lowercase, ascii_uppercase
from typing import Final
from urllib.parse import urlsplit

from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.record.secret import Secret
from remit.server.people.accounts import digest_secret

_LOWER_CASE: Final = str.maketrans(ascii_uppercase, ascii_lowercase)
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


class ProviderError(Exception):
    """The provider did not answer, or not with what it must. The message is for the log."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """An OpenID provider and this server's account there.

    Args:
        issuer: the address of the provider, which its ID tokens name.
        client_id: what the provider calls this server.
        client_secret: shared with the provider; None for a public client.
        claim: the claim of the ID token that says who a person is. An ``email`` counts only if it is verified.
        label: the provider's name for people.

    Raises:
        SetupError: the issuer is not an HTTPS address; on this machine it may be HTTP.
    """

    issuer: str
    client_id: str
    client_secret: Secret | None = None
    claim: str = "email"
    label: str = ""

    def __post_init__(self) -> None:
        parts = urlsplit(self.issuer)
        is_safe = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        if not is_safe or not parts.hostname or parts.query or parts.fragment:
            raise SetupError(f"the issuer {self.issuer!r} is not an address like https://accounts.example.com")

    @property
    def name(self) -> str:
        """The name of the provider for people; by default its host."""
        return self.label or urlsplit(self.issuer).hostname or self.issuer

    def digest(self, identity: str) -> str:
        """The digest under which an identity is known. Mail addresses that differ in the case of A to Z alone are one.

        Other letters are compared as they are: to fold them makes one address of two that different people may have.
        """
        spelled = identity.translate(_LOWER_CASE) if self.claim == "email" else identity
        return digest_secret(f"{self.issuer}\0{self.claim}\0{spelled}")
