"""Renders the reference of an application, all methods and tools, as Markdown."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from remit.call.entity import entity_kinds
from remit.inventory.definition import AnyTool, MethodDefinition, Parameter, ToolDefinition
from remit.inventory.governance import PolicyModel, PolicyTable
from remit.inventory.operations import Operations
from remit.schemas.jsontext import canonical_text

_ENUM_REPR: Final = re.compile(r"<\w+\.(\w+): [^>]*>")
_BOUND_LABELS: Final = {
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


def reference_page(name: str, operations: Operations) -> str:
    """The whole reference, ending with a newline."""
    return "\n".join(_page_lines(name, operations)) + "\n"


def _page_lines(name: str, operations: Operations) -> Iterator[str]:
    yield f"# {name}: methods and tools"
    if operations.methods:
        yield from ("", "## Methods")
        for key, method in sorted(operations.methods.items()):
            yield from _method_lines(key, method)
    yield from ("", "## Tools")
    for tool in sorted(operations.tools.values(), key=lambda each: each.name):
        yield from _tool_lines(tool)


def _method_lines(key: str, method: MethodDefinition) -> Iterator[str]:
    yield from ("", f"### `{key}`", "", method.metadata.description, "")
    yield from (f"Takes `{method.request.__name__}`, gives `{method.response.__name__}`.", "")
    yield from _facts_table(method.contract)
    yield from _policies_table(method.policies)
    yield from _parameters_table(method.parameters)


def _tool_lines(tool: ToolDefinition) -> Iterator[str]:
    yield from ("", f"### `{tool.name}`", "", tool.tool.description, "")
    if tool.method is not None:
        restrictions = [f"`{each}` is fixed" for each in tool.fixed_values] + [
            f"`{each}` is hidden" for each in tool.hidden_parameters
        ]
        yield from (
            f"Of the method `{tool.method.metadata.key}`{'; ' * bool(restrictions)}{', '.join(restrictions)}.",
            "",
        )
    yield from _facts_table(tool.tool)
    yield from _policies_table(tool.policies)
    yield from _parameters_table(tool.parameters)
    rows = [_layer_row(_ENUM_REPR.sub(lambda found: found[1].lower(), repr(layer))) for layer in tool.tool.layers]
    if rows:
        yield ""
        yield from markdown_table(("layer, outermost first", "configuration"), rows)


def _layer_row(printed: str) -> tuple[str, str]:
    """The name of a layer and its configuration, parsed from its ``repr``; the whole ``repr`` if that fails."""
    try:
        expression = ast.parse(printed, mode="eval").body
    except SyntaxError:
        return f"`{printed}`", "none"
    if not isinstance(expression, ast.Call) or expression.args:
        return f"`{printed}`", "none"
    return f"`{ast.unparse(expression.func)}`", "<br>".join(
        f"`{each.arg} = {_format_value(each.value)}`" for each in expression.keywords
    ) or "none"


def _format_value(expression: ast.expr) -> str:
    """A Python expression as JSON if possible."""
    if isinstance(expression, ast.Name):
        return canonical_text(expression.id)
    try:
        return canonical_text(ast.literal_eval(expression))
    except ValueError:
        return ast.unparse(expression)


def _facts_table(tool: AnyTool) -> Iterator[str]:
    facts = tool.facts
    rows = (
        ("effect", facts.effect.value),
        ("risk", facts.risk.value),
        ("permissions", ", ".join(sorted(facts.permissions))),
        ("classification", " · ".join(facts.classification.axis_values() if facts.classification else ())),
        ("entities of the result", ", ".join(entity_kinds(tool.schema_out.result_type))),
        ("deprecated since", facts.deprecation.since if facts.deprecation else ""),
    )
    yield from markdown_table(("fact", "value"), [row for row in rows if row[1]])


def _parameters_table(parameters: Iterable[Parameter]) -> Iterator[str]:
    rows = [
        (
            f"`{each.name}`",
            each.type,
            _default_cell(each),
            ", ".join(_bound_phrases(each.schema)),
            _description_cell(each),
        )
        for each in parameters
    ]
    if rows:
        yield ""
        yield from markdown_table(("parameter", "type", "default", "bounds", "what it is"), rows)


def _default_cell(parameter: Parameter) -> str:
    """The default of a parameter, or that it is required."""
    if parameter.required:
        return "required"
    return f"`{canonical_text(parameter.schema['default'])}`" if "default" in parameter.schema else "none"


def _bound_phrases(schema: Mapping[str, Any]) -> Iterator[str]:
    """The constraints on a value in addition to its type."""
    for key, word in _BOUND_LABELS.items():
        if key in schema:
            yield f"{word} {schema[key]}"
    for each in schema.get("anyOf", ()):
        yield from _bound_phrases(each)


def _policies_table(policies: Mapping[str, PolicyModel]) -> Iterator[str]:
    """The declared policy fields, including those from templates and methods."""
    rows = [
        (f"`{name}.{field}`", f"`{canonical_text(value)}`")
        for name, section in policies.items()
        for field, value in section.model_dump(mode="json", exclude_unset=True).items()
    ]
    if rows:
        yield ""
        yield from markdown_table(("declared", "value"), rows)


def _description_cell(parameter: Parameter) -> str:
    return " ".join(str(parameter.schema.get("description", "")).split())


def enforcement_table(policy_table: PolicyTable) -> Iterator[str]:
    """The enforcer of each policy field, as a Markdown table."""
    rows: list[tuple[str, ...]] = []
    for section in policy_table.sections.values():
        for field, enforcer in section.enforcers.items():
            around = "the tool" if enforcer.scope == "tool" else "every call"
            default = _default_value_cell(section.model, field)
            rows.append(
                (f"`{section.name}.{field}`", default, f"`{enforcer.layer.__name__}`", around, enforcer.description)
            )
    yield from markdown_table(("field", "default", "layer", "around", "what it does"), rows)


def templates_table(policy_table: PolicyTable) -> Iterator[str]:
    """The templates of each section, as a Markdown table."""
    rows: list[tuple[str, ...]] = []
    for section in policy_table.sections.values():
        for name, fields in section.templates.items():
            field_list = ", ".join(f"{field}: {value}" for field, value in fields.items())
            rows.append((f"`{section.name}`", f"`{name}`", field_list))
    yield from markdown_table(("section", "template", "fields"), rows)


def _default_value_cell(model: type[PolicyModel], field: str) -> str:
    plain: Mapping[str, object] = model().model_dump(mode="json")
    value = plain[field]
    return "none" if value in (None, "", []) else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def markdown_table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """The lines of a Markdown table."""
    for line in (header, tuple("---" for _ in header), *rows):
        cells = [cell.replace("|", "\\|") for cell in line]
        yield f"| {' | '.join(cells)} |"
