"""Whether the names that workers use are those of tools and workers, and whether each is the name of one thing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Protocol

from remit.contracts.naming import alias_of, check_free
from remit.errors import ContractError
from remit.journal.codec import RESULT
from remit.schemas.finding import Finding
from remit.schemas.suggestions import near

Near = Callable[[str, Collection[str]], str]


class Named(Protocol):
    """What is looked at: a worker, or the names of a file that cannot be read. An empty name is none."""

    @property
    def name(self) -> str:
        """Its own name."""
        ...

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools it names."""
        ...

    @property
    def workers(self) -> tuple[str, ...]:
        """The workers it names."""
        ...

    @property
    def delegates(self) -> tuple[str, ...]:
        """What it delegates."""
        ...

    @property
    def builtin_tools(self) -> tuple[str, ...]:
        """The tools of providers it names."""
        ...

    def where(self, *path: str | int) -> str:
        """Where a part is written, as ``file:line``; empty where it is not."""
        ...


def check_names(
    definitions: Sequence[Named],
    tools: Collection[str],
    *,
    also: Collection[str] = (),
    beside: Sequence[Named] = (),
    rest: str = "",
    lacking: str = "",
) -> list[Finding]:
    """What is wrong with the names in some workers.

    Args:
        definitions: what is looked at.
        tools: the tools that there are.
        also: workers that there are, whose names may be taken on purpose.
        beside: other workers, with whose names theirs must not clash.
        rest: where a person reads all names of tools, like ``remit tools shop``.
        lacking: how to say whose tools there are, where nobody did.
    """
    of_tools = partial(near, rest=rest, otherwise=lacking)
    workers = {each.name for each in (*definitions, *beside) if each.name} | set(also)
    found = list(_taken(definitions, tools, beside))
    for each in definitions:
        try:
            check_free(each.name)
        except ContractError as error:
            found.append(_finding("value", each, ("name",), error.message, "say another `name`"))
        found += _reserved(each)
        found += _listed(each, "tools", each.tools, set(tools), "worker", workers, of_tools)
        found += _listed(each, "workers", each.workers, workers, "tool", set(tools), near)
        found += _listed(each, "delegates", each.delegates, workers | set(tools), "", set(), of_tools)
        found += _redundant(each)
    return found


def _taken(definitions: Sequence[Named], tools: Collection[str], beside: Sequence[Named]) -> Iterator[Finding]:
    """Names that two things want, by their aliases. Tools of providers share the names that a model sees."""
    first = {alias_of(name): (name, "a tool of the application") for name in sorted(tools)}
    for each in beside:
        first.setdefault(alias_of(each.name), (each.name, _whose(each)))
    for each in definitions:
        name, whose = first.get(alias_of(each.name), ("", ""))
        if each.name and name:
            same = "" if name == each.name else f", in Python, by {name!r}"
            what = f"the name {each.name!r} is taken{same}: it is {whose}"
            yield _finding("name-taken", each, ("name",), what, "say another `name`")
        first.setdefault(alias_of(each.name), (each.name, _whose(each)))
    for each in definitions:
        for index, name in enumerate(each.builtin_tools):
            other, whose = first.get(alias_of(name), ("", ""))
            if name and other == name:
                what = f"the provider's tool {name!r} has the name of another: {whose}"
                yield _finding("name-taken", each, ("builtin_tools", index), what, "rename the other one")


def _whose(worker: Named) -> str:
    where = worker.where()
    return f"the worker at {where}" if where else "another worker"


def _reserved(worker: Named) -> Iterator[Finding]:
    """Where the name stands by which a model gives its result."""
    what = f"{RESULT!r} is the name by which a model gives its result, and can be no other's"
    if worker.name == RESULT:
        yield _finding("reserved", worker, ("name",), what, "say another `name`")
    for key, names in (("tools", worker.tools), ("workers", worker.workers), ("delegates", worker.delegates)):
        for index, name in enumerate(names):
            if name == RESULT:
                mend = "remove it: every worker gives its result without it"
                yield _finding("reserved", worker, (key, index), what, mend)


def _listed(
    worker: Named, key: str, names: Sequence[str], there: set[str], other: str, others: set[str], mend: Near
) -> Iterator[Finding]:
    """Names in a list that are none of those which may stand there."""
    kind = {"tools": "tool", "workers": "worker"}.get(key, "tool or worker")
    for index, name in enumerate(names):
        if not name or name in there or name == RESULT:
            continue
        if name in others:
            yield _finding(f"unknown-{key}", worker, (key, index), f"{name!r} is a {other}", f"list it as a {other}")
            continue
        yield _finding(f"unknown-{key}", worker, (key, index), f"there is no {kind} {name!r}", mend(name, there))


def _redundant(worker: Named) -> Iterator[Finding]:
    for index, name in enumerate(worker.delegates):
        if name and name in (*worker.tools, *worker.workers):
            what = f"{name!r} is delegated, and the worker may call it itself"
            yield _finding("said-twice", worker, ("delegates", index), what, "remove it here: those below may call it")


def _finding(code: str, worker: Named, at: tuple[str | int, ...], what: str, mend: str) -> Finding:
    where = worker.where(*at) or f"worker {worker.name}"
    return Finding(code=code, where=where, what=what, mend=mend)
