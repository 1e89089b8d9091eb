"""People of a server: accounts, roles, API tokens, sessions and one-time links, and the pages to sign in."""

from typing import TYPE_CHECKING

from remit.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from remit.server.guard import GuardSettings as GuardSettings
    from remit.server.people.access import Access as Access
    from remit.server.people.access import build_access as build_access
    from remit.server.people.accounts import Account as Account
    from remit.server.people.accounts import Credential as Credential
    from remit.server.people.accounts import Person as Person
    from remit.server.people.accounts import Role as Role
    from remit.server.people.administration import Administration as Administration
    from remit.server.people.directory import Directory as Directory
    from remit.server.people.directory import InMemoryDirectory as InMemoryDirectory
    from remit.server.people.passwords import Passwords as Passwords
    from remit.server.people.people import People as People
    from remit.server.people.provider import Provider as Provider
    from remit.server.people.provider_client import ProviderClient as ProviderClient
    from remit.server.people.sign_in import Attempts as Attempts
    from remit.server.people.sign_in import Lifetimes as Lifetimes
    from remit.server.people.sign_in import SignedIn as SignedIn
    from remit.server.people.sign_in import SignIn as SignIn
    from remit.server.people.sql_directory import SqlDirectory as SqlDirectory
else:
    __getattr__ = lazy_exports(
        __name__,
        extras={
            "remit.server.guard": "server",
            "remit.server.people.access": "server",
            "remit.server.people.administration": "server",
            "remit.server.people.passwords": "server",
            "remit.server.people.provider_client": "oidc",
            "remit.server.people.sign_in": "server",
            "remit.server.people.sql_directory": "sql",
        },
    )
