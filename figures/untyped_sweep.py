"""Every parameter of every public callable with every wrong value: Remit answers or refuses, and never fails inside."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import gc
import inspect
import warnings
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from inspect import Parameter
from typing import Any, Final, Self, cast

from figures.untyped_arguments import ARGUMENTS, close_sessions
from figures.untyped_names import PublicCallable, public_callables
from figures.untyped_objects import OBJECTS
from figures.untyped_samples import ADA, BY_ANNOTATION, call, folder
from remit import Agent, App, Runtime, Tool
from remit.errors import RemitError
from remit.layers import CallLayer
from remit.runtime import WatchStart
from remit.testing import Scripted, call_through
from remit.tools import Limits, parse_arguments


async def _use_tool(built: Tool[..., Any]) -> None:
    arguments = parse_arguments('{"number": 1}', Limits())
    await Runtime(App(name="shop", tools=[built])).call_by_name(built.name, arguments, by=ADA)


async def _use_agent(built: Agent) -> None:
    model = Scripted(["done"])
    await Runtime(App(name="shop", agents=[built]), model=model).run("x", by=ADA, agent=built.name)


async def _use_layer(layer: CallLayer) -> None:
    await call_through(layer, await call())


USES: Final[Mapping[type, Callable[[Any], Awaitable[object]]]] = {
    Tool: _use_tool,
    Agent: _use_agent,
    CallLayer: _use_layer,
}
"""How an application uses what was built."""


def by_annotation(annotation: Any) -> Any:
    """A right value for the annotation of a parameter, given as a text, a reference or a type."""
    text = annotation if isinstance(annotation, str) else None
    text = text or getattr(annotation, "__forward_arg__", None) or getattr(annotation, "__name__", str(annotation))
    plain = ast.unparse(_WithoutRules().visit(ast.parse(text, mode="eval")))
    return cast("Any", BY_ANNOTATION)[text if text in BY_ANNOTATION else plain]()


_PLAIN_TYPES: Final = {
    "PositiveInt": "int",
    "PositiveFloat": "float",
    "PageSize": "int",
    "EndTime": "float",
    "Name": "str",
    "FilledText": "str",
    "RunId": "str",
    "Prompt": "str",
    "ToolName": "str",
}
"""The types that types with a rule narrow."""


class _WithoutRules(ast.NodeTransformer):
    """Replaces each type with a rule by the type that it narrows."""

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(_PLAIN_TYPES.get(node.id, node.id))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        is_marked = isinstance(node.value, ast.Name) and node.value.id == "Annotated"
        return node.slice.elts[0] if is_marked and isinstance(node.slice, ast.Tuple) else node


async def _late() -> int:
    return 1


class Zero(float):
    """A class that can be called with anything, and then is a number."""

    def __new__(cls, *_arguments: Any, **_keywords: Any) -> Self:
        """Ignore the arguments."""
        return super().__new__(cls, 0)


WRONG: Final[Mapping[str, Callable[[], Any]]] = {
    "None": lambda: None,
    "-1": lambda: -1,
    "0": lambda: 0,
    "5": lambda: 5,
    "True": lambda: True,
    "nan": lambda: float("nan"),
    "10**400": lambda: 10**400,
    "''": str,
    "'x'": lambda: "x",
    "a lone surrogate": lambda: "\ud800",
    "[]": list,
    "[3]": lambda: [3],
    "{}": dict,
    "an object": object,
    "a class": lambda: Zero,
    "a coroutine": _late,
}
"""How a wrong value is built, by its name."""


async def sweep() -> tuple[int, list[str]]:
    """How many pairs of a parameter and a wrong value there are, and those that are answered with a foreign error."""
    found: list[str] = []
    count = 0
    with warnings.catch_warnings(), contextlib.chdir(folder()):
        warnings.simplefilter("ignore")
        for each in public_callables():
            problem = await _attempt(each, {})
            if problem:
                found.append(f"{each.name} without a wrong value {problem}")
                continue
            for parameter in each.parameters:
                for name, build in WRONG.items():
                    count += 1
                    problem = await _attempt(each, {parameter: build()})
                    found += [f"{each.name}({parameter}={name}) {problem}"] * bool(problem)
        gc.collect()  # connections that the sweep left open would otherwise be reported in another test
    return count, found


async def _attempt(each: PublicCallable, wrong: Mapping[str, Any]) -> str:
    """What is wrong with the answer to a call; empty if it is a result or an error of Remit in one line."""
    try:
        async with asyncio.timeout(120):  # for what hangs; a busy machine is no finding
            await _use(await _call(each, wrong), enter=inspect.isfunction(each.function))
    except RemitError as error:
        if not wrong:
            return f"is refused: {error.message}"
        return "is refused in several lines" if "\n" in error.message else ""
    except Exception as error:  # noqa: BLE001 - it is what is looked for
        return f"raises {type(error).__name__}: {error}".splitlines()[0]
    finally:
        await close_sessions()
        for value in wrong.values():
            if inspect.iscoroutine(value):
                value.close()
    return ""


async def _call(each: PublicCallable, wrong: Mapping[str, Any]) -> Any:
    given = ARGUMENTS.get(each.name, dict)()
    if inspect.isawaitable(given):
        given = await given
    arguments: list[Any] = [] if each.owner is None else [OBJECTS[each.owner]()]
    keywords: dict[str, Any] = {}
    is_positional = any(each.kind is Parameter.VAR_POSITIONAL for each in each.parameters.values())
    for name, parameter in each.parameters.items():
        if name in wrong:
            value = wrong[name]
        elif name in given:
            value = given[name]
        elif parameter.default is not Parameter.empty or parameter.kind in _VARIABLE:
            continue
        else:
            value = by_annotation(parameter.annotation)
            value = await value if inspect.iscoroutine(value) else value
        if parameter.kind is Parameter.VAR_KEYWORD:
            keywords |= dict.fromkeys(given.get(name, ("x",)), value)
        elif parameter.kind is Parameter.POSITIONAL_ONLY or (is_positional and parameter.kind in _EITHER):
            arguments.append(value)
        elif parameter.kind is Parameter.VAR_POSITIONAL:
            arguments += value if name not in wrong else [value]
        else:
            keywords[name] = value
    return each.function(*arguments, **keywords)


_EITHER: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_VARIABLE: Final = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)


async def _use(returned: Any, *, enter: bool) -> None:
    """Await, read, enter or print what a call returned, and use a part of an application as the application would."""
    if isinstance(returned, AsyncGenerator):
        async with contextlib.aclosing(cast("AsyncGenerator[object]", returned)) as events:
            async for event in events:
                if isinstance(event, WatchStart):  # what follows never ends
                    break
        return
    result: Any = await returned if inspect.isawaitable(returned) else returned
    if enter and isinstance(result, contextlib.AbstractContextManager):
        with cast("contextlib.AbstractContextManager[object]", result):
            pass
    repr(cast("object", result))
    for kind, use in USES.items():
        if isinstance(cast("object", result), kind):
            await use(cast("Any", result))
