"""Generate what can be derived from the code: `make docs` writes parts of the documents, and the types of the console.

A part is enclosed by `<!-- generated: NAME -->` and `<!-- end -->`. `--check` writes nothing and reports what is stale.
"""

import argparse
import ast
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Final, TypeVar, cast

from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

import remit.cli
import remit.layers
import remit.models
import remit.server
import remit_local
from agent_parts import AGENT_PARTS, markdown_table
from committed import ROOT
from context_parts import context_variables
from measured_parts import MEASURED_PARTS
from nine_codes import broad_code
from package_parts import import_order, packages
from remit import errors
from remit.call.call import AnyLayer, CallLayer, ModelLayer, StepLayer
from remit.call.gate import Gate
from remit.cli.apps import collect_tools
from remit.core import ORDER_RULES
from remit.inventory.builtin_sections import audit_events_section, business_rules_section, session_policies_section
from remit.inventory.drift import CHECKLIST
from remit.inventory.gates import Sessions
from remit.inventory.governance import PolicyTable
from remit.inventory.markdown import enforcement_table, templates_table
from remit.record.items import ITEM_TYPES
from remit_cms.app import build
from remit_cms.templates.builtin import BUILTIN_TEMPLATES
from rule_parts import RULE_PARTS
from wire_types import WIRE_TYPES, wire_types

PART_PATTERN: Final = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
E = TypeVar("E", bound=errors.RemitError)
Layer = type[CallLayer] | type[ModelLayer] | type[StepLayer] | type[AnyLayer]
LAYERS: Final = (CallLayer, ModelLayer, StepLayer, AnyLayer)
PUBLIC_MODULES: Final = (
    "remit",
    "remit.runtime",
    "remit.tools",
    "remit.layers",
    "remit.policies",
    "remit.rules",
    "remit.agent",
    "remit.messages",
    "remit.models",
    "remit.stores",
    "remit.artifacts",
    "remit.items",
    "remit.views",
    "remit.engines",
    "remit.embeddings",
    "remit.audit",
    "remit.server",
    "remit.server.people",
    "remit.secrets",
    "remit.inventory",
    "remit.pipeline",
    "remit.workers",
    "remit.charsets",
    "remit.http",
    "remit.openapi",
    "remit.mcp",
    "remit.sources",
    "remit.markup",
    "remit.database",
    "remit.effects",
    "remit.testing",
    "remit.testing.directory_suite",
    "remit.testing.provider_suite",
    "remit.testing.store_suite",
    "remit.app",
    "remit.home",
    "remit.object_views",
    "remit.users",
    "remit.errors",
)


def main() -> int:
    """Write the generated parts, or with `--check` report the stale documents."""
    parser = argparse.ArgumentParser(description="Write the generated parts of README.md and docs.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a part is stale")
    options = parser.parse_args()
    stale = [(path, text) for path in list_generated() if (text := render(path)) != path.read_text(encoding="utf-8")]
    for path, text in stale:
        print(f"{path.relative_to(ROOT)}: {'stale, run `make docs`' if options.check else 'written'}")
        if not options.check:
            path.write_text(text, encoding="utf-8")
    return 1 if options.check and stale else 0


def list_generated() -> list[Path]:
    """Every document, the README first, and the types of the console."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *ROOT.glob(WIRE_TYPES)]


def render(path: Path) -> str:
    """The text of a file, with what is generated brought up to date."""
    return wire_types() if path == ROOT / WIRE_TYPES else render_parts(path.read_text(encoding="utf-8"))


def render_parts(text: str) -> str:
    """``text`` with its generated parts brought up to date."""
    return PART_PATTERN.sub(lambda found: f"{found[1]}\n{PARTS[found[2]]()}\n\n{found[3]}", text)


def public_names() -> str:
    """The public modules with the names that each exports, and the first sentence of their docstrings.

    Reads the sources instead of importing the names: some of them load large libraries.
    """
    sections: list[str] = []
    for name in PUBLIC_MODULES:
        module = importlib.import_module(name)
        origins, exported = _import_origins(name), getattr(module, "__all__", ())  # a suite is imported as a whole
        rows = [(f"`{each}`", _summary(each, origins.get(each, name))) for each in exported]
        table = f"\n\n{markdown_table(('name', 'meaning'), rows)}" if rows else ""
        sections.append(f"## {name}\n\n{_first_paragraph(module.__doc__)}{table}")
    return "\n\n".join(sections)


@cache
def _parse_module(name: str) -> ast.Module:
    """The syntax tree of a module of the project."""
    path = ROOT / "src" / name.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


@cache
def _import_origins(name: str) -> dict[str, str]:
    """The module from which each name of a module is imported."""
    imports = [node for node in ast.walk(_parse_module(name)) if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: str(node.module) for node in imports for alias in node.names if str(node.module)[:5] == "remit"}


def _summary(name: str, module: str) -> str:
    """The first sentence of the docstring of a class, function or constant in ``module``, or where that imports it."""
    docstring, body = "", _parse_module(module).body
    for node, following in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            docstring = ast.get_docstring(node) or ""
        elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(following, ast.Expr):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                docstring = str(ast.literal_eval(following.value))
    if not docstring and name in _import_origins(module):
        return _summary(name, _import_origins(module)[name])
    if not docstring:
        return "a constant" if name.isupper() else "a type alias"
    sentence = re.match(r".*?\.(?=\s|$)", _first_paragraph(docstring))
    return sentence[0].removesuffix(".").replace("|", "\\|") if sentence else ""


def items() -> str:
    """The items of a journal."""
    rows = [(f"`{kind}`", f"`{item.__name__}`", _first_paragraph(item.__doc__)) for kind, item in ITEM_TYPES.items()]
    return markdown_table(("kind", "class", "content"), rows)


def rules() -> str:
    """Which place must stand outside which, and why."""
    rows: list[tuple[str, ...]] = []
    for r in ORDER_RULES:
        within = "one scope" if r.is_per_scope else "all scopes"
        rows.append((f"`{r.outer.value}`", f"`{r.inner.value}`", within, r.reason + "; required" * r.is_required))
    return markdown_table(("outside", "inside", "within", "why"), rows)


def layers() -> str:
    """Each layer: its place, its configuration, its errors."""
    rows: list[tuple[str, ...]] = []
    names = [f"remit.layers.{module.name}" for module in pkgutil.iter_modules(remit.layers.__path__)]
    for name in sorted([*names, "remit.inventory.gates"], key=lambda each: each.rpartition(".")[2]):
        loaded = importlib.import_module(name)
        for layer in vars(loaded).values():
            if _is_layer(layer) and layer.__module__ == loaded.__name__:
                layer_type = cast("Layer", layer)
                details = (
                    _configuration(layer_type),
                    _raised_errors(_source(layer_type, loaded), name.rpartition(".")[2]),
                )
                rows.append((f"`{layer_type.__name__}`", f"`{layer_type.place.value}`", *details))
    return markdown_table(("layer", "place", "configuration", "errors"), rows)


def _source(layer: Layer, module: ModuleType) -> str:
    """The source that may raise for a layer: its module, or only its class if the module holds several gates."""
    return inspect.getsource(layer if issubclass(layer, Gate) else module)


def _is_layer(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, LAYERS) and not value.__name__.startswith("_")


def _configuration(layer: Layer) -> str:
    parameters = inspect.signature(layer).parameters.values()
    return "<br>".join(f"`{_parameter(parameter)}`" for parameter in parameters) or "none"


def _parameter(parameter: inspect.Parameter) -> str:
    """A parameter with its type, and its default if that is readable."""
    default = "" if parameter.default is inspect.Parameter.empty else f"{parameter.default!r}"
    suffix = f" = {default}" if default and not default.startswith("<") else ""
    return f"{parameter.name}: {_plain_type(str(parameter.annotation))}{suffix}".replace("|", "\\|")


class _WithoutMarks(ast.NodeTransformer):
    """Replaces each ``Annotated`` by the type in it."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        is_marked = isinstance(node.value, ast.Name) and node.value.id == "Annotated"
        return node.slice.elts[0] if is_marked and isinstance(node.slice, ast.Tuple) else node


def _plain_type(annotation: str) -> str:
    """An annotation without the marks that only checks read."""
    if "Annotated[" not in annotation:
        return annotation
    return ast.unparse(_WithoutMarks().visit(ast.parse(annotation, mode="eval")))


def _raised_errors(source: str, name: str) -> str:
    """The call errors that a layer's module makes, and those whose docstrings say that it raises them."""
    raised = {
        node.func.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    names = [
        kind.__name__
        for kind in (*_error_classes(errors.CallError), errors.Suspended)
        if kind.__name__ in raised or re.search(rf"Raised by [^.]*\b{name}\b", kind.__doc__ or "")
    ]
    return ", ".join(f"`{each}`" for each in names) or "none"


def error_tree() -> str:
    """The tree of errors, from the docstring of `errors.py`."""
    drawing = (errors.__doc__ or "").split("\n\n")[1]
    return f"```text\n{inspect.cleandoc(drawing)}\n```"


def error_codes() -> str:
    """Every call error, with its code."""
    rows: list[tuple[str, ...]] = []
    for kind in _error_classes(errors.CallError):
        codes = (f"`{kind.code}`", f"`{broad_code(kind.code)}`", f"`{kind.__name__}`")
        rows.append((*codes, "yes" if kind.retryable else "no", _on_one_line(kind.__doc__)))
    return markdown_table(("code", "of the nine", "error", "retryable", "meaning"), rows)


def other_errors() -> str:
    """Every error that is never a reply: of setup, the journal, models, the server and the command line."""
    for package in (remit.models, remit.cli, remit.server, remit_local):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)
    calls = set(_error_classes(errors.CallError))
    rows = [
        (f"`{kind.code}`", f"`{kind.__module__}.{kind.__name__}`", _on_one_line(kind.__doc__))
        for kind in _error_classes(errors.RemitError)
        if kind not in calls
    ]
    return markdown_table(("code", "error", "meaning"), rows)


def _error_classes(kind: type[E]) -> Iterator[type[E]]:
    """An error class and its subclasses: those of `errors.py` in the order of the tree, then the others by name."""
    yield kind
    own = [child for child in kind.__subclasses__() if child.__module__.startswith(("remit.", "remit_local."))]
    for child in sorted(own, key=lambda child: "" if child.__module__ == errors.__name__ else str(child)):
        yield from _error_classes(child)


def command_line() -> str:
    """The help text of every command."""
    from remit.cli.commands import remit as program  # noqa: PLC0415 - the one part that needs the extra `cli`

    runner = CliRunner(env={"COLUMNS": "100", "TERMINAL_WIDTH": "100", "NO_COLOR": "1", "TERM": "dumb"})
    sections: list[str] = []
    for words in _command_paths(get_command(program), ()):
        help_text = runner.invoke(program, [*words, "--help"], prog_name="remit").output
        lines = "\n".join(line.rstrip() for line in help_text.strip("\n").splitlines())
        sections.append(f"## {' '.join(('remit', *words))}\n\n```text\n{lines}\n```")
    return "\n\n".join(sections)


def _command_paths(command: object, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The path of each command; a group comes before its commands."""
    yield words
    from remit.cli.commands import DeferredCommand  # noqa: PLC0415 - the one part that needs the extra `cli`

    loaded = command.load() if isinstance(command, DeferredCommand) else command
    if isinstance(loaded, TyperGroup):
        for name, child in loaded.commands.items():
            yield from _command_paths(child, (*words, name))


def cms_tools() -> str:
    """The tools of the CMS, for the editor and for people, with the facts that govern them."""
    with TemporaryDirectory() as folder:
        tools = collect_tools(build(Path(folder)).app)
    rows: list[tuple[str, ...]] = []
    for each in tools:
        facts = each.facts
        permissions = ", ".join(f"`{name}`" for name in sorted(facts.permissions))
        summary = each.description.partition("\n")[0]
        rows.append((f"`{each.name}`", facts.effect.value, facts.risk.value, permissions, summary))
    return markdown_table(("tool", "effect", "risk", "permission", "description"), rows)


def cms_templates() -> str:
    """The section templates of a new site."""
    rows: list[tuple[str, ...]] = []
    for template in BUILTIN_TEMPLATES:
        slots = ", ".join(f"`{slot.key}`{' (required)' * slot.required}" for slot in template.structure.shown.slots)
        rows.append((f"`{template.key}`", template.description, slots))
    return markdown_table(("template", "purpose", "fields"), rows)


class _NoSessions:
    """An environment without sessions, which the tables do not need."""

    sessions: Sessions | None = None


def _policy_sections() -> PolicyTable:
    return PolicyTable(
        business_rules_section(version="1.0"), session_policies_section(_NoSessions()), audit_events_section()
    )


def policies() -> str:
    """The layer that enforces each policy field."""
    return "\n".join(enforcement_table(_policy_sections()))


def checklist() -> str:
    """The points that `remit check` examines."""
    return markdown_table(("point", "condition"), CHECKLIST.items())


def _first_paragraph(docstring: str | None) -> str:
    """The first paragraph of a docstring, on one line."""
    return _on_one_line((docstring or "").split("\n\n", maxsplit=1)[0])


def _on_one_line(docstring: str | None) -> str:
    return " ".join((docstring or "").replace("``", "`").split())


PARTS: Final[dict[str, Callable[[], str]]] = (
    MEASURED_PARTS
    | AGENT_PARTS
    | RULE_PARTS
    | {
        "checklist": checklist,
        "cms-templates": cms_templates,
        "cms-tools": cms_tools,
        "command-line": command_line,
        "context-variables": context_variables,
        "error-codes": error_codes,
        "error-tree": error_tree,
        "import-order": import_order,
        "items": items,
        "layers": layers,
        "other-errors": other_errors,
        "policies": policies,
        "policy-templates": lambda: "\n".join(templates_table(_policy_sections())),
        "public-names": public_names,
        "packages": packages,
        "rules": rules,
    }
)

if __name__ == "__main__":
    sys.exit(main())
