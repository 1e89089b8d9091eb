"""The principals of a server: users of ``config.toml`` and people of a directory, with their current permissions."""

from __future__ import annotations

from collections.abc import Mapping

from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.record.principal import Principal
from remit.server.people.accounts import Account
from remit.server.people.directory import Directory
from remit.users import UserDirectory


@check_arguments()
class People:
    """The principals of a server. ``Runtime(directory=people.find_principal)`` looks them up where they are used.

    Args:
        directory: the people added while the server runs.
        users: the users of ``config.toml``, who take precedence over people of the same name.
    """

    def __init__(self, directory: Directory, users: UserDirectory | None = None) -> None:
        self.directory = directory
        self._users: Mapping[str, Principal] = {} if users is None else users.principals
        self._roles: Mapping[str, frozenset[str]] = {} if users is None else users.roles

    @property
    def configured_users(self) -> Mapping[str, Principal]:
        """The users of ``config.toml``, by name."""
        return self._users

    @property
    def configured_roles(self) -> Mapping[str, frozenset[str]]:
        """The roles of ``config.toml``. They take precedence over roles of the directory."""
        return self._roles

    def find_principal(self, name: str, tenant: str) -> Principal | None:
        """The principal of that name and tenant with the permissions of this moment; None if there is none."""
        found = self.find_by_name(name)
        return found if found is not None and found.tenant == tenant else None

    def find_by_name(self, name: str) -> Principal | None:
        """The principal of that name with the permissions of this moment; None if there is none."""
        configured = self._users.get(name)
        if configured is not None:
            return configured
        account = self.directory.find_account(name)
        return None if account is None else self._principal(account)

    def _principal(self, account: Account) -> Principal | None:
        """The principal of an account, with the permissions of those of its roles that still exist."""
        own = {role.name: role.permissions for role in account.roles}
        roles = {**own, **self._roles}
        permissions = frozenset[str]().union(*(roles.get(role, frozenset()) for role in account.person.roles))
        try:
            return Principal(account.person.name, account.person.tenant, permissions, account.person.roles)
        except SetupError:
            return None  # no name that Remit has stored
