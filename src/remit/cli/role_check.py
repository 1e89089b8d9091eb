"""Compares the permissions that an application requires with those that the roles of ``config.toml`` grant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from remit.call.call import ConditionalLayer
from remit.call.classification import EXPERIMENT_PERMISSION, Visibility
from remit.cli.audit import ACCEPT_JOURNAL, AUDIT_ALL_TENANTS
from remit.dispatch.registry import AnyCallee, collect_callees
from remit.engine.sharing import CANCEL_PERMISSION, JOIN_PERMISSION, MANAGE_PERMISSION, READ_PERMISSION
from remit.errors import SetupError
from remit.inventory.governance import BUSINESS_RULES, BusinessRules
from remit.inventory.operations import Operations
from remit.inventory.running import locate_callee
from remit.layers import Approve, CallLayer
from remit.policies import DECIDE_PERMISSION, Ask, When
from remit.record.principal import ANONYMOUS, WILDCARD, Principal
from remit.schemas.finding import Finding, display_path
from remit.schemas.suggestions import suggest
from remit.server.permissions import PEOPLE_PERMISSION
from remit.users import os_user, read_users

_OF_REMIT: Final = frozenset(
    {
        ACCEPT_JOURNAL,
        AUDIT_ALL_TENANTS,
        CANCEL_PERMISSION,
        DECIDE_PERMISSION,
        EXPERIMENT_PERMISSION,
        JOIN_PERMISSION,
        MANAGE_PERMISSION,
        PEOPLE_PERMISSION,
        READ_PERMISSION,
    }
)


def compare_roles(
    operations: Operations, callees: Iterable[AnyCallee], layers: Iterable[CallLayer], config: Path
) -> tuple[Finding, ...]:
    """The permissions that roles lack for the application, and unused ones; empty without a file.

    ``layers``: the layers around every call, whose rules may require a permission for deciding.

    None of these fails a check: an application may get its principals elsewhere, its code may check further
    permissions, and a call without its permission is refused at run time.
    """
    where = display_path(config)
    try:
        if not config.exists():
            return ()
        roles = read_users(config, os_user()).roles
    except (SetupError, OSError) as error:
        what = f"the roles were not compared: {error}"
        return (Finding(code="roles-unreadable", where=where, what=what, fix="correct the file"),)
    required = _required_permissions(operations, callees)
    decides = _permissions_of_rules(layers)
    return (*_find_ungranted(decides | required, roles, where), *_find_unneeded(required | decides, roles, where))


def _required_permissions(operations: Operations, callees: Iterable[AnyCallee]) -> dict[str, dict[str, str]]:
    """Each required permission, with the name and location of its requirer."""
    found: dict[str, dict[str, str]] = {}
    for tool in operations.tools.values():
        rules = tool.policies.get(BUSINESS_RULES)
        if isinstance(rules, BusinessRules) and rules.visibility is Visibility.EXPERIMENTAL:
            _add(found, (EXPERIMENT_PERMISSION,), tool.name, tool.location)
    for callee in collect_callees(callees):
        entry = operations.tools.get(callee.name)
        _add(found, callee.facts.permissions, callee.name, locate_callee(callee) if entry is None else entry.location)
    for method in operations.methods.values():  # methods without a tool
        _add(found, method.facts.permissions - found.keys(), method.metadata.key, method.metadata.inventory_location)
    return found


def _permissions_of_rules(layers: Iterable[CallLayer]) -> dict[str, dict[str, str]]:
    """The permissions other than the usual one that rules require of the person who decides."""
    found: dict[str, dict[str, str]] = {}
    for each in layers:
        layer = each
        while isinstance(layer, ConditionalLayer):
            layer = layer.layer
        for rule in layer.policy.rules if isinstance(layer, Approve) else ():
            verdict = rule.verdict if isinstance(rule, When) else None
            if isinstance(verdict, Ask) and verdict.who not in _OF_REMIT:
                _add(found, (verdict.who,), f"the rule {rule.name!r}", "the policy of the application")
    return found


def _add(found: dict[str, dict[str, str]], permissions: Iterable[str], name: str, where: str) -> None:
    for permission in permissions:
        found.setdefault(permission, {})[name] = where


def _find_ungranted(
    required: Mapping[str, Mapping[str, str]], roles: Mapping[str, frozenset[str]], config: str
) -> Iterator[Finding]:
    granted = frozenset(each.partition("@")[0] for permissions in roles.values() for each in permissions)
    every_role = Principal(ANONYMOUS, permissions=granted)
    for permission in every_role.missing_permissions(frozenset(required)):
        name, where = next(iter(required[permission].items()))
        others = len(required[permission]) - 1
        more = f" (and {others:,} more)" if others else ""
        what = f"no role in {config} grants {permission}, which {name} requires{more}"
        yield Finding(code="ungranted-permission", where=where, what=what, fix="add it to a role, or correct the name")


def _find_unneeded(
    required: Mapping[str, Mapping[str, str]], roles: Mapping[str, frozenset[str]], config: str
) -> Iterator[Finding]:
    """Permissions of roles that nothing requires, in the areas of the permissions that something requires."""
    areas = {_area(each) for each in required}
    for role, permissions in roles.items():
        names = {each.partition("@")[0] for each in permissions}
        for permission in sorted(names - required.keys() - _OF_REMIT):
            if _area(permission) in areas and not permission.endswith(f":{WILDCARD}"):
                what = f"the role {role} grants {permission}, which no tool or method requires"
                mend = suggest(permission, required, "remove it, unless something else checks it")
                yield Finding(code="unneeded-permission", where=config, what=what, fix=mend)


def _area(permission: str) -> str:
    return permission.partition(":")[0]
