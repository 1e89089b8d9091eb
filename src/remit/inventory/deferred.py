"""Methods and tools of an inventory whose code is bound on the first use of any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, cast

from remit.call.deferred_tool import DeferredTool
from remit.core import Stack
from remit.errors import SetupError
from remit.inventory.binder import BoundSlice, facts_of_tool, layers_of_tool
from remit.inventory.definition import AnyTool, MethodDefinition, ToolDefinition
from remit.inventory.document import Inventory
from remit.inventory.governance import BUSINESS_RULES, BusinessRules
from remit.inventory.schema import MethodEntry, ToolEntry, build_entry_facts


class _Bound(Protocol):
    """The bindings."""

    methods: Mapping[str, MethodDefinition]
    tools: Mapping[str, ToolDefinition]


class DeferredMethod(MethodDefinition):
    """A method that is bound when its code is first needed. The properties from its entry are available before."""

    def __init__(self, entry: MethodEntry, find: Callable[[], MethodDefinition]) -> None:
        rules = cast("BusinessRules", entry.policies[BUSINESS_RULES])
        facts = build_entry_facts(entry, entry.spec, rules)
        contract: AnyTool = DeferredTool(
            lambda: find().contract, name=entry.key, facts=facts, layers=Stack(), where=entry.location
        )
        known = {"facts": facts, "business_rules": rules, "policies": entry.policies, "contract": contract}
        vars(self).update(known, _find=find)

    def __getattr__(self, name: str) -> Any:
        """Bind the method, and keep the settings that its code declares."""
        if name not in MethodDefinition.__dataclass_fields__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        known = vars(self)
        known.update({**vars(known["_find"]()), **known})
        return known[name]


def define_later(inventory: Inventory, make: Callable[[], _Bound]) -> BoundSlice:
    """The methods and tools of an inventory. ``make`` binds all of them when the code of one is first needed."""
    bound = cache(make)
    methods = {
        key: DeferredMethod(each, lambda key=key: bound().methods[key]) for key, each in inventory.methods.items()
    }
    tools = {
        name: _define_tool(inventory, each, methods[each.method], lambda name=name: bound().tools[name].tool)
        for name, each in inventory.tools.items()
    }
    return BoundSlice(methods, tools)


def check_deferrable(inventory: Inventory, bound: _Bound) -> None:
    """Refuse operations whose entries lack properties that are needed before their code is bound.

    Raises:
        SetupError: names the operation, and says what to write.
    """
    wanted = {*inventory.methods, *inventory.tools}
    for name in sorted(wanted ^ {*bound.methods, *bound.tools}):
        what = "is not among what make returns" if name in wanted else "has no entry in the slice"
        raise SetupError(f"Operations.later: {name} {what}; return only the operations of that slice")
    for name, each in bound.tools.items():
        if len(each.tool.layers) != len(layers_of_tool(inventory, inventory.tools[name], each.tool.facts)):
            raise SetupError(
                f"Operations.later: {name} has layers that its entry does not declare; attach them to what is returned"
            )


def _define_tool(
    inventory: Inventory, entry: ToolEntry, method: MethodDefinition, find: Callable[[], AnyTool]
) -> ToolDefinition:
    facts = facts_of_tool(inventory, entry)
    layers = layers_of_tool(inventory, entry, facts)
    return ToolDefinition(
        name=entry.name,
        method=method,
        policies=entry.policies,
        fixed_values=entry.spec.fix,
        hidden_parameters=entry.spec.hide,
        location=entry.location,
        tool=DeferredTool(find, name=entry.name, facts=facts, layers=layers, where=entry.location),
    )
