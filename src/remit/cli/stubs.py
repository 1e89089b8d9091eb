"""``remit stubs``: what ``ctx.tools`` has in an application, for editors and type checkers."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from remit.agent.handoff import HandoffTool
from remit.app import App
from remit.cli.annotations import Annotations, Imports
from remit.cli.apps import find_app, installed
from remit.contracts.naming import alias_of
from remit.dispatch.registry import AnyCallee, Registry, all_of

_HEAD = '''"""The tools of {name}, as a body below its context calls them. Written by `remit stubs {name}`."""
'''
_CONTEXT = '''class Context({base}, {protocol}):
    """A context that knows the tools of {name}."""

    @property
    def tools(self) -> Tools: ...  # type: ignore[override]  # narrower: it has these tools and no others
'''


def stubs(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it there, like shop_tools.pyi; else to stdout.")
    ] = None,
) -> None:
    """Write a .pyi by which ctx.tools completes and is checked: each tool's arguments and result.

    A tool whose name is none in Python is told on stderr: by ctx.call it can be called all the same.
    """
    found = find_app(app, installed())
    text = stubs_of(found)
    for name in _unwritable(_tools(found)):
        print(f"remit: left out: {_by_call(name)}", file=sys.stderr)
    if out is None:
        print(text, end="")
    else:
        out.write_text(text, encoding="utf-8")
        print(out)


def stubs_of(app: App) -> str:
    """The stub of an application: a protocol `Tools` with a method for each tool, and a `Context` that has it."""
    listed = _tools(app)
    tools = {alias_of(tool.name): tool for tool in listed if _writable(tool.name)}
    imports = Imports({*tools, "Tools", "Context"})
    annotations = Annotations(imports)
    methods = [_Method(alias, tool, annotations).lines() for alias, tool in tools.items()]
    protocol = imports.name("typing", "Protocol")
    base = imports.name("remit", "Context")
    left_out = [f"    # {_by_call(name)}\n" for name in _unwritable(listed)]
    body = "\n".join([*methods, *left_out, *([] if methods else ["    ..."])])
    known = f'class Tools({protocol}):\n    """The tools of {app.name}."""\n\n{body}'
    context = _CONTEXT.format(base=base, protocol=protocol, name=app.name)
    parts = ["\n".join(imports.lines()), *annotations.classes, known, context]
    return _HEAD.format(name=app.name) + "\n" + "\n\n".join(parts)


def _tools(app: App) -> list[AnyCallee]:
    """What a body can call, by name."""
    registry = Registry(each for each in all_of([*app.agents, *app.tools]) if not isinstance(each, HandoffTool))
    return sorted(registry, key=lambda tool: tool.name)


def _writable(name: str) -> bool:
    return alias_of(name).isidentifier()


def _unwritable(tools: Iterable[AnyCallee]) -> list[str]:
    return [tool.name for tool in tools if not _writable(tool.name)]


def _by_call(name: str) -> str:
    return f'{name} is no name in Python; call it by ctx.call("{name}", ...)'


class _Parameter(NamedTuple):
    name: str
    kind: str
    required: bool


class _Method:
    """The methods of one tool: with one payload, and with arguments by name."""

    def __init__(self, alias: str, tool: AnyCallee, annotations: Annotations) -> None:
        self._alias = alias
        self._tool = tool
        self._annotations = annotations
        self._parameters = [
            _Parameter(field.alias or name, annotations.text(field.annotation), field.is_required())
            for name, field in tool.schema_in.model.model_fields.items()
        ]

    def lines(self) -> str:
        """The text of the methods."""
        result = self._annotations.text(self._tool.schema_out.kind)
        payload = " | ".join(self._payloads())
        given = "" if any(each.required for each in self._parameters) else " | None = None"
        forms = [f"self, payload: {payload}{given}, /"]
        if self._by_name():
            forms.append(f"self, *, {', '.join(self._keyword(each) for each in self._parameters)}")
        decorated = f"    @{self._annotations.imports.name('typing', 'overload')}\n" if len(forms) > 1 else ""
        return "\n".join(
            f"{decorated}    async def {self._alias}({form}) -> {result}:\n        {_said(self._tool)}\n"
            for form in forms
        )

    def _by_name(self) -> bool:
        names = [each.name for each in self._parameters]
        plain = all(name.isidentifier() and not keyword.iskeyword(name) and name != "self" for name in names)
        return bool(names) and plain

    def _keyword(self, each: _Parameter) -> str:
        return f"{each.name}: {each.kind}" + ("" if each.required else " = ...")

    def _payloads(self) -> list[str]:
        """The payload model, where a module has it, and a dictionary of the same fields."""
        model = self._tool.schema_in.model
        named = self._annotations.importable(model)
        return [*([named] if named else []), self._dictionary()]

    def _dictionary(self) -> str:
        imports = self._annotations.imports
        name, typed = imports.free(f"{self._alias}_arguments"), imports.name("typing", "TypedDict")
        fields = [f'        "{each.name}": {self._field(each)},' for each in self._parameters]
        body = "\n".join(["    {", *fields, "    },"]) if fields else "    {},"
        self._annotations.classes.append(f'{name} = {typed}(\n    "{name}",\n{body}\n)')
        return name

    def _field(self, each: _Parameter) -> str:
        return each.kind if each.required else f"{self._annotations.imports.name('typing', 'NotRequired')}[{each.kind}]"


def _said(tool: AnyCallee) -> str:
    first = tool.description.partition("\n")[0].replace("\\", "\\\\").replace('"', "'")
    return f'"""{first}"""'
