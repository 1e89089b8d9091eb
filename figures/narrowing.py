"""Nothing runs that some actor above does not permit: random trees in which everybody tries to call everything."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import structs

from figures.figure import Figure, no_violations
from figures.narrowing_world import Node, Tree
from remit import App, Principal, Runtime
from remit.layers import Budget
from remit.record.arguments import Limits, parse_arguments
from remit.record.items import ToolOutput
from remit.stores import InMemoryStore

TREES, SHORT = 400, 10


def figures(*, short: bool) -> Iterator[Figure]:
    """Calls that ran though an actor above does not permit them, or were denied though all do."""
    trees = SHORT if short else TREES
    tried, ran, denied, wrong = 0, 0, 0, list[str]()
    for seed in range(trees):
        outputs, found = asyncio.run(run_tree(seed))
        tried += len(outputs)
        ran += sum(output.outcome == "ok" for output in outputs)
        denied += sum(output.outcome == "denied" for output in outputs)
        wrong += [f"tree {seed}: {each}" for each in found]
        if short and wrong:
            break
    how = (
        f"{trees} random trees of workers, agents (with handoffs), composed tools and pipelines with random lists, "
        "delegates and permissions; models and code try every name, object and alias, and code also by runs that it "
        f"starts or schedules, and which another runtime continues: {ran:,} calls ran, "
        f"{denied:,} were denied, {tried - ran - denied:,} named what their caller does not know, or went too deep; "
        "one denied though all above permit it counts too"
    )
    yield no_violations("narrowing.violations", len(wrong), tried, how if not wrong else f"{how}; first: {wrong[0]}")


async def run_tree(seed: int) -> tuple[list[ToolOutput], list[str]]:
    """Every call that was tried in one tree, and what is wrong with them."""
    tree = Tree(random.Random(seed))
    by = Principal("ada", permissions=tree.held)
    store = InMemoryStore()
    app = App(name="narrowing", tools=tree.callees, budget=Budget(calls=10**6))
    tree.runtime, other = Runtime(app, store=store), Runtime(app, store=store)
    other.add_principals(by)
    arguments = parse_arguments(tree.arguments(tree.root), Limits())
    root = (await tree.runtime.call_by_name(tree.root, arguments, by=by)).run
    outputs, read = list[ToolOutput](), set[str]()
    while pending := [run for run in (root, *tree.started) if run not in read]:
        for run in pending:
            await other.resume(run)
            outputs += await _read_outputs(store, run, tree.started.get(run, ""))
        read.update(pending)
    return outputs, list(find_violations(outputs, tree.ran, tree.nodes, tree.held))


async def _read_outputs(store: InMemoryStore, run: str, started_by: str) -> list[ToolOutput]:
    """The calls of a run; that at its root is below the call ``started_by`` that started it."""
    items = [position.item for position in await store.read(run)]
    outputs = [item for item in items if isinstance(item, ToolOutput)]
    return [item if item.parent else structs.replace(item, parent=started_by) for item in outputs]


def find_violations(
    outputs: Sequence[ToolOutput], ran: Iterable[tuple[str, str]], nodes: Mapping[str, Node], held: frozenset[str]
) -> Iterator[str]:
    """What is wrong, said by the journal's calls and what ``ran``, name and call, besides what any layer thinks."""
    calls = {output.call: output for output in outputs}
    for name, call in ran:
        if call not in calls or calls[call].callee != name:
            yield f"{name} ran, and no call of it is recorded"
        elif calls[call].outcome != "ok":
            yield f"{name} ran, and is recorded as {calls[call].outcome}"
    for output in outputs:
        if output.callee not in nodes:
            continue
        barring = list(_reasons_to_deny(output, calls, nodes, held))
        if output.outcome == "ok" and barring:
            yield f"{output.callee} ran, and {barring[0]}"
        if output.outcome == "denied" and not barring and not output.callee.startswith("handoff_to_"):
            yield f"{output.callee} was denied, and all above permit it"


def _reasons_to_deny(
    output: ToolOutput, calls: Mapping[str, ToolOutput], nodes: Mapping[str, Node], held: frozenset[str]
) -> Iterator[str]:
    """Why a call may not run: the root's permissions, an actor above, a model that was not told of the tool."""
    name, needs = output.callee, nodes[output.callee].needs
    if not _are_covered(needs, held):
        yield f"the person lacks {sorted(needs)}"
    caller = nodes[calls[output.parent].callee] if output.parent else None
    if output.wire and caller is not None and name not in _tools_offered(caller, nodes):
        yield f"the model of {caller.name} was not told of it"
    parent = output.parent
    while parent:
        above = nodes[calls[parent].callee]
        if above.tool_scope is not None and name not in above.tool_scope:
            yield f"{above.name} does not let its calls reach it"
        if above.permissions is not None and not _are_covered(needs, above.permissions):
            yield f"{above.name} does not pass on {sorted(needs)}"
        parent = calls[parent].parent


def _are_covered(needs: frozenset[str], held: frozenset[str]) -> bool:
    """Whether permissions hold all that is needed; written anew here, to have a second opinion."""
    return all({need, need.split(":", maxsplit=1)[0] + ":*", "*"} & held for need in needs)


def _tools_offered(caller: Node, nodes: Mapping[str, Node]) -> set[str]:
    """What the model of an actor may name, and of all that it may hand the conversation over to."""
    offered, pending, seen = set[str](), [caller.name], set[str]()
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            offered |= nodes[name].listed_tools
            pending += nodes[name].hands_to
    return offered
