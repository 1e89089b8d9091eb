"""The operations of an application: its code bound to its inventory.

All mismatches are reported at once, each with file and line.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

from remit.call.tool import Tool
from remit.call.typed_schema import contracts_are_checked
from remit.core.call_checks import check_arguments, check_callback
from remit.core.checks import (
    check_instance,
    check_instances,
    check_text,
)
from remit.dispatch.registry import keeps_layers
from remit.errors import ContractError, SetupError
from remit.inventory.binder import Binder, BoundSlice, ComposeFunction, find_tool
from remit.inventory.deferred import check_deferrable, define_later
from remit.inventory.definition import AnyTool, MethodDefinition, ToolDefinition
from remit.inventory.document import Inventory
from remit.inventory.envelope import ToolRequest
from remit.inventory.schema import MethodEntry, ToolEntry
from remit.schemas.finding import InventoryError


@check_arguments()
class Operations:
    """The methods and tools of an application.

    A domain object may itself need tools, like an agent. Operations of slices can therefore be built first and joined;
    no operation is bound twice.

    Args:
        inventory: the entries.
        domain_objects: objects of the application's domain classes, modules, and single functions; tools from a bare
            `@tool` count as functions, and tools whose facts are declared in code need no entry.
        compose: given a lookup for the tools of ``domain_objects``, returns the objects whose functions call them, such
            as pipelines.
        parts: operations of slices of ``inventory``, which are reused.
        tool_request: the requests for tools by name, if they have more fields than a `ToolRequest`.

    Raises:
        InventoryError: code and inventory do not fit; has all findings.
        SetupError: a part belongs to another inventory, or two parts to one slice.
    """

    def __init__(
        self,
        inventory: Inventory,
        domain_objects: Iterable[object],
        *,
        compose: ComposeFunction | None = None,
        parts: Iterable[Operations] = (),
        tool_request: type[ToolRequest] = ToolRequest,
    ) -> None:
        self.tool_request = tool_request
        self.inventory = inventory
        instances, part_list = list(domain_objects), tuple(parts)
        _check_parts(inventory, part_list)
        binder = Binder(inventory, instances, compose, [BoundSlice(part.methods, part.tools) for part in part_list])
        bound = binder.bind()
        self.methods: Mapping[str, MethodDefinition] = bound.methods
        self.tools: Mapping[str, ToolDefinition] = bound.tools
        if binder.findings:
            raise InventoryError(binder.findings)

    @classmethod
    def later(cls, inventory: Inventory, make: Callable[[], Operations]) -> Operations:
        """The operations of a slice. ``make`` imports and binds their code when the code of one is first needed.

        This happens only in a command that calls one tool of an application that was checked in its current form: the
        entries alone then give the governance. All other uses call ``make`` at once.

        Raises:
            InventoryError: see `Operations`. SetupError: ``make`` returns other operations than those of the slice, or
                gives them layers.
        """
        check_instances("Operations.later", inventory=(inventory, Inventory))
        check_callback("Operations.later: make", make, is_async=False)

        def bind() -> Operations:
            made = make()
            check_instance("Operations.later: the result of make", made, Operations, "return Operations(…)")
            check_deferrable(inventory, made)
            return made

        if not contracts_are_checked():
            return bind()
        operations = cls.__new__(cls)
        operations.inventory, operations.tool_request = inventory, ToolRequest
        operations.methods, operations.tools = define_later(inventory, bind)
        return operations

    @property
    def callees(self) -> tuple[AnyTool, ...]:
        """All tools, for agents and applications, in the order of the inventory."""
        return tuple(definition.tool for definition in self.tools.values())

    @cached_property
    def programs(self) -> Mapping[str, ToolDefinition]:
        """The methods that have no tool, by key: programs call them, under their own policies."""
        with_tools = {id(each.method) for each in self.tools.values()}
        methods = ((key, each) for key, each in self.methods.items() if id(each) not in with_tools)
        return {key: self._define_program(key, each) for key, each in methods}

    def _define_program(self, key: str, method: MethodDefinition) -> ToolDefinition:
        layers = self.inventory.policy_table.build_stack(method.policies, method.facts, {})
        tool = method.contract.with_key(key).layer(layers)
        return ToolDefinition(
            name=key,
            method=method,
            policies=method.policies,
            fixed_values={},
            hidden_parameters=(),
            location=self.inventory.methods[key].location,
            tool=tool,
        )

    @property
    def method_callees(self) -> Mapping[str, AnyTool]:
        """The callee for each method key: the method's first tool with all parameters, or else the program.

        A method must be called by the name of a tool if all its tools narrow it, or if its other tools have different
        policies.
        """
        found = {key: each.tool for key, each in self.programs.items()}
        for key in self.methods:
            tools = [each for each in self.find_tools_of(key) if not (each.fixed_values or each.hidden_parameters)]
            if tools and all(each.policies == tools[0].policies for each in tools):
                found[key] = tools[0].tool
        return found

    def find_tools_of(self, key: str) -> tuple[ToolDefinition, ...]:
        """The tools of the method with that key."""
        check_text("find_tools_of: key", key)
        method = self.methods.get(key)
        return tuple(each for each in self.tools.values() if method is not None and each.method is method)

    def find_tool(self, name: str) -> AnyTool:
        """The tool of that name.

        Raises:
            ContractError: it does not exist.
        """
        check_text("find_tool: name", name)
        return find_tool(self.tools, name)

    def with_tools(self, change: Callable[[AnyTool], AnyTool]) -> Operations:
        """A copy with each tool replaced by ``change(tool)``, to add properties outside an inventory, such as previews.

        Raises:
            ContractError: ``change`` returned no tool, or one with another name, function or facts, or fewer layers.
        """
        check_callback("Operations.with_tools: change", change, "tool", is_async=False)
        changed = copy.copy(self)
        changed.tools = {
            name: replace(each, tool=_check_replacement(each.tool, change(each.tool)))
            for name, each in self.tools.items()
        }
        return changed


def _check_replacement(tool: AnyTool, replacement: object) -> AnyTool:
    """Check that the replacement is the same tool, with everything that its entry declares."""
    name = tool.name
    if not isinstance(replacement, Tool):
        raise ContractError(f"with_tools got {replacement!r} for the tool {name}; return each tool, changed or not")
    made = cast("AnyTool", replacement)
    if made.name != name:
        raise ContractError(f"with_tools got the tool {made.name} for {name}; a replacement keeps the tool's name")
    if (made.function, made.facts) != (tool.function, tool.facts) or not keeps_layers(made, tool):
        raise ContractError(f"with_tools got another tool for {name}; return the tool with more layers or with hooks")
    return made


def _check_parts(inventory: Inventory, parts: Sequence[Operations]) -> None:
    """Check that every part is a slice of this inventory, and none is passed twice."""
    unassigned: dict[str, MethodEntry | ToolEntry] = {**inventory.methods, **inventory.tools}
    for part in parts:
        for name, entry in {**part.inventory.methods, **part.inventory.tools}.items():
            if unassigned.pop(name, None) is not entry:
                raise SetupError(
                    f"{name} ({entry.location}) belongs to two parts or to another inventory; "
                    "make each part from a different slice of this inventory"
                )
