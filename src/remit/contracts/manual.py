"""The reference of an application: every method and tool, as code and inventory say them, in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from remit.contracts.facts import Facts
from remit.contracts.governance import Policies, Table
from remit.contracts.operations import MethodDefinition, Operations, Parameter, ToolDefinition


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
    yield from _parameters(method.parameters)


def _tool(tool: ToolDefinition) -> Iterator[str]:
    yield from ("", f"### `{tool.name}`", "", tool.tool.description, "")
    if tool.method is not None:
        narrowed = [f"`{each}` is fixed" for each in tool.fixed] + [f"`{each}` is hidden" for each in tool.hidden]
        yield from (f"Of the method `{tool.method.metadata.key}`{'; ' * bool(narrowed)}{', '.join(narrowed)}.", "")
    yield from _facts(tool.tool.facts)
    yield from _parameters(tool.parameters)
    layers = ", ".join(f"`{layer!r}`" for layer in tool.tool.layers)
    yield from ("", f"Layers, outermost first: {layers or 'none'}.")


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
    rows = [(f"`{each.name}`", each.type, "yes" if each.required else "no", _said(each)) for each in parameters]
    if rows:
        yield ""
        yield from table(("parameter", "type", "required", "what it is"), rows)


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
