"""The OpenID provider that ``config.toml`` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from remit.errors import NotFoundError, SetupError
from remit.secrets import EnvSecrets
from remit.users import UserDirectory

if TYPE_CHECKING:
    from remit.server.people.provider import Provider


async def find_provider(users: UserDirectory, *, with_secret: bool = True) -> Provider | None:
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
        reference = config.client_secret if with_secret else ""
        secret = await EnvSecrets(reference.removeprefix("env:")).resolve(reference) if reference else None
        return Provider(
            issuer=config.issuer,
            client_id=config.client_id,
            client_secret=secret,
            claim=config.claim,
            label=config.label,
        )
    except (NotFoundError, SetupError) as error:
        raise SetupError(f"{users.path}: sign_in: {error.message}") from error
