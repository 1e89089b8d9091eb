"""The guards of a module: what refuses, filters or decides, and how each is taken out of its syntax tree."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

_CHECKS: Final = ("check", "refuse", "require", "verify", "forbid")
"""How the names of functions begin that raise an error or do nothing."""


@dataclass(frozen=True)
class Guard:
    """One guard. ``raises``: the line that runs if it refuses by itself, 0 if it does so elsewhere.

    ``drop`` takes it out of the tree in which it was found.
    """

    line: int
    text: str
    raises: int
    drop: Callable[[], None]


def find_guards(tree: ast.Module) -> list[Guard]:
    """The guards of a module, always in the same order.

    These are conditions before a `raise`, statements that call a check, operands of `and` in a condition or a returned
    value, filters of comprehensions, and what functions with the result ``bool`` return: True and False.
    """
    return [guard for node in ast.walk(tree) for guard in _guards_at(node)]


def _guards_at(node: ast.AST) -> Iterator[Guard]:
    match node:
        case ast.If(test=test, body=[*_, ast.Raise() as last]):
            yield Guard(node.lineno, f"if {ast.unparse(test)}: raise", last.lineno, partial(_never, node))
            yield from _operands(test)
        case ast.If(test=test):
            yield from _operands(test)
        case ast.comprehension(ifs=filters):
            for number, each in enumerate(filters):
                yield Guard(each.lineno, f"filter {ast.unparse(each)}", 0, partial(_always, filters, number))
        case ast.FunctionDef(returns=ast.Name(id="bool")) | ast.AsyncFunctionDef(returns=ast.Name(id="bool")):
            yield from _returned(node)
        case _:
            pass
    for name in ("body", "orelse", "finalbody"):
        statements: object = getattr(node, name, None)
        if isinstance(statements, list):
            yield from _calls_of_checks(cast("list[ast.stmt]", statements))


def _calls_of_checks(statements: list[ast.stmt]) -> Iterator[Guard]:
    for number, statement in enumerate(statements):
        call = statement.value if isinstance(statement, ast.Expr) else None
        call = call.value if isinstance(call, ast.Await) else call
        if isinstance(call, ast.Call) and _called_name(call).lstrip("_").startswith(_CHECKS):
            yield Guard(statement.lineno, ast.unparse(statement), 0, partial(_pass, statements, number))


def _returned(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Guard]:
    for each in ast.walk(function):
        if isinstance(each, ast.Return) and each.value is not None and not isinstance(each.value, ast.Constant):
            for constant in (True, False):
                text = f"{function.name}: return {constant} for {ast.unparse(each.value)}"
                yield Guard(each.lineno, text, 0, partial(_return, each, constant=constant))
            yield from _operands(each.value)


def _operands(test: ast.expr) -> Iterator[Guard]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        for number, each in enumerate(test.values):
            text = f"{ast.unparse(each)} in {ast.unparse(test)}"
            yield Guard(each.lineno, text, 0, partial(_always, test.values, number))


def _called_name(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _never(node: ast.If) -> None:
    node.test = ast.copy_location(ast.Constant(value=False), node.test)


def _always(conditions: list[ast.expr], number: int) -> None:
    conditions[number] = ast.copy_location(ast.Constant(value=True), conditions[number])


def _return(node: ast.Return, *, constant: bool) -> None:
    node.value = ast.copy_location(ast.Constant(constant), node)


def _pass(statements: list[ast.stmt], number: int) -> None:
    statements[number] = ast.copy_location(ast.Pass(), statements[number])
