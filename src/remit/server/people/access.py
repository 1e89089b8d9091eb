"""All that a server needs to know who sends a request: authentication, the pages to sign in, and the guard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from starlette.middleware import Middleware
from starlette.routing import BaseRoute

from remit.server.guard import Guard, GuardSettings
from remit.server.people.authentication import Authentication
from remit.server.people.login import LoginPages
from remit.server.people.operations import PeopleOperations
from remit.server.people.sign_in import SignIn
from remit.server.rest.operation import Operation


class Access(NamedTuple):
    """The arguments of `remit.server.build_server` that belong together: a cookie without the guard could be forged."""

    authenticate: Authentication
    routes: list[BaseRoute]
    middleware: list[Middleware]
    operations: Sequence[Operation]


def build_access(sign_in: SignIn, guard: GuardSettings | None = None) -> Access:
    """The access to a server for the people of ``sign_in``.

    Args:
        sign_in: signs people in.
        guard: which requests are accepted; by default, those to this machine.
    """
    settings = guard or GuardSettings()
    pages = LoginPages(sign_in, settings.cookies)
    return Access(
        authenticate=Authentication(sign_in, settings.cookies),
        routes=[*pages.routes()],
        middleware=[Middleware(Guard, settings=settings)],
        operations=(*PeopleOperations(sign_in),),
    )
