"""``remit stubs``: type stubs of ``ctx.tools`` for editors and type checkers."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from remit.agent.agent import ADDED_TOOLS
from remit.app import App
from remit.call.naming import python_alias
from remit.cli.annotations import AnnotationWriter, ImportCollector
from remit.cli.apps import find_app, installed_apps
from remit.cli.options import AppArgument
from remit.dispatch.registry import AnyCallee, Registry, collect_callees

_HEAD = '''"""The tools of {name}, as a body below its context calls them. Written by `remit stubs {reference}`."""
'''
_CONTEXT = '''class Context({base}, {protocol}):
    """A context that knows the tools of {name}."""

    @property
    def tools(self) -> Tools: ...  # type: ignore[override]  # narrower: it has these tools and no others
'''


def stubs(
    app: AppArgument,
    *,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The file to write, such as shop_tools.pyi; stdout by default.")
    ] = None,
) -> None:
    """Write a .pyi file that types ctx.tools.

    It declares the arguments and the result of each tool.
    A tool whose name is not a Python identifier is reported on stderr; call it with ctx.call.
    """
    found = find_app(app, installed_apps())
    text = render_stubs(found, app)
    for name in _names_without_stub(_callable_tools(found)):
        print(f"remit: left out: {_call_hint(name)}", file=sys.stderr)
    if out is None:
        print(text, end="")
    else:
        out.write_text(text, encoding="utf-8")
        print(out)


def render_stubs(app: App, reference: str = "") -> str:
    """The stub of an application: a protocol `Tools` with a method per tool, and a `Context` that has it.

    ``reference`` is how the application is named on the command line, if not by its name.
    """
    listed = _callable_tools(app)
    tools = {python_alias(tool.name): tool for tool in listed if _has_python_name(tool.name)}
    imports = ImportCollector({*tools, "Tools", "Context"})
    annotations = AnnotationWriter(imports)
    methods = [_MethodStub(alias, tool, annotations).render() for alias, tool in tools.items()]
    protocol = imports.add("typing", "Protocol")
    base = imports.add("remit", "Context")
    left_out = [f"    # {_call_hint(name)}\n" for name in _names_without_stub(listed)]
    body = "\n".join([*methods, *left_out, *([] if methods else ["    ..."])])
    tools_protocol = f'class Tools({protocol}):\n    """The tools of {app.name}."""\n\n{body}'
    context = _CONTEXT.format(base=base, protocol=protocol, name=app.name)
    parts = ["\n".join(imports.render()), *annotations.classes, tools_protocol, context]
    return _HEAD.format(name=app.name, reference=reference or app.name) + "\n" + "\n\n".join(parts)


def _callable_tools(app: App) -> list[AnyCallee]:
    """The tools that a body can call by attribute."""
    registry = Registry(
        each for each in collect_callees([*app.agents, *app.tools]) if not isinstance(each, ADDED_TOOLS)
    )
    return sorted(registry, key=lambda tool: tool.name)


def _has_python_name(name: str) -> bool:
    return python_alias(name).isidentifier()


def _names_without_stub(tools: Iterable[AnyCallee]) -> list[str]:
    return [tool.name for tool in tools if not _has_python_name(tool.name)]


def _call_hint(name: str) -> str:
    return f'{name} is not a Python identifier; call it with ctx.call("{name}", ...)'


_JSON_TYPES: Final[Mapping[str, object]] = {
    "array": list[Any],
    "boolean": bool,
    "integer": int,
    "number": float,
    "object": dict[str, Any],
    "string": str,
}


class _Parameter(NamedTuple):
    name: str
    annotation: str
    required: bool


class _MethodStub:
    """The overloads of one tool: with a payload, and with keyword arguments."""

    def __init__(self, alias: str, tool: AnyCallee, annotations: AnnotationWriter) -> None:
        self._alias = alias
        self._tool = tool
        self._annotations = annotations
        self._parameters = _parameters_of(tool, annotations)

    def render(self) -> str:
        """The text of the methods."""
        result = self._annotations.render(self._tool.schema_out.result_type)
        payload = " | ".join(self._payload_types())
        default = "" if any(each.required for each in self._parameters) else " | None = None"
        forms = [f"self, payload: {payload}{default}, /"]
        if self._accepts_keywords():
            forms.append(f"self, *, {', '.join(self._keyword_parameter(each) for each in self._parameters)}")
        decorated = f"    @{self._annotations.imports.add('typing', 'overload')}\n" if len(forms) > 1 else ""
        return "\n".join(
            f"{decorated}    async def {self._alias}({form}) -> {result}:\n        {_format_docstring(self._tool)}\n"
            for form in forms
        )

    def _accepts_keywords(self) -> bool:
        names = [each.name for each in self._parameters]
        plain = all(name.isidentifier() and not keyword.iskeyword(name) and name != "self" for name in names)
        return bool(names) and plain

    def _keyword_parameter(self, each: _Parameter) -> str:
        return f"{each.name}: {each.annotation}" + ("" if each.required else " = ...")

    def _payload_types(self) -> list[str]:
        """The payload model, if it can be imported, and a dictionary of its fields."""
        model = self._tool.schema_in.model
        named = self._annotations.importable_name(model)
        return [*([named] if named else []), self._typed_dict()]

    def _typed_dict(self) -> str:
        imports = self._annotations.imports
        name, typed = imports.reserve_name(f"{self._alias}_arguments"), imports.add("typing", "TypedDict")
        fields = [f'        "{each.name}": {self._typed_dict_field(each)},' for each in self._parameters]
        body = "\n".join(["    {", *fields, "    },"]) if fields else "    {},"
        self._annotations.classes.append(f'{name} = {typed}(\n    "{name}",\n{body}\n)')
        return name

    def _typed_dict_field(self, each: _Parameter) -> str:
        return (
            each.annotation
            if each.required
            else f"{self._annotations.imports.add('typing', 'NotRequired')}[{each.annotation}]"
        )


def _parameters_of(tool: AnyCallee, annotations: AnnotationWriter) -> list[_Parameter]:
    """The parameters with the types of the payload model, or of the JSON schema if there is no model."""
    fields = tool.schema_in.model.model_fields
    if fields:
        return [
            _Parameter(field.alias or name, annotations.render(field.annotation), field.is_required())
            for name, field in fields.items()
        ]
    schema = tool.schema_in.json_schema
    required = schema.get("required", ())
    return [
        _Parameter(name, annotations.render(_JSON_TYPES.get(str(each.get("type")), Any)), name in required)
        for name, each in schema.get("properties", {}).items()
    ]


def _format_docstring(tool: AnyCallee) -> str:
    first = tool.description.partition("\n")[0].replace("\\", "\\\\").replace('"', "'")
    return f'"""{first}"""'
