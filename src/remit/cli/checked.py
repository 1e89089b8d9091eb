"""Records which applications were fully checked in their current form, so that a call of one tool builds one contract.

The data folder keeps, for each application, the loaded files with those of its inventory and agents, the digest of
their sizes and times, and the digest of its governance. An application with other files or another governance is
checked in full again.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import MsgspecError, Struct, json

from remit.agent.agent import Agent
from remit.call.typed_schema import EARLIER_CHECK, EarlierCheck, contracts_are_checked
from remit.cli.apps import find_app, installed_apps, search_current_folder
from remit.home import data_folder

if TYPE_CHECKING:
    from remit.app import App
    from remit.cli.client import LocalClient
    from remit.dispatch.registry import AnyCallee
    from remit.inventory.operations import Operations


class _Checked(Struct, frozen=True):
    """The checked state: the loaded files, their digest, and the digest of the governance."""

    files: list[str]
    sources: str
    governance: str


def load_checked(client: LocalClient, name: str) -> App:
    """Load an application. If its current form was checked, each of its contracts is read on first use.

    Raises:
        NoSuchError: there is no such application. SetupError: it cannot be loaded.
    """
    search_current_folder()
    checked = _read(_path(client, name))
    if checked is not None and checked.sources and checked.sources == _digest_files(checked.files):
        client.exit_stack.callback(EARLIER_CHECK.reset, EARLIER_CHECK.set(EarlierCheck(checked.governance)))
    return find_app(name, installed_apps())


def remember_checked(client: LocalClient, name: str, app: App) -> None:
    """Record, if it is not on record, that an application was checked as by the start of its runtime."""
    if app.operations is None or contracts_are_checked():
        return
    from remit.cli.check import offered_callees
    from remit.inventory.lock import digest_governance

    offered = offered_callees(app)
    files = sorted(each for each in _find_files(app.operations, offered) if os.path.isfile(each))  # noqa: PTH113
    governance = digest_governance(app.operations, offered)
    path = _path(client, name)
    draft = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):  # an unrecorded check is repeated
        path.parent.mkdir(mode=0o700, exist_ok=True)
        draft.write_bytes(json.encode(_Checked(files, _digest_files(files), governance)))
        draft.replace(path)


def _find_files(operations: Operations, offered: Iterable[AnyCallee]) -> Iterator[str]:
    """The files of all modules, of the inventory, and of the agents that are defined in files."""
    loaded = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    yield from filter(None, loaded)
    yield from map(str, operations.inventory.folder.iterdir())
    for each in offered:
        if isinstance(each, Agent) and each.source is not None:
            yield each.source.where.rpartition(":")[0]


def _path(client: LocalClient, name: str) -> Path:
    """The file with the record of an application, as named from the current folder."""
    return data_folder(client.environ) / "checked" / f"{sha256(f'{name}|{Path.cwd()}'.encode()).hexdigest()[:32]}.json"


def _read(path: Path) -> _Checked | None:
    """The stored value; None if it is missing or unreadable."""
    try:
        return json.decode(path.read_bytes(), type=_Checked)
    except (OSError, MsgspecError):
        return None


def _digest_files(files: Iterable[str]) -> str:
    """The digest of files by name, size and time, for this Python and its path; empty if one is gone."""
    states = [sys.version, str(sys.path)]
    try:
        for each in files:
            status = os.stat(each)  # noqa: PTH116 - for a thousand files; a Path would cost more
            states.append(f"{each}|{status.st_size}|{status.st_mtime_ns}")
    except OSError:
        return ""
    return sha256("\n".join(states).encode(errors="surrogatepass")).hexdigest()
