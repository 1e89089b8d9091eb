"""Finds applications: entry points in the group ``remit.apps``, or ``package.module:attribute``."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from remit.app import App
from remit.cli.status import NoSuchError, did_you_mean
from remit.cli.worker_reference import WorkerReference, require_workers_extra
from remit.dispatch.registry import AnyCallee
from remit.errors import RemitError, SetupError
from remit.lazy_exports import import_attribute

ENTRY_POINT_GROUP: Final = "remit.apps"
AppLoader = Callable[[], object]


def installed_apps() -> dict[str, AppLoader]:
    """Loaders of the applications of installed packages, by name. Calling a loader imports its application."""
    found: dict[str, AppLoader] = {}
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name in found:
            raise SetupError(f"two installed packages provide the application {point.name!r}; uninstall one of them")
        found[point.name] = point.load
    return found


def find_app(name: str, loaders: Mapping[str, AppLoader]) -> App:
    """Load the application ``name``: one of ``loaders``, or the object at ``package.module:attribute``.

    The object is an `App`, or a function without parameters that returns one. The current folder is searched too.
    ``APP+FILE`` adds the worker of a file to an application; ``FILE`` or a folder of worker files alone is an
    application too.

    Raises:
        NoSuchError: there is no such application.
        SetupError: it cannot be loaded, or is not an `App`.
    """
    search_current_folder()
    reference = WorkerReference.of(name)
    if name not in loaders and Path(name).is_dir():
        with require_workers_extra():
            from remit.cli.worker_app import load_folder
        return load_folder(Path(name))
    if reference is not None:
        with require_workers_extra():
            from remit.cli.worker_app import add_worker
        app = find_app(reference.app, loaders) if reference.app else None
        return add_worker(app, collect_tools(app) if app else [], reference)
    if ":" in name:
        return _load_app(name, lambda: load_attribute(name))
    if "/" in name and name not in loaders:
        raise NoSuchError(f"there is no folder {name}")
    if name not in loaders:
        available = ", ".join(sorted(loaders)) or "none"
        message = f"no application {name!r} is installed (available: {available}){did_you_mean(name, loaders)}"
        raise NoSuchError(f"{message}; name one in a module as package.module:attribute")
    app = _load_app(name, loaders[name])
    if app.name != name:
        raise SetupError(
            f"the entry point {name!r} in {ENTRY_POINT_GROUP} gives the application {app.name!r}; "
            "give both the same name"
        )
    return app


def collect_tools(app: App) -> list[AnyCallee]:
    """All tools of an application: its own and those of its agents, each once."""
    found = {tool.name: tool for agent in app.agents for tool in agent.tools}
    return list({**found, **{tool.name: tool for tool in app.tools}}.values())


def _load_app(name: str, load: AppLoader) -> App:
    try:
        found = load()
        if not isinstance(found, App) and callable(found):
            found = found()
    except RemitError:
        raise
    except Exception as error:
        raise SetupError(f"the application {name!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if inspect.iscoroutine(found):
        found.close()
        raise SetupError(f"the application {name!r} comes from an async function; use a plain function")
    if not isinstance(found, App):
        raise SetupError(
            f"{name!r} is not an application but {type(found).__name__}; "
            "it must be a remit.App, or a function returning one"
        )
    return found


def load_attribute(path: str) -> object:
    """Import and return the object at ``package.module:attribute``. The current folder is searched too."""
    search_current_folder()
    return import_attribute(path)


def search_current_folder() -> None:
    """Make the modules of the current folder importable, as ``python -m`` does."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
