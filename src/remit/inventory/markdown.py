"""The reference of an application: every method and tool, as code and inventory say them, in Markdown."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from remit.contracts.facts import Facts
from remit.inventory.definition import MethodDefinition, ToolDefinition
from remit.inventory.governance import Policies, Table
from remit.inventory.methods import Parameter
from remit.inventory.operations import Operations
from remit.schemas.jsontext import canonical_text

_ENUM: Final = re.compile(r"<\w+\.(\w+): [^>]*>")
_BOUNDS: Final = {
    "minimum": "≥",
    "exclusiveMinimum": ">",
    "maximum": "≤",
    "exclusiveMaximum": "<",
    "multipleOf": "a multiple of",
    "minLength": "characters ≥",
    "maxLength": "characters ≤",
    "minItems": "items ≥",
    "maxItems": "items ≤",
    "pattern": "like",
    "format": "a",
}


def manual(name: str, operations: Operations) -> str:
    """The whole reference, with a line at its end."""
    return "\n".join(_lines(name, operations)) + "\n"


def _lines(name: str, operations: Operations) -> Iterator[str]:
    yield f"# {name}: methods and tools"
    if operations.methods:
        yield from ("", "## Methods")
        for key, method in sorted(operations.methods.items()):
            yield from _method(key, method)
    yield from ("", "## Tools")
    for tool in sorted(operations.tools.values(), key=lambda each: each.name):
        yield from _tool(tool)


def _method(key: str, method: MethodDefinition) -> Iterator[str]:
    models = method.models
    yield from ("", f"### `{key}`", "", method.metadata.description, "")
    if models.request is not None and models.response is not None:
        yield from (f"Takes `{models.request.__name__}`, gives `{models.response.__name__}`.", "")
    yield from _facts(method.facts)
    yield from _declared(method.policies)
    yield from _parameters(method.parameters)


def _tool(tool: ToolDefinition) -> Iterator[str]:
    yield from ("", f"### `{tool.name}`", "", tool.tool.description, "")
    if tool.method is not None:
        narrowed = [f"`{each}` is fixed" for each in tool.fixed] + [f"`{each}` is hidden" for each in tool.hidden]
        yield from (f"Of the method `{tool.method.metadata.key}`{'; ' * bool(narrowed)}{', '.join(narrowed)}.", "")
    yield from _facts(tool.tool.facts)
    yield from _declared(tool.policies)
    yield from _parameters(tool.parameters)
    rows = [_layer(_ENUM.sub(lambda found: found[1].lower(), repr(layer))) for layer in tool.tool.layers]
    if rows:
        yield ""
        yield from table(("layer, outermost first", "configuration"), rows)


def _layer(printed: str) -> tuple[str, str]:
    """The name of a layer and its configuration, read from how it prints itself; all of it where that cannot be."""
    try:
        said = ast.parse(printed, mode="eval").body
    except SyntaxError:
        return f"`{printed}`", "none"
    if not isinstance(said, ast.Call) or said.args:
        return f"`{printed}`", "none"
    return f"`{ast.unparse(said.func)}`", "<br>".join(
        f"`{each.arg} = {_value(each.value)}`" for each in said.keywords
    ) or "none"


def _value(written: ast.expr) -> str:
    """A value as JSON where it is one, like all others in a reference."""
    if isinstance(written, ast.Name):
        return canonical_text(written.id)
    try:
        return canonical_text(ast.literal_eval(written))
    except ValueError:
        return ast.unparse(written)


def _facts(facts: Facts) -> Iterator[str]:
    rows = (
        ("effect", facts.effect.value),
        ("risk", facts.risk.value),
        ("permissions", ", ".join(sorted(facts.permissions))),
        ("classification", " · ".join(facts.classification.words() if facts.classification else ())),
        ("deprecated since", facts.deprecation.since if facts.deprecation else ""),
    )
    yield from table(("fact", "value"), [row for row in rows if row[1]])


def _parameters(parameters: Iterable[Parameter]) -> Iterator[str]:
    rows = [
        (f"`{each.name}`", each.type, _otherwise(each), ", ".join(_bounds(each.schema)), _said(each))
        for each in parameters
    ]
    if rows:
        yield ""
        yield from table(("parameter", "type", "default", "bounds", "what it is"), rows)


def _otherwise(parameter: Parameter) -> str:
    """What a parameter is that is not given."""
    if parameter.required:
        return "required"
    return f"`{canonical_text(parameter.schema['default'])}`" if "default" in parameter.schema else "none"


def _bounds(schema: Mapping[str, Any]) -> Iterator[str]:
    """What a value must be besides its type."""
    for key, word in _BOUNDS.items():
        if key in schema:
            yield f"{word} {schema[key]}"
    for each in schema.get("anyOf", ()):
        yield from _bounds(each)


def _declared(policies: Mapping[str, Policies]) -> Iterator[str]:
    """The fields of policy that are declared, those of templates and methods among them."""
    rows = [
        (f"`{name}.{field}`", f"`{canonical_text(value)}`")
        for name, section in policies.items()
        for field, value in section.model_dump(mode="json", exclude_unset=True).items()
    ]
    if rows:
        yield ""
        yield from table(("declared", "value"), rows)


def _said(parameter: Parameter) -> str:
    return " ".join(str(parameter.schema.get("description", "")).split())


def enforcement(sections: Table) -> Iterator[str]:
    """Which layer enforces which field of policy, as a Markdown table."""
    rows: list[tuple[str, ...]] = []
    for section in sections.sections.values():
        for field, enforcer in section.enforced.items():
            around = "the tool" if enforcer.scope == "tool" else "every call"
            default = _default(section.model, field)
            rows.append((f"`{section.name}.{field}`", default, f"`{enforcer.layer.__name__}`", around, enforcer.does))
    yield from table(("field", "default", "layer", "around", "what it does"), rows)


def templates(sections: Table) -> Iterator[str]:
    """The named templates of each section, as a Markdown table."""
    rows: list[tuple[str, ...]] = []
    for section in sections.sections.values():
        for name, fields in section.templates.items():
            said = ", ".join(f"{field}: {value}" for field, value in fields.items())
            rows.append((f"`{section.name}`", f"`{name}`", said))
    yield from table(("section", "template", "fields"), rows)


def _default(model: type[Policies], field: str) -> str:
    plain: Mapping[str, object] = model().model_dump(mode="json")
    value = plain[field]
    return "none" if value in (None, "", []) else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    for line in (head, tuple("---" for _ in head), *rows):
        cells = [cell.replace("|", "\\|") for cell in line]
        yield f"| {' | '.join(cells)} |"
