"""Checks the names in worker files: each must exist, and each must be unique."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Protocol

from remit.agent.handoff import HANDOFF_PREFIX
from remit.call.naming import check_not_reserved, python_alias
from remit.core.checks import as_texts, as_tuple, check_method
from remit.errors import ContractError
from remit.journal.codec import RESULT_TOOL
from remit.schemas.finding import Finding
from remit.schemas.suggestions import suggest

SuggestFix = Callable[[str, Collection[str]], str]


class NamesCallees(Protocol):
    """The names to check in a worker or in a file with errors. An empty name replaces an invalid one."""

    @property
    def name(self) -> str:
        """The name of the worker."""
        ...

    @property
    def tools(self) -> tuple[str, ...]:
        """The tools it lists."""
        ...

    @property
    def workers(self) -> tuple[str, ...]:
        """The workers it lists."""
        ...

    @property
    def delegates(self) -> tuple[str, ...] | None:
        """The tools and workers that only its workers may call; None for everything that they list."""
        ...

    @property
    def handoffs(self) -> tuple[str, ...]:
        """The agents it hands over to."""
        ...

    @property
    def provider_tool_names(self) -> tuple[str, ...]:
        """The provider's tools it lists."""
        ...

    def locate(self, *path: str | int) -> str:
        """The place of a part, as ``file:line``; empty if it was not read from a file."""
        ...


def check_names(
    definitions: Sequence[NamesCallees],
    tools: Collection[str],
    *,
    extra_workers: Collection[str] = (),
    other_workers: Sequence[NamesCallees] = (),
    list_command: str = "",
    no_tools_hint: str = "",
) -> list[Finding]:
    """Find the errors in the names that workers use.

    Args:
        definitions: the workers to check.
        tools: the names of all tools.
        extra_workers: names of further workers, which ``definitions`` may replace.
        other_workers: further workers, whose names ``definitions`` must not use.
        list_command: a command that lists all tools, like ``remit tools shop``.
        no_tools_hint: the fix to suggest when no application provides tools.
    """
    tools, extra_workers = as_texts("tools", tools), as_texts("extra_workers", extra_workers)
    definitions, other_workers = as_tuple("definitions", definitions), as_tuple("other_workers", other_workers)
    for each in (*definitions, *other_workers):
        check_method("a worker", each, "locate", "give what read_workers returns")
    suggest_tool = partial(suggest, list_command=list_command, fallback=no_tools_hint)
    workers = {each.name for each in (*definitions, *other_workers) if each.name} | set(extra_workers)
    found = list(_find_name_clashes(definitions, tools, other_workers))
    for each in definitions:
        try:
            check_not_reserved(each.name)
        except ContractError as error:
            found.append(_make_finding("value", each, ("name",), error.message, "choose another `name`"))
        found += _find_reserved_names(each)
        found += _find_unknown_names(each, "tools", each.tools, set(tools), "worker", workers, suggest_tool)
        found += _find_unknown_names(each, "workers", each.workers, workers, "tool", set(tools), suggest)
        delegates = ["" if name.removeprefix(HANDOFF_PREFIX) in workers else name for name in each.delegates or ()]
        found += _find_unknown_names(each, "delegates", delegates, workers | set(tools), "", set(), suggest_tool)
        found += _find_unknown_names(each, "handoffs", each.handoffs, workers, "tool", set(tools), suggest)
        found += _find_redundant_delegates(each)
    return found


def _find_name_clashes(
    definitions: Sequence[NamesCallees], tools: Collection[str], other_workers: Sequence[NamesCallees]
) -> Iterator[Finding]:
    """Find names that are used twice. Names are compared by their aliases; provider tools count too."""
    owners = {python_alias(name): (name, "a tool of the application") for name in sorted(tools)}
    for each in other_workers:
        owners.setdefault(python_alias(each.name), (each.name, _describe_owner(each)))
    for each in definitions:
        name, whose = owners.get(python_alias(each.name), ("", ""))
        if each.name and name:
            same = "" if name == each.name else f", in Python, by {name!r}"
            what = f"the name {each.name!r} is taken{same}: it is {whose}"
            yield _make_finding("name-taken", each, ("name",), what, "choose another `name`")
        owners.setdefault(python_alias(each.name), (each.name, _describe_owner(each)))
    for each in definitions:
        for index, name in enumerate(each.provider_tool_names):
            other, whose = owners.get(python_alias(name), ("", ""))
            if name and other == name:
                what = f"the name of the provider's tool {name!r} is also used by {whose}"
                yield _make_finding("name-taken", each, ("builtin_tools", index), what, "rename the other one")


def _describe_owner(worker: NamesCallees) -> str:
    where = worker.locate()
    return f"the worker at {where}" if where else "another worker"


def _find_reserved_names(worker: NamesCallees) -> Iterator[Finding]:
    """Find uses of the reserved name by which a model gives its result."""
    what = f"{RESULT_TOOL!r} is reserved: it is the name by which a model gives its result"
    if worker.name == RESULT_TOOL:
        yield _make_finding("reserved", worker, ("name",), what, "choose another `name`")
    for key, names in (("tools", worker.tools), ("workers", worker.workers), ("delegates", worker.delegates or ())):
        for index, name in enumerate(names):
            if name == RESULT_TOOL:
                mend = "remove it: every worker gives its result without it"
                yield _make_finding("reserved", worker, (key, index), what, mend)


def _find_unknown_names(
    worker: NamesCallees,
    key: str,
    names: Sequence[str],
    known_names: set[str],
    other_kind: str,
    other_names: set[str],
    suggest_fix: SuggestFix,
) -> Iterator[Finding]:
    """Find the names in a list that do not exist or belong in another list."""
    kind = {"tools": "tool", "workers": "worker", "handoffs": "agent"}.get(key, "tool or worker")
    for index, name in enumerate(names):
        if not name or name in known_names or name == RESULT_TOOL:
            continue
        if name in other_names:
            yield _make_finding(
                f"unknown-{key}", worker, (key, index), f"{name!r} is a {other_kind}", f"list it as a {other_kind}"
            )
            continue
        yield _make_finding(
            f"unknown-{key}", worker, (key, index), f"there is no {kind} {name!r}", suggest_fix(name, known_names)
        )


def _find_redundant_delegates(worker: NamesCallees) -> Iterator[Finding]:
    for index, name in enumerate(worker.delegates or ()):
        if name and name in (*worker.tools, *worker.workers):
            what = f"{name!r} is delegated, but the worker may call it itself"
            yield _make_finding(
                "said-twice", worker, ("delegates", index), what, "remove it here: its workers may call it too"
            )


def _make_finding(code: str, worker: NamesCallees, path: tuple[str | int, ...], what: str, fix: str) -> Finding:
    where = worker.locate(*path) or f"worker {worker.name}"
    return Finding(code=code, where=where, what=what, fix=fix)
