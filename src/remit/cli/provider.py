"""The OpenID provider that ``config.toml`` names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from remit.errors import SetupError
from remit.record.secret import Secret
from remit.users import UserDirectory

if TYPE_CHECKING:
    from remit.server.people.provider import Provider


def find_provider(users: UserDirectory, *, with_secret: bool = True) -> Provider | None:
    """The OpenID provider of ``config.toml``; None if it names none.

    Args:
        users: the file.
        with_secret: resolve the secret that the server and the provider share.

    Raises:
        SetupError: the issuer is no address, or the secret is not set.
    """
    from remit.server.people.provider import Provider

    config = users.sign_in
    if config is None:
        return None
    try:
        secret = _read_secret(config.client_secret) if with_secret and config.client_secret else None
        return Provider(
            issuer=config.issuer,
            client_id=config.client_id,
            client_secret=secret,
            claim=config.claim,
            label=config.label,
        )
    except SetupError as error:
        raise SetupError(f"{users.path}: sign_in: {error.message}") from error


def _read_secret(reference: str) -> Secret:
    name = reference.removeprefix("env:")
    value = os.environ.get(name)
    if not value:
        raise SetupError(f"the environment variable {name} is not set; set it to the secret that the provider gave you")
    return Secret(reference, value)
