"""Code and inventory put together: the methods of an application, and the tools derived from them.

Whatever does not fit is found when they are put together, all of it at once, each with its file and line.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from remit.contracts.tool import Tool
from remit.errors import ContractError, SetupError
from remit.inventory.binder import Binder, BoundSlice, ComposeFunction, find_tool
from remit.inventory.definition import AnyTool, MethodDefinition, ToolDefinition
from remit.inventory.document import Inventory
from remit.inventory.schema import MethodEntry, ToolEntry
from remit.schemas.finding import InventoryError


class Operations:
    """The methods and tools of an application.

    An agent that is one of the domain objects needs tools before all is made. So the operations of slices can be made
    first, and those of the whole be joined out of them: nothing is bound twice.

    Args:
        inventory: what governs them.
        domain_objects: objects of the application's domain classes, whose methods they are.
        compose: from a way to look up the tools made of ``domain_objects``, the objects whose functions call them, as
            pipelines do.
        parts: operations of slices of ``inventory``. What they have is taken from there.

    Raises:
        InventoryError: code and inventory do not fit, with everything that was found.
        SetupError: a part is of another inventory, or two are of one slice.
    """

    def __init__(
        self,
        inventory: Inventory,
        domain_objects: Iterable[object],
        *,
        compose: ComposeFunction | None = None,
        parts: Iterable[Operations] = (),
    ) -> None:
        self.inventory = inventory
        instances, part_list = list(domain_objects), list(parts)
        _check_parts(inventory, part_list)
        packages = frozenset(type(each).__module__.partition(".")[0] for each in instances)
        self.packages = packages.union(*(part.packages for part in part_list))
        binder = Binder(inventory, instances, compose, [BoundSlice(part.methods, part.tools) for part in part_list])
        self.methods: Mapping[str, MethodDefinition] = binder.bind_methods()
        self.tools: Mapping[str, ToolDefinition] = binder.bind_tools(self.methods)
        if binder.findings:
            raise InventoryError(binder.findings)

    @property
    def callees(self) -> tuple[AnyTool, ...]:
        """All tools, for agents and applications, in the order of the inventory."""
        return tuple(definition.tool for definition in self.tools.values())

    def find_tool(self, name: str) -> AnyTool:
        """The tool of that name.

        Raises:
            ContractError: there is none.
        """
        return find_tool(self.tools, name)

    def with_tools(self, change: Callable[[AnyTool], AnyTool]) -> Operations:
        """The same with each tool as ``change`` gives it: with what no inventory says, as what a person is shown.

        Raises:
            ContractError: for a tool it gives none, or one of another name.
        """
        changed = copy.copy(self)
        changed.tools = {
            name: replace(each, tool=_check_replacement(name, change(each.tool))) for name, each in self.tools.items()
        }
        return changed


def _check_replacement(name: str, replacement: object) -> AnyTool:
    """What was given for the tool of that name, if it is one of that name."""
    if not isinstance(replacement, Tool):
        raise ContractError(f"with_tools got {replacement!r} for the tool {name}; give each tool, changed or as it is")
    made = cast("AnyTool", replacement)
    if made.name != name:
        raise ContractError(f"with_tools got the tool {made.name} for {name}; a tool keeps the name of its entry")
    return made


def _check_parts(inventory: Inventory, parts: Sequence[Operations]) -> None:
    """Refuse parts that are not of this inventory, each of a slice of its own."""
    unassigned: dict[str, MethodEntry | ToolEntry] = {**inventory.methods, **inventory.tools}
    for part in parts:
        for name, entry in {**part.inventory.methods, **part.inventory.tools}.items():
            if unassigned.pop(name, None) is not entry:
                raise SetupError(
                    f"a part has the entry {name} ({entry.location}), and it is of another inventory or of two parts; "
                    "make each part of a slice of its own"
                )
