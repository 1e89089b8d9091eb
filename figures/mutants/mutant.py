"""A mutant: an edit of one function's source, in place while it is planted, and whether a figure notices it."""

from __future__ import annotations

import builtins
import contextlib
import dis
import inspect
import pkgutil
import textwrap
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Final, cast

from figures.figure import Figure

Plant = Callable[[], AbstractContextManager[object]]
"""Puts the defect into the product for as long as the context is entered."""

Edit = tuple[str, str, str]
"""A function, the text to be replaced in its source, and the text that replaces it."""

_PLANTED: Final[list[Edit]] = []


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

    def find_survival(self, measure_part: Callable[[], Iterable[Figure]]) -> str:
        """Measure the figure while the defect is planted: why the defect survived, or nothing if the figure noticed it.

        Only a figure that misses its target over some cases noticed the defect. One that failed with an exception, or
        had no cases, says nothing about the promise.
        """
        with self.plant():
            try:
                found = (self.measure or measure_part)()
                figure = next((each for each in found if each.name == self.figure), None)
            except Exception as error:  # noqa: BLE001 - reported with the defect
                return f"the figure failed with {type(error).__name__}: {error}"
        if figure is None or figure.n == 0:
            return "the figure was not measured"
        return "the figure did not notice it" if figure.holds else ""


def mutants_of(
    figure: str, defects: Mapping[str, Plant], measure: Callable[[], Iterable[Figure]] | None = None
) -> tuple[Mutant, ...]:
    """The mutants of one figure, from defects in words and how each is planted."""
    return tuple(
        Mutant(figure=figure, defect=defect, plant=plant, measure=measure) for defect, plant in defects.items()
    )


@dataclass(slots=True)
class KillRate:
    """How many mutants of one figure were planted, and the defects that it did not notice, each with the reason."""

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
        ValueError: the function's source does not contain ``old`` exactly once, or the edit changes its closure or
            uses a name that its module does not have: such a mutant would be killed by its own mistake.
    """

    @contextlib.contextmanager
    def plant() -> Generator[None]:
        target = cast("FunctionType", inspect.unwrap(pkgutil.resolve_name(function)))
        original = target.__code__
        target.__code__ = _compile_edited(target, old, new)
        _PLANTED.append((function, old, new))
        try:
            yield
        finally:
            target.__code__ = original
            _PLANTED.pop()

    return plant


def planted_edits() -> tuple[Edit, ...]:
    """The edits in place, for a process that is not a fork of this one: it plants them again with `edited`."""
    return tuple(_PLANTED)


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
    names = {each.argval for each in dis.get_instructions(code) if each.opname == "LOAD_GLOBAL"}
    if unknown := names - function.__globals__.keys() - vars(builtins).keys():
        raise ValueError(f"the edit of {function.__qualname__} uses what its module does not have: {unknown}")
    return code


def _nested_code(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _nested_code(constant)
