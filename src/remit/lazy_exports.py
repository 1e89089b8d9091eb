"""Deferred and optional imports for public modules (PEP 562), so that importing a module costs nothing.

If an import needs an extra that is not installed, the error names the extra.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from functools import reduce
from importlib import import_module
from typing import Any


class MissingExtraError(ModuleNotFoundError):
    """A public module or name needs an extra of the distribution that is not installed; the message names it."""


def lazy_exports(
    module: str,
    homes: Mapping[str, tuple[str, ...]],
    *,
    extras: Mapping[str, str] | None = None,
    absent: Mapping[str, str] | None = None,
) -> Callable[[str], Any]:
    """The ``__getattr__`` of ``module``: imports a name from its home and keeps it.

    The module lists the same imports under ``TYPE_CHECKING``; a test compares the two lists.

    Args:
        module: the ``__name__`` of the public module.
        homes: for each module that defines names, those names.
        extras: for each of these modules that needs an extra of the distribution, that extra.
        absent: for names that users may look for but that do not exist, what to use instead.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            remedy = f"; {absent[name]}" if absent is not None and name in absent else ""
            raise AttributeError(f"module {module!r} has no attribute {name!r}{remedy}")
        with require_extra(f"{module}.{name}", (extras or {}).get(home, "")):
            value = getattr(import_module(home), name)
        setattr(sys.modules[module], name, value)
        return value

    return load


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
