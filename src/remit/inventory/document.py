"""An inventory in memory: its methods and tools, and the vocabulary that its files may use."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from remit.core.call_checks import check_arguments
from remit.errors import SetupError
from remit.inventory.governance import PolicyTable
from remit.inventory.schema import MethodEntry, ToolEntry
from remit.schemas.finding import display_path


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The subdomains of each domain, and the permissions that the application's roles grant."""

    domains: Mapping[str, Collection[str]]
    permissions: Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The entries read: methods by key ``domain.subdomain.name``, tools by name."""

    folder: Path
    policy_table: PolicyTable
    vocabulary: Vocabulary
    methods: Mapping[str, MethodEntry]
    tools: Mapping[str, ToolEntry]

    def slice(self, domain: str, subdomain: str) -> Inventory:
        """The entries of one subdomain.

        Raises:
            SetupError: the subdomain has no entries.
        """
        wanted_slice = (domain, subdomain)
        slices = {(each.domain, each.subdomain) for each in (*self.methods.values(), *self.tools.values())}
        if wanted_slice not in slices:
            listed = ", ".join(".".join(each) for each in sorted(slices)) or "none"
            raise SetupError(f"{display_path(self.folder)} has no slice {domain}.{subdomain}; available: {listed}")
        methods = {key: each for key, each in self.methods.items() if (each.domain, each.subdomain) == wanted_slice}
        tools = {name: each for name, each in self.tools.items() if (each.domain, each.subdomain) == wanted_slice}
        return replace(self, methods=methods, tools=tools)
