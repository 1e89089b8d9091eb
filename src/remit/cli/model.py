"""``remit model``: the weights of the local models."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from remit.cli.group import make_group
from remit.cli.status import NoSuchError, UsageError
from remit.cli.text import json_text
from remit.errors import CallCancelledError
from remit.models.resolve import ResolvedModel
from remit.models.weights import KNOWN_WEIGHTS, Progress, Weights, cache_dir, download_weights, find_cached

commands = make_group("The weights of the local models.")


@commands.command("list")
def list_(*, as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False) -> None:
    """List the local models, and which of them are here."""
    found = [(weights, find_cached(weights)) for weights in KNOWN_WEIGHTS.values()]
    if as_json:
        print(json_text({"models": [_summary(weights, path) for weights, path in found]}))
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table("model", "size", "here", "what it is")
    for weights, path in found:
        listing.add_row(weights.name, _format_size(weights.size), str(path) if path else "no", weights.description)
    print_table(listing)


@commands.command("fetch")
def fetch_(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of: {', '.join(KNOWN_WEIGHTS)}.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Fetch the weights of a local model.

    What an interrupted fetch left is used.
    """
    if name not in KNOWN_WEIGHTS:
        raise NoSuchError(f"there is no local model {name!r}; there are: {', '.join(KNOWN_WEIGHTS)}")
    path = fetch_with_progress(KNOWN_WEIGHTS[name])
    print(json_text(_summary(KNOWN_WEIGHTS[name], path)) if as_json else path)


def missing_weights(model: ResolvedModel) -> Weights | None:
    """The weights that must be fetched before the model can be used."""
    weights = KNOWN_WEIGHTS.get(model.model) if model.kind == "local" else None
    return weights if weights is not None and find_cached(weights) is None else None


def fetch_weights(weights: Weights, *, yes: bool, may_ask: bool) -> None:
    """Fetch weights that a command needs, after saying what, how much and where to, and asking.

    Raises:
        UsageError: the user declined, or cannot be asked.
        WeightsError: they could not be had.
    """
    description = (
        f"the model '{weights.name}' ({weights.description}), {_format_size(weights.size)}, into {cache_dir()}"
    )
    if not yes and not may_ask:
        raise UsageError(f"this needs {description}; download it with --yes, or with: remit model fetch {weights.name}")
    if not yes:
        print(f"This needs {description}. No key or account is needed. It is downloaded once.", file=sys.stderr)
        if not typer.confirm("Download it now?", err=True):
            raise UsageError(f"there is no model without it; set REMIT_MODEL to another, or download '{weights.name}'")
    fetch_with_progress(weights)


def fetch_with_progress(weights: Weights) -> Path:
    """Fetch weights and show how far it has come, on stderr."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from remit.cli.tables import make_console

    output = make_console(stderr=True)
    columns = (TextColumn("fetching {task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    try:
        if not output.is_terminal:
            return download_weights(weights, cache_dir(), _ProgressPrinter(weights.name))
        with Bars(*columns, console=output) as bars:
            task = bars.add_task(weights.name, total=weights.size)
            return download_weights(weights, cache_dir(), lambda at: bars.update(task, completed=at.done))
    except KeyboardInterrupt:
        message = f"stopped; the part already downloaded is kept; continue with: remit model fetch {weights.name}"
        raise CallCancelledError(message) from None


class _ProgressPrinter:
    """Progress for a file or a pipe: a line for each tenth."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._last_tenth = -1

    def __call__(self, progress: Progress) -> None:
        tenth = progress.done * 10 // progress.total
        if tenth != self._last_tenth:
            self._last_tenth = tenth
            print(f"fetching {self._name}: {tenth * 10} %", file=sys.stderr, flush=True)


def _summary(weights: Weights, path: Path | None) -> dict[str, object]:
    return {
        "name": weights.name,
        "description": weights.description,
        "bytes": weights.size,
        "path": str(path) if path else None,
    }


def _format_size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
