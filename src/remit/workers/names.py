"""Whether the names that workers use are those of tools and workers, and whether each is the name of one thing."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence

from remit.contracts.finding import Finding
from remit.contracts.naming import check_free
from remit.errors import ContractError
from remit.workers.definition import WorkerDefinition


def check_names(
    definitions: Sequence[WorkerDefinition], tools: Collection[str], *, also: Collection[str] = ()
) -> list[Finding]:
    """What is wrong with the names in some workers, beside which there are ``tools``, and ``also`` other workers."""
    workers = {*(each.name for each in definitions), *also}
    found = list(_taken(definitions, tools))
    for each in definitions:
        try:
            check_free(each.name)
        except ContractError as error:
            found.append(_finding("value", each, ("name",), error.message, "say another `name`"))
        found += _listed(each, "tools", each.tools, set(tools), "worker", workers)
        found += _listed(each, "workers", each.workers, workers, "tool", set(tools))
        found += _listed(each, "delegates", each.delegates, workers | set(tools), "", set())
        found += _redundant(each)
    return found


def _taken(definitions: Sequence[WorkerDefinition], tools: Collection[str]) -> Iterator[Finding]:
    """Names that two things want. Tools of providers share the names that a model sees."""
    first: dict[str, str] = dict.fromkeys(tools, "a tool of the application")
    for each in definitions:
        if each.name in first:
            what = f"the name {each.name!r} is taken: it is {first[each.name]}"
            yield _finding("name-taken", each, ("name",), what, "say another `name`")
        first.setdefault(each.name, f"the worker at {each.where()}" if each.document else "another worker")
    for each in definitions:
        for index, name in enumerate(each.builtin_tools):
            if name in first:
                what = f"the provider's tool {name!r} has the name of another: {first[name]}"
                yield _finding("name-taken", each, ("builtin_tools", index), what, "rename the other one")


def _listed(
    worker: WorkerDefinition, key: str, names: Sequence[str], there: set[str], other: str, others: set[str]
) -> Iterator[Finding]:
    """Names in a list that are none of those which may stand there."""
    kind = {"tools": "tool", "workers": "worker"}.get(key, "tool or worker")
    for index, name in enumerate(names):
        if name in there:
            continue
        if name in others:
            yield _finding(f"unknown-{key}", worker, (key, index), f"{name!r} is a {other}", f"list it as a {other}")
            continue
        near = difflib.get_close_matches(name, there, n=1)
        known = ", ".join(sorted(there)) or "none"
        mend = f"did you mean {near[0]}?" if near else f"there are: {known}"
        yield _finding(f"unknown-{key}", worker, (key, index), f"there is no {kind} {name!r}", mend)


def _redundant(worker: WorkerDefinition) -> Iterator[Finding]:
    for index, name in enumerate(worker.delegates):
        if name in (*worker.tools, *worker.workers):
            what = f"{name!r} is delegated, and the worker may call it itself"
            yield _finding("said-twice", worker, ("delegates", index), what, "remove it here: those below may call it")


def _finding(code: str, worker: WorkerDefinition, at: tuple[str | int, ...], what: str, mend: str) -> Finding:
    where = worker.where(*at) or f"worker {worker.name}"
    return Finding(code=code, where=where, what=what, mend=mend)
