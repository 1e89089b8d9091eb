"""Which names a template uses, sets and binds, and where: what Jinja does not tell about a parsed text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from jinja2 import nodes

_BINDING: Final = (nodes.For, nodes.Macro, nodes.CallBlock, nodes.With)
_WITHIN: Final = ("body", "test")


def assigned(tree: nodes.Node) -> set[str]:
    """Every name that a text, or a part of it, binds anywhere: texts that it includes may use it."""
    own = [tree] if isinstance(tree, nodes.Name) else []
    return {each.name for each in (*own, *tree.find_all(nodes.Name)) if each.ctx != "load"}


def set_in(tree: nodes.Node) -> set[str]:
    """The names that a text sets outside of its loops: below, they may be used."""
    found: set[str] = set()
    for child in tree.iter_child_nodes():
        if isinstance(child, nodes.Assign | nodes.AssignBlock):
            found |= assigned(child)
        elif not isinstance(child, _BINDING):
            found |= set_in(child)
    return found


def free_uses(node: nodes.Node, name: str) -> Iterator[int]:
    """The lines on which a name is used where nothing in the text binds it."""
    if isinstance(node, nodes.Name) and node.name == name and node.ctx == "load":
        yield node.lineno
    bound = _bound(node)
    for child in node.iter_child_nodes(exclude=_WITHIN if name in bound else ()):
        yield from free_uses(child, name)


def internals(tree: nodes.Node) -> Iterator[tuple[str, int]]:
    """Attributes of Python's own that a text reads, however it says so, with their lines."""
    for node in tree.find_all((nodes.Getattr, nodes.Getitem, nodes.Filter)):
        said: object = None
        if isinstance(node, nodes.Getattr):
            said = node.attr
        elif isinstance(node, nodes.Getitem):
            said = node.arg.value if isinstance(node.arg, nodes.Const) else None
        elif node.name == "attr" and node.args:
            first = node.args[0]
            said = first.value if isinstance(first, nodes.Const) else None
        if isinstance(said, str) and said.startswith("__"):
            yield said, node.lineno


def _bound(node: nodes.Node) -> set[str]:
    """The names that a node binds for its body."""
    if isinstance(node, nodes.For):
        return assigned(node.target) | {"loop"}
    if isinstance(node, nodes.Macro | nodes.CallBlock):
        return {each.name for each in node.args}
    if isinstance(node, nodes.With):
        return {name for each in node.targets for name in assigned(each)}
    return set()
