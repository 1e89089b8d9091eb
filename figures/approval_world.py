"""What the matrix of approvals is tried on: every tool of both applications, and what calls it; bodies that count."""

from __future__ import annotations

import functools
import json
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from figures import approval_casefile
from remit import (
    Agent,
    App,
    Ask,
    CallLayer,
    Context,
    Effect,
    Env,
    HasApprover,
    Policy,
    Principal,
    Risk,
    Runtime,
    Stack,
    Tool,
    When,
    preset,
    tool,
)
from remit.contracts.arguments import Limits, parse
from remit.contracts.tool import tool_of
from remit.journal.ports import Store
from remit.pipeline import Pipeline, Step
from remit.testing import Scripted, anybody
from remit_casefile.app import Casefiles
from remit_cms.app import build

AnyTool = Tool[..., Any]

ADA: Final = anybody(name="ada")
BEA: Final = anybody(name="bea")

_SAMPLES: Final[dict[str, dict[str, Any]]] = {
    "cms_createPageWithContent": {"title": "About", "sections": [{"definitionId": "hero"}]},
    "cms_getPage": {"slug": "about"},
    "cms_updatePage": {"pageId": "page_1", "title": "About"},
    "cms_updateSectionContent": {"pageSectionId": "section_1", "content": {"heading": "Bread"}},
}
"""Arguments for tools whose schema alone does not say which are valid together."""


@dataclass
class Clock:
    """Seconds that pass when a case says so."""

    now: float = 1_000_000.0

    def __call__(self) -> float:
        """Now."""
        return self.now


@dataclass
class Target:
    """A tool under trial: arguments that are valid, and others."""

    tool: AnyTool
    arguments: dict[str, Any]
    others: dict[str, Any] | None
    inner: tuple[AnyTool, ...] = ()
    inside: tuple[CallLayer, ...] = ()

    def canonical(self, arguments: dict[str, Any]) -> str:
        """The canonical form of arguments of this tool."""
        schema = self.tool.schema_in
        return schema.canonical(schema.bind(parse(json.dumps(arguments), Limits()), strict=True))


@dataclass
class Ran:
    """The bodies that ran: tool and canonical arguments."""

    bodies: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def count(self, name: str, canonical: str = "") -> int:
        """How often a tool ran; with these arguments, if they are named."""
        return sum(each == name and canonical in ("", said) for each, said in self.bodies)


def cms_targets(ran: Ran, folder: Path) -> list[Target]:
    """Every tool of the CMS as the application has it, called by a model and by a composed callee."""
    app = build(folder).app
    tools = [each for agent in app.agents for each in agent.tools] + list(app.tools)
    made = [_counted(each, ran) for each in tools if isinstance(each, Tool)]
    direct = [_target(each, _SAMPLES.get(each.name) or _sample(each.schema_in.json_schema)) for each in made]
    return [*direct, *(_within(target, ran) for target in direct)]


def casefile_targets(ran: Ran, made: Casefiles) -> list[Target]:
    """Every tool of the casefile application, called by a model and by a pipeline."""
    counted = [_counted(each, ran) for each in approval_casefile.tools_of(made)]
    samples = [approval_casefile.sample(each.name, _sample(each.schema_in.json_schema)) for each in counted]
    seated = (approval_casefile.seated(),)
    direct = [_target(each, said, seated) for each, said in zip(counted, samples, strict=True)]
    return [*direct, *(_by_pipeline(target, ran) for target in direct)]


def _target(made: AnyTool, arguments: dict[str, Any], inside: Iterable[CallLayer] = ()) -> Target:
    confirm = made.facts.confirm
    arguments = {**arguments, confirm: True} if confirm else arguments
    others = next(iter(_changed(arguments, confirm)), None)
    found = Target(made, arguments, others, inside=tuple(inside))
    found.canonical(arguments)
    found.canonical(others or arguments)
    return found


def _counted(made: AnyTool, ran: Ran) -> AnyTool:
    """The same contract, facts and layers; the body only says that it ran."""
    operation, schema = made.function, made.schema_in

    @functools.wraps(operation)
    async def body(*given: Any) -> Any:
        payload = given[-1] if given and hasattr(given[-1], "model_dump") else schema.model()
        ran.bodies.append((made.name, schema.canonical(payload)))
        raise LookupError("it ran")

    return redefined(made, body)


def redefined(
    made: AnyTool,
    body: Callable[..., Awaitable[Any]],
    *,
    description: str = "",
    risk: Risk | None = None,
    egress: bool = False,
) -> AnyTool:
    """The tool with another body, another description, risk or egress."""
    facts = replace(made.facts, risk=risk or made.facts.risk, egress=egress)
    again = tool_of(body, facts, name=made.name, description=description or made.description)
    return again.layer(made.layers) if len(made.layers) else again


def _within(target: Target, ran: Ran) -> Target:
    """A composed callee of Python, of high risk itself, that calls the tool."""
    called, arguments = target.tool, target.arguments

    driven = set[str]()

    @tool(name=f"through_{called.name}"[:64], effect=Effect.COMPOSED, risk=Risk.HIGH)
    async def through(ctx: Context, note: str) -> str:
        """Call another tool. Driven again until it ends, it is one call."""
        if ctx.key not in driven:
            ran.bodies.append((f"through_{called.name}", json.dumps({"note": note}, separators=(",", ":"))))
        driven.add(ctx.key)
        await getattr(ctx.tools, called.name)(**arguments)
        return "called"

    return Target(through, {"note": "go"}, {"note": "gone"}, (called,))


def _by_pipeline(target: Target, ran: Ran) -> Target:
    """As `_within`, of which the body is a pipeline of one step."""
    called = target.tool
    step = Step(name="only", callee=called, takes=target.arguments)
    driven = set[str]()

    @tool(name=f"pipeline_{called.name}"[:64], effect=Effect.COMPOSED, risk=Risk.HIGH)
    async def pipeline(ctx: Context, note: str) -> str:
        """Go through a pipeline. Driven again until it ends, it is one call."""
        if ctx.key not in driven:
            ran.bodies.append((f"pipeline_{called.name}", json.dumps({"note": note}, separators=(",", ":"))))
        driven.add(ctx.key)
        await Pipeline("only", _Nothing, (step,), description="Call it.").within(ctx, _Nothing())
        return "called"

    return Target(pipeline, {"note": "go"}, {"note": "gone"}, (called,), target.inside)


class _Nothing(BaseModel):
    """What that pipeline takes."""


def _sample(schema: dict[str, Any]) -> dict[str, Any]:
    """The least that a schema asks for."""
    named: dict[str, Any] = schema.get("properties", {})
    return {name: _value(_found(named[name], schema), schema) for name in schema.get("required", [])}


def _found(part: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    name = str(part.get("$ref", "")).rpartition("/")[2]
    return whole["$defs"][name] if name else part


def _value(schema: dict[str, Any], whole: dict[str, Any]) -> Any:
    if "anyOf" in schema:
        return _value(_found(schema["anyOf"][0], whole), whole)
    match schema.get("type"):
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
        case "array":
            return [_value(_found(schema["items"], whole), whole)] * int(schema.get("minItems", 0))
        case "object":
            return _sample({**schema, "$defs": whole.get("$defs", {})})
        case _:
            return str(schema.get("enum", ["about"])[0])


def _changed(arguments: dict[str, Any], confirm: str | None) -> list[dict[str, Any]]:
    """Valid arguments that differ in one text; none where a tool takes no text."""
    texts = [name for name, value in arguments.items() if isinstance(value, str) and name != confirm]
    other = approval_casefile.ALTERNATIVES
    return [{**arguments, name: other.get(arguments[name], f"{arguments[name]}x")} for name in texts]


def always() -> Policy:
    """Asks about every tool, by the name of the rule ``asked``."""
    return Policy(When("asked", lambda call: call.callee.name != "agent", Ask(reason="it is asked about")))


@dataclass
class Stage:
    """One case: a target, a store, a clock; the runs that it makes."""

    target: Target
    ran: Ran
    store: Store
    clock: Clock

    def runtime(
        self,
        *script: Any,
        made: AnyTool | None = None,
        more: tuple[AnyTool, ...] = (),
        policy: Policy | None = None,
        env: HasApprover | None = None,
        inside: tuple[CallLayer, ...] = (),
    ) -> Runtime:
        """A runtime with the target, of an agent that says ``script``."""
        tools = (made or self.target.tool, *self.target.inner, *more)
        layers = Stack[CallLayer](preset(env or Env(), policy=policy or always()), *inside, *self.target.inside)
        agent = Agent("agent", instructions="Work.", tools=tools)
        app = App(name="matrix", agents=(agent,))
        model = Scripted([*script, "done", "done", "done"])
        return Runtime(app, store=self.store, model=model, clock=self.clock, layers=layers, directory=_known)

    @property
    def name(self) -> str:
        """The tool's name."""
        return self.target.tool.name


def _known(name: str, tenant: str) -> Principal:
    return anybody(name=name, tenant=tenant)
