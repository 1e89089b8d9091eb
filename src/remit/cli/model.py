"""``remit model``: the weights of the local models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from remit.cli.group import group
from remit.cli.legible import json_text
from remit.cli.status import NoSuchError, UsageError
from remit.errors import CallCancelledError
from remit.models.weights import KNOWN, Progress, Weights, cache_dir, fetch, path_of

commands = group("The weights of the local models.")


@commands.command("list")
def list_(*, as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False) -> None:
    """List the local models, and which of them are here."""
    found = [(weights, path_of(weights)) for weights in KNOWN.values()]
    if as_json:
        print(json_text({"models": [_summary(weights, path) for weights, path in found]}))
        return
    from remit.cli.terminal import draw, table

    shown = table("model", "size", "here", "what it is")
    for weights, path in found:
        shown.add_row(weights.name, _size(weights.size), str(path) if path else "no", weights.description)
    draw(shown)


@commands.command("fetch")
def fetch_(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of: {', '.join(KNOWN)}.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Fetch the weights of a local model.

    What an interrupted fetch left is used.
    """
    if name not in KNOWN:
        raise NoSuchError(f"there is no local model {name!r}; there are: {', '.join(KNOWN)}")
    path = fetch_shown(KNOWN[name])
    print(json_text(_summary(KNOWN[name], path)) if as_json else path)


def fetch_weights(weights: Weights, *, yes: bool, may_ask: bool) -> None:
    """Fetch weights that a command needs, after saying what, how much and where to, and asking.

    Raises:
        UsageError: nobody said yes, or nobody is there to ask.
        WeightsError: they could not be had.
    """
    what = f"the model '{weights.name}' ({weights.description}), {_size(weights.size)}, into {cache_dir()}"
    if not yes and not may_ask:
        raise UsageError(f"this needs {what}; fetch it with --yes, or with: remit model fetch {weights.name}")
    if not yes:
        print(f"This needs {what}. No key or account is needed. It is fetched once.", file=sys.stderr)
        if not typer.confirm("Fetch it now?", err=True):
            raise UsageError(f"without it there is no model; set REMIT_MODEL to another, or fetch '{weights.name}'")
    fetch_shown(weights)


def fetch_shown(weights: Weights) -> Path:
    """Fetch weights and show how far it has come, on stderr."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from remit.cli.terminal import console

    shown = console(stderr=True)
    columns = (TextColumn("fetching {task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    try:
        if not shown.is_terminal:
            return fetch(weights, cache_dir(), _Tenths(weights.name))
        with Bars(*columns, console=shown) as bars:
            task = bars.add_task(weights.name, total=weights.size)
            return fetch(weights, cache_dir(), lambda at: bars.update(task, completed=at.done))
    except KeyboardInterrupt:
        said = f"stopped; what has come is kept, and this goes on from there: remit model fetch {weights.name}"
        raise CallCancelledError(said) from None


class _Tenths:
    """Progress for a file or a pipe: a line for each tenth."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._said = -1

    def __call__(self, at: Progress) -> None:
        tenth = at.done * 10 // at.total
        if tenth != self._said:
            self._said = tenth
            print(f"fetching {self._name}: {tenth * 10} %", file=sys.stderr, flush=True)


def _summary(weights: Weights, path: Path | None) -> dict[str, object]:
    return {
        "name": weights.name,
        "description": weights.description,
        "bytes": weights.size,
        "path": str(path) if path else None,
    }


def _size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
