"""The name of an operation is written in its function and in its entry, and nowhere else."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

from remit.inventory import MethodDefinition
from remit_casefile.app import INVENTORY_FOLDER, build


def _names_in(tree: ast.AST) -> Iterator[str]:
    """What a module defines and imports, and the operations that its envelopes name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.alias):
            yield node.name
        if isinstance(node, ast.ClassDef):
            yield from (str(each.value.value) for each in node.keywords if isinstance(each.value, ast.Constant))


def places(method: MethodDefinition) -> int:
    """How often the inventory, the class of an operation and the module of its payload write its name or envelopes."""
    words = {method.name, method.request.__name__, method.response.__name__}
    modules = {inspect.getfile(each) for each in (type(method.owner), method.payload)}
    names = [name for file in modules for name in _names_in(ast.parse(Path(file).read_text(encoding="utf-8")))]
    slice_file = Path(method.metadata.inventory_location.rpartition(":")[0]).name
    text = (INVENTORY_FOLDER / slice_file).read_text(encoding="utf-8")
    names += [key or model for key, model in re.findall(r"(?m)(?:^ *|[{ ])(\w+):|: (\w+)", text)]
    return sum(name in words for name in names)


def test_the_name_of_each_operation_stands_in_two_places(tmp_path: Path) -> None:
    operations = build(tmp_path).app.operations
    assert operations is not None
    counted = {key: places(each) for key, each in operations.methods.items() if each.envelopes is None}
    assert len(counted) == 43
    assert {key: count for key, count in counted.items() if count != 2} == {}


def test_operations_with_envelopes_are_those_that_fail_with_a_payload(tmp_path: Path) -> None:
    operations = build(tmp_path).app.operations
    assert operations is not None
    enveloped = [each for each in operations.methods.values() if each.envelopes is not None]
    assert [each.name for each in enveloped] == ["sync_gmail", "sync_drive", "sync_sheets"]
    assert all(places(each) > 6 for each in enveloped)
