"""All that a server needs to know who sends a request: authentication, the pages to sign in, and the guard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from remit.server.guard import Guard, GuardSettings
from remit.server.people.authentication import Authentication
from remit.server.people.login import LoginPages
from remit.server.people.operations import PeopleOperations
from remit.server.people.sign_in import SignIn
from remit.server.rest.operation import Operation

if TYPE_CHECKING:
    from remit.server.people.provider_client import ProviderClient


class Access(NamedTuple):
    """The arguments of `remit.server.build_server` that belong together: a cookie without the guard could be forged."""

    authenticate: Authentication
    routes: list[BaseRoute]
    middleware: list[Middleware]
    operations: Sequence[Operation]


def build_access(sign_in: SignIn, guard: GuardSettings | None = None, provider: ProviderClient | None = None) -> Access:
    """The access to a server for the people of ``sign_in``.

    Args:
        sign_in: signs people in.
        guard: which requests are accepted; by default, those to this machine.
        provider: the OpenID provider that people may sign in with.
    """
    settings = guard or GuardSettings()
    pages = LoginPages(sign_in, settings.cookies, provider.provider.name if provider else "")
    routes: list[BaseRoute] = [*pages.routes()]
    if provider is not None:
        from remit.server.people.provider_pages import ProviderPages  # noqa: PLC0415 - needs the extra `oidc`

        routes += ProviderPages(pages, provider).routes()
    return Access(
        authenticate=Authentication(sign_in, settings.cookies),
        routes=routes,
        middleware=[Middleware(Guard, settings=settings)],
        operations=(*PeopleOperations(sign_in),),
    )
