"""Public modules whose names are imported when first used (PEP 562), so that importing the module costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import reduce
from importlib import import_module
from typing import Any


def lazy_exports(
    module: str, homes: Mapping[str, tuple[str, ...]], *, extras: Mapping[str, str] | None = None
) -> Callable[[str], Any]:
    """The ``__getattr__`` of ``module``: imports a name from its home and keeps it.

    The module lists the same imports under ``TYPE_CHECKING``; a test compares the two lists.

    Args:
        module: the ``__name__`` of the public module.
        homes: for each module that defines names, those names.
        extras: for each of these modules that needs an extra of the distribution, that extra.
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(home), name)
        except ModuleNotFoundError as error:
            if extras is None or home not in extras:
                raise
            raise ImportError(
                f"{module}.{name} needs {error.name}, which is not installed: pip install 'remit[{extras[home]}]'"
            ) from error
        setattr(sys.modules[module], name, value)
        return value

    return load


def import_attribute(reference: str) -> object:
    """Import the object at ``package.module:name``."""
    module, _, name = reference.partition(":")
    return reduce(getattr, name.split("."), import_module(module))
