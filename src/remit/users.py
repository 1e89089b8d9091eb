"""Users and roles of ``config.toml``, read strictly so that a mistake grants nothing."""

from __future__ import annotations

import getpass
import json
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from remit.core.checks import check_instance, check_text
from remit.core.files import check_trusted, write_private_file
from remit.core.names import as_normalized
from remit.errors import SetupError
from remit.record.principal import Principal
from remit.record.usage import Price, Prices
from remit.schemas.mistakes import describe_mistake

if sys.platform != "win32":
    import pwd

__all__ = ["UserDirectory", "os_user", "read_users"]

Permission = Annotated[str, StringConstraints(pattern=r"^(\*|[a-z][a-z0-9_-]*:(\*|[a-z][a-z0-9_:-]*))(@[^@\s]+)?$")]

_DEFAULT_CONFIG: Final = """\
# Users of Remit on this machine and their permissions. Every command reads this file.
#
# A role is a list of permissions: "cms:write" permits one thing, "cms:*" a whole area, "*" everything.
# With a target it holds only in runs that have a matching one: "cms:write@bakery/*".
# "approvals:decide" permits deciding questions, "runs:cancel" cancelling the runs of others.

[roles.owner]
permissions = ["*"]

# [roles.reader]
# permissions = ["cms:read"]

# A user is a user of the operating system. The tenant owns the data; the CMS starts with "local-site". A program's
# Principal("ada") has the tenant "default": give it this one, Principal("ada", "local-site"), to see its runs here.

[users.{user}]
roles = ["owner"]
tenant = "local-site"

# The price of a model that Remit does not know, or has at another price: US dollars per million tokens.
#
# [prices.my-model]
# input = 0.5
# output = 2.0
"""


class Role(BaseModel):
    """The permissions of a role."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)
    permissions: list[Permission]


class User(BaseModel):
    """A user of the operating system: tenant and roles."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)
    roles: list[str]
    tenant: str = Field(min_length=1)


class JournalConfig(BaseModel):
    """Where the journal is kept, and the file with the key of its seals."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)
    url: str = ""
    key: str = ""


class DataConfig(BaseModel):
    """Where applications keep their data."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)
    url: str = ""


class SignInConfig(BaseModel):
    """The OpenID provider that people may sign in with; see `remit.server.people.provider.Provider`."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)
    issuer: str = Field(min_length=1)
    client_id: str = Field(min_length=1)
    client_secret: str = Field(default="", pattern=r"^(env:[A-Za-z_][A-Za-z0-9_]*)?$")
    claim: str = Field(default="email", min_length=1)
    label: str = ""


class ModelPrice(BaseModel):
    """The price of a model in US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True, allow_inf_nan=False)
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached: float | None = Field(default=None, ge=0)


class Config(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", strict=True)
    journal: JournalConfig = JournalConfig()
    data: DataConfig = DataConfig()
    roles: dict[str, Role] = {}
    users: dict[str, User] = {}
    prices: dict[str, ModelPrice] = {}
    sign_in: SignInConfig | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserDirectory:
    """The file at ``path``: roles, users, prices, the OpenID provider, and databases, whose URLs may hold passwords."""

    path: Path
    roles: Mapping[str, frozenset[str]]
    principals: Mapping[str, Principal]
    journal_url: str = field(default="", repr=False)
    journal_key: str = ""
    data_url: str = field(default="", repr=False)
    prices: Prices = field(default_factory=dict[str, Price])
    sign_in: SignInConfig | None = None

    def require_principal(self, name: str) -> Principal:
        """Find the principal of that name.

        Raises:
            SetupError: the file does not list the user.
        """
        found = self.principals.get(as_normalized("the user", name))
        if found is None:
            roles = ", ".join(self.roles) or "none yet"
            raise SetupError(
                f"{self.path} does not list the user {name!r}; add the table "
                f'[users.{_toml_key(name)}] with roles = ["…"] '
                f'(available: {roles}) and tenant = "local-site"'
            )
        return found

    def find_principal(self, name: str, tenant: str) -> Principal | None:
        """The principal of that name and tenant with today's permissions, or None."""
        found = self.principals.get(name)
        return found if found is not None and found.tenant == tenant else None


def read_users(path: Path, user: str) -> UserDirectory:
    """Read the users from ``path``. On first use, create a file that makes ``user`` the owner.

    Raises:
        SetupError: the file cannot be read or is invalid, or others can change it; names file and key.
    """
    check_instance("read_users: path", path, Path, "give the path of config.toml")
    check_text("read_users: user", user)
    try:
        if not path.exists():
            _write_file(path, _DEFAULT_CONFIG.format(user=_toml_key(user)))
        for each in (path.parent, path):
            check_trusted(each)
        document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise SetupError(f"{path} cannot be used: {error.strerror}") from error
    except ValueError as error:
        raise SetupError(f"{path} is not TOML: {error}") from error
    return _parse_users(path, document)


def os_user() -> str:
    """The operating-system user of this process. The environment is ignored."""
    if sys.platform == "win32":
        return getpass.getuser()
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"uid-{os.geteuid()}"


def _parse_users(path: Path, document: dict[str, Any]) -> UserDirectory:
    try:
        config = Config.model_validate(document)
    except ValidationError as error:
        raise SetupError(f"{path}: {_explain(error)}") from error
    roles = {name: frozenset(role.permissions) for name, role in config.roles.items()}
    principals: dict[str, Principal] = {}
    for name, user in config.users.items():
        unknown = sorted(set(user.roles) - roles.keys())
        if unknown:
            known = ", ".join(roles) or "none"
            raise SetupError(
                f"{path}: users.{_toml_key(name)}.roles: no role {unknown[0]!r} in this file; it has: {known}"
            )
        granted = frozenset[str]().union(*(roles[role] for role in user.roles))
        try:
            principal = Principal(name, user.tenant, granted, frozenset(user.roles))
        except SetupError as error:
            raise SetupError(f"{path}: users.{_toml_key(name)}: {error.message}") from error
        if principal.name in principals:
            raise SetupError(f"{path}: users.{_toml_key(name)}: another user has this name; remove one of them")
        principals[principal.name] = principal
    return UserDirectory(
        path=path,
        roles=roles,
        principals=principals,
        journal_url=config.journal.url,
        journal_key=config.journal.key,
        data_url=config.data.url,
        prices={name: Price(each.input, each.output, each.cached) for name, each in config.prices.items()},
        sign_in=config.sign_in,
    )


_ADDITIONS: Final[Mapping[str, str]] = {
    "tenant": 'add tenant = "local-site"',
    "roles": 'add roles = ["…"]',
    "permissions": 'add permissions = ["…"]',
}


def _explain(error: ValidationError) -> str:
    """The first validation error, with its key."""
    first = error.errors(include_url=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    match first["type"]:
        case "extra_forbidden":
            return f"{key}: unknown key"
        case "missing":
            return f"{key}: missing; {_ADDITIONS.get(str(first['loc'][-1]), 'add it')}"
        case "string_pattern_mismatch" if key == "sign_in.client_secret":
            return f'{key}: name the environment variable with the secret, like "env:SIGN_IN_SECRET", not the secret'
        case "string_pattern_mismatch":
            return f'{key}: {first["input"]!r} is not a permission; write area:verb like "cms:read", "cms:*", or "*"'
        case _:
            return describe_mistake(first)


def _toml_key(name: str) -> str:
    """A name as a TOML key."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _write_file(path: Path, text: str) -> None:
    """Write a whole file, private to its owner. Two processes that write it at once write the same text."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)  # left by a dead process with the same id
    write_private_file(draft, text.encode())
    draft.replace(path)
