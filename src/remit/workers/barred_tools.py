"""Finds tools that a worker lists but cannot call below another worker, because its `delegates` lacks them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from remit.agent.handoff import HANDOFF_PREFIX
from remit.workers.definition import WorkerDefinition


def barred_tools(workers: Mapping[str, WorkerDefinition], checked: Collection[str]) -> Iterator[str]:
    """Describe each barred tool in one line: the tool, the worker that lists it, and the worker that bars it.

    Barring is legal: it is the purpose of `delegates`. If a worker between the two bars the tool, only that worker is
    reported.

    Args:
        workers: all workers, by name.
        checked: the names of workers; only tools for which one of the two workers is among them are described.
    """
    for above in workers.values():
        if above.delegates is None:
            continue
        scope = _scope(above)
        barred: set[tuple[str, str]] = set()
        for below, names in _find_below(above, scope, workers):
            barred |= {(below, name) for name in names - scope if above.name in checked or below in checked}
        for below, name in sorted(barred):
            where = workers[below].locate(*_list_names(workers[below])[name]) or f"worker {below}"
            narrows = above.locate("delegates") or f"worker {above.name}"
            yield f"{where}: {below} cannot call {name!r} below {above.name}: `delegates` lacks it ({narrows})"


def _find_below(
    above: WorkerDefinition, scope: frozenset[str], workers: Mapping[str, WorkerDefinition]
) -> Iterator[tuple[str, frozenset[str]]]:
    """The workers that can be called below ``above``, each with its names that no worker in between bars."""
    every_name = frozenset(name for each in workers.values() for name in _list_names(each))
    pending = [(name, every_name) for name in above.workers]
    seen: set[tuple[str, frozenset[str]]] = set()
    while pending:
        name, between = pending.pop()
        worker = workers.get(name)
        if worker is None or (name, between) in seen:
            continue
        seen.add((name, between))
        allowed = between.intersection(_list_names(worker))
        yield name, allowed
        pending += [(each, between) for each in worker.handoffs if HANDOFF_PREFIX + each in allowed & scope]
        inner = between if worker.delegates is None else between & _scope(worker)
        pending += [(each, inner) for each in worker.workers if each in allowed & scope]


def _scope(worker: WorkerDefinition) -> frozenset[str]:
    return frozenset((*_list_names(worker), *(worker.delegates or ())))


def _list_names(worker: WorkerDefinition) -> dict[str, tuple[str, int]]:
    """The names that a worker may call, each with its place in the file."""
    lists = (
        ("tools", worker.tools, ""),
        ("workers", worker.workers, ""),
        ("handoffs", worker.handoffs, HANDOFF_PREFIX),
    )
    return {prefix + name: (key, index) for key, names, prefix in lists for index, name in enumerate(names)}
