"""Wrong and sloppy values, as users without a type checker write them: each is refused in one line, or denied."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from figures.figure import Figure, no_violations
from figures.untyped_policies import policies, runs_under
from figures.untyped_sweep import WRONG, sweep
from remit import (
    Agent,
    Allow,
    App,
    Ask,
    Block,
    Effect,
    Policy,
    Principal,
    Retry,
    Runtime,
    SqlStore,
    Stack,
    Timeout,
    Tool,
    When,
    preset,
    tool,
)
from remit.app import Env
from remit.audit import Audit, FileAnchor
from remit.errors import RemitError
from remit.inventory import Deprecation, EnabledGate, SessionGate
from remit.layers import (
    Accumulate,
    AddMessage,
    Approve,
    Breaker,
    Budget,
    Call,
    Concurrency,
    Fallback,
    Guardrail,
    RateLimit,
    Transform,
    Validate,
    layer_fn,
)
from remit.models import OpenAI, PydanticAIModel
from remit.pipeline import From, Given, Pipeline, Step, Text
from remit.policies import Decision, HighRisk
from remit.secrets import EnvSecrets, FileSecrets, Secret
from remit.stores import InMemoryStore
from remit.testing import Scripted
from remit.tools import Change, Facts, Limits, Preview, Rate, tool_name

Wrong = tuple[Any, ...]
NAN: Final = float("nan")
TEXT: Final[Wrong] = (3, None, b"x", ["a"], str)
NAME: Final[Wrong] = (*TEXT, "")
NUMBER: Final[Wrong] = ("3", None, True, [], NAN, -1, float("inf"))
COUNT: Final[Wrong] = ("3", None, True, [], NAN, -1, 1.5)
FLAG: Final[Wrong] = (1, 0, "yes", "false", None, [])
TEXTS: Final[Wrong] = (3, None, [3], [None], [b"x"])
FUNCTION: Final[Wrong] = (3, "f", None, ["f"])
OBJECT: Final[Wrong] = (3, "x", object, ["x"])
"""Wrong values where an object of one kind belongs."""


async def double(number: int) -> int:
    """Double a number."""
    return number * 2


def clerk(**changes: Any) -> Agent:
    """An agent with some arguments."""
    return cast("Any", Agent)(**{"name": "clerk", "instructions": "Work.", **changes})


def made(**facts: Any) -> Tool[..., Any]:
    """A tool with some facts."""
    return cast("Any", tool)(**facts)(double)


def app(**changes: Any) -> App:
    """An application with some arguments."""
    return cast("Any", App)(**{"name": "shop", "tools": [DOUBLE], **changes})


def runtime(**changes: Any) -> Runtime:
    """A runtime with some arguments."""
    return cast("Any", Runtime)(**{"app": app(), **changes})


def pipeline(**changes: Any) -> Any:
    """A pipeline with some arguments."""
    return cast("Any", Pipeline)(**{"name": "p", "takes": PAYLOAD, "steps": [STEP], "description": "P.", **changes})


def first(build: Any) -> Callable[..., Any]:
    """Pass the wrong value as the first argument."""

    def build_from(**given: Any) -> Any:
        return build(given["value"])

    return build_from


def rule_named(name: Any) -> Policy:
    """A policy whose rule has a name."""
    return Policy.only(HighRisk(name))


def allow(_call: Call) -> bool:
    """A test of a rule."""
    return True


def echo(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments."""
    return arguments


DOUBLE: Final = tool(effect=Effect.PURE)(double)
SCHEMA: Final = {"type": "object", "properties": {"number": {"type": "integer"}}}
PAYLOAD: Final[Any] = cast("Any", DOUBLE.schema_in).model
STEP: Final = Step(name="one", callee=DOUBLE, takes={"number": 1})


def _optional(values: Wrong) -> Wrong:
    return tuple(value for value in values if value is not None)


Built = tuple[Callable[..., Any], Mapping[str, Any], Mapping[str, Wrong]]
"""What is built, its other arguments, and the wrong values of each argument."""

CONSTRUCTORS: Final = cast(
    "Mapping[str, Built]",
    {
        "tool": (
            made,
            {},
            {
                "name": (3, b"x", ["a"], str, "two words"),
                "description": _optional(TEXT),
                "effect": ("sometimes", 3, None, ["pure"]),
                "risk": ("hi", 3, None),
                "permissions": (*TEXTS, "write", ["write all"]),
                "timeout": _optional(NUMBER),
                "rate": ("often", 5, (5,), ("a", 1), (0, 1), (1, NAN)),
                "egress": FLAG,
                "trusted": FLAG,
                "tags": TEXTS,
                "confirm": (True, 3, "missing"),
            },
        ),
        "Tool.from_schema": (
            Tool.from_schema,
            {"name": "twice", "description": "Twice.", "schema": SCHEMA, "call": echo},
            {"name": NAME, "description": TEXT, "schema": OBJECT, "call": FUNCTION, "efect": ("pure",)},
        ),
        "Facts": (Facts, {}, {"effect": ("sometimes", 3), "risk": ("hi",), "permissions": TEXTS, "declared": FLAG}),
        "Rate": (Rate, {"calls": 1, "seconds": 1}, {"calls": COUNT, "seconds": NUMBER}),
        "tool_name": (tool_name, {}, {"name": _optional(NAME)}),
        "Preview": (
            Preview,
            {"summary": "x"},
            {"summary": TEXT, "link": TEXT, "state": TEXT, "changes": (3, "x", ["x"])},
        ),
        "Change": (Change, {"where": "x", "before": "", "after": ""}, {"where": TEXT, "before": TEXT, "after": TEXT}),
        "Limits": (Limits, {}, {"argument_bytes": COUNT, "argument_depth": COUNT, "output_bytes": COUNT}),
        "Principal": (
            Principal,
            {"name": "ada"},
            {"name": TEXT, "tenant": NAME, "permissions": (*TEXTS, "all of it", [""]), "roles": TEXTS},
        ),
        "Agent": (
            clerk,
            {},
            {
                "name": (*NAME, "my agent"),
                "instructions": TEXT,
                "description": TEXT,
                "tools": (3, "double", [3], [double], DOUBLE, [Agent], None),
                "handoffs": (3, [3], [DOUBLE], None),
                "tool_scope": (3, [3]),
                "permissions": (3, [3], ["write all"]),
                "model": (42, Scripted),
                "parallel": COUNT,
                "settings": (*OBJECT, {"temperature": 0}),
                "max_turns": (3,),
            },
        ),
        "App": (
            app,
            {},
            {
                "name": TEXT,
                "agents": (3, clerk(), [DOUBLE], [Agent], None),
                "tools": (3, [double], DOUBLE),
                "env": OBJECT,
            },
        ),
        "App layers": (app, {}, {"layers": (3, Retry, "x", allow)}),
        "Env": (Env, {}, {"approver": OBJECT}),
        "Runtime": (
            runtime,
            {},
            {
                "app": (*OBJECT, clerk(), App, None),
                "store": _optional(OBJECT),
                "model": (42, Scripted),
                "layers": (3, [3], Timeout(1)),
                "limits": _optional(OBJECT),
                "clock": FUNCTION,
                "lease_seconds": NUMBER,
                "policy": (Policy.only(),),
            },
        ),
        "Ask": (
            Ask,
            {"reason": "x"},
            {"reason": TEXT, "who": NAME, "expires_in": NUMBER, "four_eyes": FLAG, "kind": ("maybe", 3, None, True)},
        ),
        "Block": (Block, {}, {"reason": TEXT}),
        "When": (
            When,
            {"name": "x", "test": allow, "verdict": Allow()},
            {"name": NAME, "test": FUNCTION, "verdict": (Ask, Block, "ask", None, True), "version": TEXT},
        ),
        "Policy": (first(Policy), {}, {"value": (3, "x", HighRisk, [HighRisk()], None)}),
        "Policy flags": (Policy, {}, {"four_eyes": FLAG}),
        "HighRisk": (first(rule_named), {}, {"value": NAME}),
        "preset": (
            preset,
            {"env": Env()},
            {"env": OBJECT, "policy": (*OBJECT, HighRisk()), "budget": _optional(OBJECT)},
        ),
        "Decision": (
            Decision,
            {"question": "q", "approved": True, "by": "ada"},
            {"question": TEXT, "approved": FLAG, "by": NAME, "kind": ("maybe", 3)},
        ),
        "Stack": (first(Stack), {}, {"value": (3, "x", Retry, double, None, [Retry()])}),
        "layer_fn": (first(layer_fn), {}, {"value": _optional(FUNCTION)}),
        "Retry": (
            Retry,
            {},
            {"attempts": COUNT, "base_delay": NUMBER, "max_delay": ("3", None, True, NAN), "jitter": FUNCTION},
        ),
        "Timeout": (Timeout, {"seconds": 1}, {"seconds": NUMBER, "grace": _optional(("3", True, [], NAN, -1))}),
        "Breaker": (Breaker, {}, {"failures": COUNT, "seconds": NUMBER, "probes": COUNT}),
        "Budget": (Budget, {}, {"calls": COUNT, "tokens": _optional(COUNT), "depth": COUNT}),
        "RateLimit": (
            RateLimit,
            {"calls": 1, "seconds": 1},
            {"calls": COUNT, "seconds": NUMBER, "max_wait": ("3", NAN, -1)},
        ),
        "Concurrency": (Concurrency, {"calls": 1}, {"calls": COUNT, "max_queued": COUNT, "max_wait": ("3", NAN, -1)}),
        "Approve": (Approve, {"env": Env()}, {"env": OBJECT, "policy": (*OBJECT, HighRisk(), None)}),
        "Validate": (Validate, {}, {"strict": FLAG}),
        "Transform": (Transform, {}, {"change": FUNCTION}),
        "Accumulate": (Accumulate, {"initial": 0}, {"fold": FUNCTION}),
        "Guardrail": (Guardrail, {"is_allowed": bool}, {"is_allowed": FUNCTION, "replacement": TEXT}),
        "AddMessage": (AddMessage, {"text": "x"}, {"text": TEXT, "role": ("tool", 3, None)}),
        "Fallback": (first(Fallback), {}, {"value": (3, "gpt", Scripted, None)}),
        "Scripted": (Scripted, {}, {"lines": (3, None, [3])}),
        "OpenAI": (
            OpenAI,
            {"model": "m", "api_key": "k"},
            {"model": NAME, "api_key": TEXT, "timeout": ("3", None, -1)},
        ),
        "PydanticAIModel": (PydanticAIModel, {}, {"model": (3, None, "nothing:x")}),
        "SqlStore": (SqlStore, {}, {"url": (3, None, "nowhere", "mysql://x")}),
        "InMemoryStore": (InMemoryStore, {}, {"clock": FUNCTION}),
        "Secret": (Secret, {"reference": "env:X", "value": "12345678"}, {"reference": TEXT, "value": (*TEXT, "short")}),
        "EnvSecrets": (first(EnvSecrets), {}, {"value": TEXT}),
        "FileSecrets": (FileSecrets, {}, {"folder": (3, None, ["x"])}),
        "Audit": (
            Audit,
            {"store": InMemoryStore(), "logs": Path("audit"), "anchor": FileAnchor(Path("anchor"))},
            {"store": OBJECT, "logs": (3, None), "anchor": OBJECT},
        ),
        "Step": (
            Step,
            {"name": "one", "callee": DOUBLE},
            {"name": NAME, "callee": (3, double, None), "takes": (3, ["x"]), "retry": COUNT, "each": (3, "x")},
        ),
        "Pipeline": (
            pipeline,
            {},
            {"name": NAME, "takes": (3, dict, None), "steps": (3, [3], [], None), "description": TEXT, "rounds": COUNT},
        ),
        "From": (From, {}, {"step": TEXT}),
        "Given": (first(Given), {}, {"value": (None, 1.5, ["a"])}),
        "Text": (Text, {}, {"template": TEXT}),
        "EnabledGate": (EnabledGate, {}, {"enabled": FLAG}),
        "SessionGate": (SessionGate, {"env": Env()}, {"env": OBJECT}),
        "Deprecation": (
            Deprecation,
            {"since": "1"},
            {"since": (3, None), "removal": (3, None), "replacement": (3, None)},
        ),
    },
)


@dataclass(frozen=True)
class Case:
    """A wrong value in one argument of a constructor or decorator."""

    name: str
    argument: str
    value: Any = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name}({self.argument}={self.value!r})"


def cases() -> Iterator[Case]:
    """Every wrong value of every argument."""
    for name, (_, _, arguments) in CONSTRUCTORS.items():
        for argument, values in arguments.items():
            yield from (Case(name, argument, value) for value in values)


def is_open(case: Case) -> str:
    """What is wrong with the answer to a wrong value; empty if it is refused in one line."""
    build, others, _ = CONSTRUCTORS[case.name]
    try:
        build(**{**others, case.argument: case.value})
    except RemitError as error:
        return "is refused in several lines" if "\n" in error.message else ""
    except Exception as error:  # noqa: BLE001 - it is what is looked for
        return f"raises {type(error).__name__}: {error}".splitlines()[0]
    return "is accepted"


def figures(*, short: bool) -> Iterator[Figure]:  # noqa: ARG001 - a part of the figures takes it
    """Wrong values that are accepted or end in an exception that is not Remit's."""
    found: list[str] = [is_open(case) for case in cases()]
    count, answered_wrongly = asyncio.run(sweep())
    found += answered_wrongly
    under = [asyncio.run(runs_under(build)) for _, build in policies()]
    how = (
        f"{len(CONSTRUCTORS)} constructors and decorators that must refuse, {len(under)} policies with a wrong rule or "
        f"test, and {len(WRONG)} values in every parameter of every public callable"
    )
    first = list(filter(None, found + under))[:3]
    how += f"; open: {'; '.join(first)}" if first else ""
    number = len(found) - len(answered_wrongly) + count + len(under)
    yield no_violations("untyped.open", sum(map(bool, found + under)), number, how)
