"""A mutant: an edit of one function's source, in place while it is planted, and whether a figure notices it."""

from __future__ import annotations

import contextlib
import inspect
import pkgutil
import textwrap
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import cast

from figures.figure import Figure

Plant = Callable[[], AbstractContextManager[object]]
"""Puts the defect into the product for as long as the context is entered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A defect that ``figure`` must notice.

    Args:
        figure: the figure's name.
        defect: what is wrong, in words.
        plant: plants the defect.
        measure: measures the figure on fewer cases; without it, the short form of the figure's part is used.
    """

    figure: str
    defect: str
    plant: Plant
    measure: Callable[[], Iterable[Figure]] | None = None

    def is_killed(self, measure_part: Callable[[], Iterable[Figure]]) -> bool:
        """Whether the figure misses its target while the defect is planted.

        An exception or a figure without cases does not count: it says nothing about the promise.
        """
        with self.plant(), contextlib.suppress(Exception):
            found = (self.measure or measure_part)()
            return any(each.name == self.figure and not each.holds and each.n > 0 for each in found)
        return False


@dataclass(slots=True)
class KillRate:
    """How many mutants of one figure were planted, and the defects that it did not notice."""

    planted: int = 0
    survivors: list[str] = field(default_factory=list[str])

    @property
    def killed(self) -> int:
        """How many the figure noticed."""
        return self.planted - len(self.survivors)


def edited(function: str, old: str, new: str) -> Plant:
    """Replace ``old``, which must occur once, by ``new`` in the source of a function, like ``remit.app:App.layers``.

    The code of the function object itself is exchanged, so that every module that has imported it, and every process
    forked while the mutant is planted, runs the edited code.

    Raises:
        ValueError: the function's source does not contain ``old`` exactly once, or the edit changes its closure.
    """

    @contextlib.contextmanager
    def plant() -> Generator[None]:
        target = cast("FunctionType", inspect.unwrap(pkgutil.resolve_name(function)))
        original = target.__code__
        target.__code__ = _compile_edited(target, old, new)
        try:
            yield
        finally:
            target.__code__ = original

    return plant


def together(*plants: Plant) -> Plant:
    """Plant several edits at once: a defect that Remit guards against in more than one place."""

    @contextlib.contextmanager
    def plant() -> Generator[None]:
        with contextlib.ExitStack() as stack:
            for each in plants:
                stack.enter_context(each())
            yield

    return plant


def _compile_edited(function: FunctionType, old: str, new: str) -> CodeType:
    source = textwrap.dedent(inspect.getsource(function))
    if source.count(old) != 1:
        raise ValueError(
            f"{function.__qualname__} contains {old!r} {source.count(old)} times; a mutant edits one place"
        )
    original = function.__code__
    enclosing = f"def _enclosing({', '.join(original.co_freevars)}):\n" + textwrap.indent(
        source.replace(old, new), "  "
    )
    module = compile("from __future__ import annotations\n" + enclosing, original.co_filename, "exec")
    code = next(each for each in _nested_code(module) if each.co_name == original.co_name)
    if code.co_freevars != original.co_freevars:
        raise ValueError(f"the edit of {function.__qualname__} changes what it closes over: {code.co_freevars}")
    return code


def _nested_code(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _nested_code(constant)
