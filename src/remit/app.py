"""An application: its name, agents and tools, and the environment from which its layers are built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Final, cast

from remit.agent.agent import Agent
from remit.approvals.approver import Approver, HasApprover, InboxApprover
from remit.approvals.policy import DEFAULT_POLICY, Policy
from remit.approvals.question_limit import DEFAULT_MAX_QUESTIONS
from remit.call.call import CallLayer, ToolLayer, to_call_layers
from remit.call.callee import Callee, check_callees
from remit.call.resolution import CheckTarget, ListTargets, Resolver, check_kinds, check_resolvers
from remit.call.typed_schema import contracts_are_checked
from remit.core import Place, Stack
from remit.core.argument_types import UNCHECKED, FilledText
from remit.core.call_checks import callback, check_arguments
from remit.core.checks import (
    as_tuple,
    check_permission,
    wrong_value,
)
from remit.core.names import check_title
from remit.core.place import shorten
from remit.dispatch.preset import preset
from remit.dispatch.terms import Terms, describe_terms, encode_terms, find_lost
from remit.engine.resources import Resource, check_resources
from remit.errors import NameTakenError, SetupError
from remit.layers.approve import Approve
from remit.layers.budget import Budget
from remit.record.arguments import Limits
from remit.shown import show_value

if TYPE_CHECKING:
    from remit.inventory.operations import Operations
    from remit.models.rehearsal import Example
    from remit.object_views import ObjectView

__all__ = ["App", "Env"]

_OF_PRESET: Final = frozenset({Place.AUTHORIZE, Place.VALIDATE})
"""The places of the preset's layers that need only one layer."""


@check_arguments()
@dataclass(frozen=True, slots=True, kw_only=True)
class Env:
    """The environment of an application whose only capability is an approver.

    An application with more capabilities uses its own plain dataclass.
    """

    approver: Approver | None = field(default_factory=InboxApprover)

    def __post_init__(self) -> None:
        if self.approver is not None and not hasattr(self.approver, "decide"):
            raise wrong_value("Env: approver", self.approver, "give an approver, such as InboxApprover()")


@check_arguments(model="give it to the runtime: Runtime(app, model=…)")
@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """An application, as an entry point in the group ``remit.apps`` returns it. The first agent is the default.

    Every process that loads the application runs it under its policy, budget and layers.

    Args:
        policy: which calls a person approves, and which are blocked; `DEFAULT_POLICY` by default.
        budget: limits on what a run may use; ``Budget()`` by default.
        max_questions: after this many questions, a run asks whether it may ask more.
        layers: further layers around every call, such as ``Stack(Timeout(60), Redact(…))``, in addition to those that
            `remit.preset` builds from the three arguments before. Each is as far out as its place allows; see
            `Stack.layer`.
        operations: code and inventory, which ``remit check`` compares; None for an application without an inventory.
        limits: the sizes of texts that may enter a run; a runtime may have others.
        references: by kind of object, the function that finds the objects that a `Reference` may mean.
        check_target: refuses an unknown or invisible target with a `RequestNotFoundError` before an agent runs: ``async
            def check(target, principal)``.
        list_targets: the targets that a person can choose in the console, the default one first: ``async def
            list_targets(principal)``.
        resources: the resources of its services that must be closed, such as connections: async context managers, or
            functions that return one. ``async with`` a runtime opens them in this order and closes them in the reverse.
        views: how people see its objects in the console, a view for each kind.
        permissions: what the holder of a permission may do, as people read it, such as ``{"orders:refund": "refund
            orders"}``. A permission without words is shown by its parts.
        examples: what people can ask the first agent for, and how a script answers in a rehearsal; see
            `remit.models.Example`.
        shadow: a policy that also judges every call, and changes nothing. Where it differs from ``policy``, a note of
            the call says so; see `Client.shadow_trial`.
    """

    name: str
    agents: Sequence[Agent] = ()
    tools: Sequence[Callee[..., Any]] = ()
    env: HasApprover = field(default_factory=Env)
    policy: Policy | None = None
    budget: Budget | None = None
    max_questions: int | None = None
    layers: Annotated[ToolLayer | Stack[ToolLayer] | Stack[CallLayer] | Sequence[ToolLayer], UNCHECKED] = ()
    operations: Operations | None = None
    limits: Limits = field(default_factory=Limits)
    references: Mapping[str, Resolver] = field(default_factory=dict[str, Resolver])
    check_target: Annotated[CheckTarget, callback("target", "principal", is_async=True)] | None = None
    list_targets: Annotated[ListTargets, callback("principal", is_async=True)] | None = None
    resources: Sequence[Resource] = ()
    views: Sequence[ObjectView] = ()
    permissions: Mapping[str, FilledText] = field(default_factory=dict[str, str])
    examples: Sequence[Example] = ()
    shadow: Policy | None = None

    def __post_init__(self) -> None:
        check_title("App: name", self.name)
        where = f"application {self.name}"
        names = [agent.name for agent in self.agents]
        for name in names:
            if names.count(name) > 1:
                raise NameTakenError(f"{where} has two agents named {name!r}; list each once, or rename one")
        object.__setattr__(self, "tools", check_callees(f"{where}: tools", self.tools))
        if not hasattr(self.env, "approver"):
            raise SetupError(f"{where}: env is {show_value(self.env)}; give an object with an approver, such as Env()")
        object.__setattr__(self, "references", check_resolvers(f"{where}: references", self.references))
        object.__setattr__(self, "resources", check_resources(f"{where}: resources", self.resources))
        for permission in self.permissions:
            check_permission(f"{where}: permissions", permission)
        if not isinstance(cast("object", self.views), tuple) or self.views:
            from remit.object_views import check_views  # noqa: PLC0415 - loaded only if there are any

            object.__setattr__(self, "views", check_views(where, self.views))
        if not isinstance(cast("object", self.examples), tuple) or self.examples:
            from remit.models.rehearsal import check_examples  # noqa: PLC0415 - loaded only if there are any

            object.__setattr__(self, "examples", check_examples(f"{where}: examples", self.examples))
        self._check_governance(where)

    def _check_governance(self, where: str) -> None:
        given: object = self.layers
        if not isinstance(given, Stack) and not hasattr(given, "place"):
            given = Stack[Any](*as_tuple(f"{where}: layers", given))
        layers = to_call_layers(cast("Stack[ToolLayer]", given))
        for each in layers:
            if each.place in _OF_PRESET:
                raise SetupError(
                    f"{where}: layers has {each!r}, but the application has one; give only what is added to the "
                    f"preset, without {shorten(repr(each))}"
                )
        object.__setattr__(self, "layers", layers)
        self.build_layers()

    def _declared_terms(self) -> Terms:
        """The terms of the application's own policy, budget or layers."""
        approve = Approve(self.env, policy=self.policy) if self.policy is not None else None
        own = Stack[CallLayer](*(each for each in (approve, self.budget) if each is not None))
        return describe_terms(own.layer(self._own_layers))

    @property
    def _own_layers(self) -> Stack[CallLayer]:
        return cast("Stack[CallLayer]", self.layers)

    def build_layers(self) -> Stack[CallLayer]:
        """The run layers, outermost first, for every runtime of this application."""
        limit = DEFAULT_MAX_QUESTIONS if self.max_questions is None else self.max_questions
        policy = self.policy or DEFAULT_POLICY
        of_preset = preset(self.env, policy=policy, budget=self.budget, max_questions=limit, shadow=self.shadow)
        return of_preset.layer(self._own_layers)

    @property
    def methods(self) -> Mapping[str, Callee[..., Any]]:
        """The callees that a program can call by the key of a method: its tool, or the method itself without one."""
        return {} if self.operations is None else self.operations.method_callees

    def check_runtime(self, callees: Iterable[Callee[..., Any]], layers: Stack[CallLayer]) -> None:
        """Compare what a runtime will run with the application's governance: its resolvers, inventory and lock.

        Raises:
            SetupError: ``layers`` lack a layer that the application declares, or a kind of reference has no resolver.
            InventoryError: inventory or lock differ; it has all findings.
        """
        callees = list(callees)
        lost = find_lost(encode_terms(self._declared_terms()), describe_terms(layers))
        if lost:
            raise SetupError(
                f"application {self.name}: layers of the runtime lack {', '.join(each.description for each in lost)}, "
                "which the application declares; leave out layers=, or give all of it with Runtime(app).layer(…)"
            )
        if not contracts_are_checked():  # the search for references reads every contract
            check_kinds(callees, self.references)
        if self.operations is not None:
            from remit.inventory.running import check_application  # noqa: PLC0415 - loaded only if there is one

            check_application(self.operations, callees, layers)
