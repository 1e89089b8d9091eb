"""The table of context variables in the architecture: what code may find without being given it."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from agent_parts import markdown_table
from committed import ROOT

_SOURCES: Final = ROOT / "src/remit"


class Variable(NamedTuple):
    """A context variable, the module that holds it, and its docstring."""

    name: str
    module: str
    docstring: str


def context_variables() -> str:
    """A table of the context variables."""
    rows = ((f"`{each.name}`", f"`{each.module}`", each.docstring) for each in find_variables(_SOURCES))
    return markdown_table(("context variable", "module", "contents"), rows)


def find_variables(folder: Path) -> list[Variable]:
    """The context variables of a package, in the order of their modules.

    Raises:
        LookupError: one is made elsewhere than by the assignment of a module to an annotated name, or has no docstring.
    """
    return [each for file in sorted(folder.rglob("*.py")) for each in _find_in(file, folder)]


def _find_in(file: Path, folder: Path) -> Iterator[Variable]:
    text = file.read_text(encoding="utf-8")
    if "ContextVar" not in text:
        return
    body, module = ast.parse(text).body, ".".join(file.relative_to(folder).with_suffix("").parts)
    made = [each for node in body for each in ast.walk(node) if isinstance(each, ast.Call) and _makes_variable(each)]
    for node, following in zip(body, [*body[1:], None], strict=True):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.Call() as call) if call in made:
                made.remove(call)
                yield Variable(name, module, _docstring_in(following, f"{file}:{node.lineno}"))
            case _:
                pass
    for each in made:
        raise LookupError(f"{file}:{each.lineno}: assign a context variable to an annotated name of the module")


def _docstring_in(node: ast.stmt | None, where: str) -> str:
    match node:
        case ast.Expr(value=ast.Constant(value=str(docstring))):
            return " ".join(docstring.split())
        case _:
            raise LookupError(f"{where}: the context variable has no docstring")


def _makes_variable(node: ast.Call) -> bool:
    """Whether a call makes a context variable, also as ``ContextVar[T]`` or ``contextvars.ContextVar``."""
    called = node.func.value if isinstance(node.func, ast.Subscript) else node.func
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) == "ContextVar"
