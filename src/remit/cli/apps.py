"""Finds an application: an entry point in the group ``remit.apps``, or ``package.module:attribute``."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from functools import reduce
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from remit.app import App
from remit.cli.status import NoSuchError, near
from remit.cli.worker_at import WorkerAt, needing_extra
from remit.dispatch.registry import AnyCallee
from remit.errors import RemitError, SetupError

GROUP: Final = "remit.apps"
Load = Callable[[], object]


def installed() -> dict[str, Load]:
    """The applications of installed packages, by name; loading one imports it."""
    found: dict[str, Load] = {}
    for point in entry_points(group=GROUP):
        if point.name in found:
            raise SetupError(f"two installed packages provide the application {point.name!r}; uninstall one of them")
        found[point.name] = point.load
    return found


def find_app(name: str, known: Mapping[str, Load]) -> App:
    """The application ``name`` of those ``known``, or at ``package.module:attribute`` (this folder is searched too).

    What stands there is an `App`, or takes no argument and gives one. With the worker of a file it is named
    ``APP+FILE``; a worker that needs no tools is an application by itself, ``FILE``.

    Raises:
        NoSuchError: there is no such application.
        SetupError: it cannot be loaded, or is none.
    """
    at = WorkerAt.of(name)
    if at is not None:
        with needing_extra():
            from remit.cli.worker_team import with_worker
        app = find_app(at.app, known) if at.app else None
        return with_worker(app, tools_of(app) if app else [], at)
    if ":" in name:
        return _app(name, lambda: attribute_at(name))
    if name not in known:
        there = ", ".join(sorted(known)) or "none"
        said = f"no application {name!r} is installed (there are: {there}){near(name, known)}"
        raise NoSuchError(f"{said}; one in a file is named package.module:attribute")
    app = _app(name, known[name])
    if app.name != name:
        raise SetupError(f"the entry point {name!r} in {GROUP} gives the application {app.name!r}; name them alike")
    return app


def tools_of(app: App) -> list[AnyCallee]:
    """Every tool of an application: its own, and those of its agents, each once."""
    found = {tool.name: tool for agent in app.agents for tool in agent.tools}
    return list({**found, **{tool.name: tool for tool in app.tools}}.values())


def _app(name: str, load: Load) -> App:
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
        raise SetupError(f"the application {name!r} is made by an async function; make it by a plain one")
    if not isinstance(found, App):
        raise SetupError(
            f"{name!r} is no application but {type(found).__name__}; it should be a remit.App, or make one"
        )
    return found


def attribute_at(name: str) -> object:
    """What stands at ``package.module:attribute``; this folder is searched too."""
    module, _, attribute = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    return reduce(getattr, attribute.split("."), importlib.import_module(module))
