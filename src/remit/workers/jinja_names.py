"""The names that a parsed template uses, sets and binds, with their lines; Jinja does not report these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from jinja2 import nodes

_SCOPE_NODES: Final = (nodes.For, nodes.Macro, nodes.CallBlock, nodes.With)
_BODY_FIELDS: Final = ("body", "test")
FUNCTIONS: Final = frozenset(("range", "dict", "cycler", "joiner", "namespace"))
"""The functions that every template can call. Without a call, such a name refers to the input."""


def collect_bound_names(tree: nodes.Node) -> set[str]:
    """Every name that a text binds anywhere. Its included texts may use these names."""
    own = [tree] if isinstance(tree, nodes.Name) else []
    return {each.name for each in (*own, *tree.find_all(nodes.Name)) if each.ctx != "load"}


def collect_top_level_names(tree: nodes.Node) -> set[str]:
    """The names that a text sets outside its loops. All of the text after them may use these names."""
    found: set[str] = set()
    for child in tree.iter_child_nodes():
        if isinstance(child, nodes.Assign | nodes.AssignBlock):
            found |= collect_bound_names(child)
        elif not isinstance(child, _SCOPE_NODES):
            found |= collect_top_level_names(child)
    return found


def find_read_names(tree: nodes.Node) -> set[str]:
    """The names whose values a text reads, except calls of the functions that every template can call."""
    calls = [each.node for each in tree.find_all(nodes.Call)]
    called = {id(each) for each in calls if isinstance(each, nodes.Name) and each.name in FUNCTIONS}
    return {each.name for each in tree.find_all(nodes.Name) if each.ctx == "load" and id(each) not in called}


def find_free_uses(tree: nodes.Node) -> dict[str, int]:
    """The first line that uses each name where the text does not bind it."""
    lines: dict[str, int] = {}
    bound: Counter[str] = Counter()

    def visit(node: nodes.Node) -> None:
        if isinstance(node, nodes.Name) and node.ctx == "load" and not bound[node.name]:
            lines[node.name] = min(lines.get(node.name, node.lineno), node.lineno)
        names = _collect_body_names(node)
        for child in node.iter_child_nodes(exclude=_BODY_FIELDS if names else ()):
            visit(child)
        if names:
            bound.update(names)
            for child in node.iter_child_nodes(only=_BODY_FIELDS):
                visit(child)
            bound.subtract(names)

    visit(tree)
    return lines


def find_internal_attributes(tree: nodes.Node) -> Iterator[tuple[str, int]]:
    """Python's internal attributes that a text reads, in any syntax, with their lines."""
    for node in tree.find_all((nodes.Getattr, nodes.Getitem, nodes.Filter)):
        attribute: object = None
        if isinstance(node, nodes.Getattr):
            attribute = node.attr
        elif isinstance(node, nodes.Getitem):
            attribute = node.arg.value if isinstance(node.arg, nodes.Const) else None
        elif node.name == "attr" and node.args:
            first = node.args[0]
            attribute = first.value if isinstance(first, nodes.Const) else None
        if isinstance(attribute, str) and attribute.startswith("__"):
            yield attribute, node.lineno


def _collect_body_names(node: nodes.Node) -> set[str]:
    """The names that a node binds for its body."""
    if isinstance(node, nodes.For):
        return collect_bound_names(node.target) | {"loop"}
    if isinstance(node, nodes.Macro | nodes.CallBlock):
        return {each.name for each in node.args}
    if isinstance(node, nodes.With):
        return {name for each in node.targets for name in collect_bound_names(each)}
    return set()
