"""Deferred and optional imports for public modules (PEP 562), so that importing a module costs nothing.

If an import needs an extra that is not installed, the error names the extra.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import reduce
from importlib import import_module
from typing import Any


class MissingExtraError(ModuleNotFoundError):
    """A public module or name needs an extra of the distribution that is not installed; the message names it."""


def lazy_exports(
    module: str, *, extras: Mapping[str, str] | None = None, absent: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """The ``__getattr__`` of ``module``: imports a name from its home when it is first used, and keeps it.

    The module exports the names that it imports below its ``if TYPE_CHECKING``, one per line, so that type checkers and
    programs share one list. ``__all__`` is built from that list. The source of the module must be available.

    Args:
        module: the ``__name__`` of the public module.
        extras: for each module that needs an extra of the distribution, that extra.
        absent: for names that users may look for but that do not exist, what to use instead.
    """
    homes: dict[str, str] = {}

    def load(name: str) -> Any:
        if name.startswith("__") and name != "__all__":  # Python itself looks up such names in modules
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        homes.update(homes or _read_exports(module))
        value = sorted(homes, key=_rank) if name == "__all__" else load_from_home(name)
        setattr(sys.modules[module], name, value)
        return value

    def load_from_home(name: str) -> Any:
        home = homes.get(name)
        if home is None:
            remedy = f"; {absent[name]}" if absent is not None and name in absent else ""
            raise AttributeError(f"module {module!r} has no attribute {name!r}{remedy}")
        with require_extra(f"{module}.{name}", (extras or {}).get(home, "")):
            return getattr(import_module(home), name)

    return load


def _read_exports(module: str) -> Iterator[tuple[str, str]]:
    """Each name that a module exports, with its home.

    Raises:
        ImportError: the module was installed without its source.
    """
    get_source = getattr(getattr(sys.modules[module].__spec__, "loader", None), "get_source", None)
    source = get_source(module) if get_source is not None else None
    if source is None:
        raise ImportError(f"the source of {module} lists its names and is not installed: install Remit's .py files too")
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for imported in node.body:
                if isinstance(imported, ast.ImportFrom):
                    yield from ((alias.name, str(imported.module)) for alias in imported.names)


def _rank(name: str) -> tuple[int, str]:
    """Constants before classes before functions."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@contextmanager
def require_extra(what: str, extra: str) -> Generator[None]:
    """Surround imports that ``what`` needs and that ``extra`` of the distribution installs. Empty: no extra does.

    Raises:
        MissingExtraError: the extra is not installed; the message names it.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if not extra:
            raise
        message = f"{what} needs {error.name}, which is not installed; {install_hint(extra)}"
        raise MissingExtraError(message, name=error.name) from error


def install_hint(extra: str = "", *, folder: str = ".") -> str:
    """How to install an extra of Remit, or another distribution of its checkout: Remit is on no package index."""
    target = f"'{folder}[{extra}]'" if extra else folder
    return f"in a checkout of Remit, run: pip install {target}"


def import_attribute(reference: str) -> object:
    """Import the object at ``package.module:name``."""
    module, _, name = reference.partition(":")
    return reduce(getattr, name.split("."), import_module(module))
