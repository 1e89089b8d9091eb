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
from remit.models.local import LocalModel, find_local_models
from remit.models.resolve import ResolvedModel

commands = make_group("List and download the weights of local models.")


@commands.command("list")
def list_(*, as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False) -> None:
    """List the local models and whether they are downloaded."""
    models = find_local_models().downloadable()
    if as_json:
        print(json_text({"models": [_summary(model, model.path if model.is_downloaded else None) for model in models]}))
        return
    from remit.cli.tables import make_table, print_table

    listing = make_table("model", "size", "here", "what it is")
    for model in models:
        place = str(model.path) if model.is_downloaded else "no"
        listing.add_row(model.name, _format_size(model.size), place, model.description)
    print_table(listing)


@commands.command("fetch")
def fetch_(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A name that `remit model list` prints.")],
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> None:
    """Fetch the weights of a local model.

    An interrupted download is continued.
    """
    models = {model.name: model for model in find_local_models().downloadable()}
    if name not in models:
        raise NoSuchError(f"there is no local model {name!r}; available: {', '.join(models)}")
    path = fetch_with_progress(models[name])
    print(json_text(_summary(models[name], path)) if as_json else path)


def missing_weights(model: ResolvedModel) -> LocalModel | None:
    """The weights that must be fetched before the model can be used.

    Raises:
        NoModelError: the model is a local one, and local models are not installed.
    """
    weights = model.find_weights()
    return None if weights is None or weights.is_downloaded else weights


def fetch_weights(weights: LocalModel, *, yes: bool, may_ask: bool) -> None:
    """Fetch the weights that a command needs, after showing name, size and destination and asking for confirmation.

    Raises:
        UsageError: the user declined, or cannot be asked.
        RemitError: they could not be downloaded.
    """
    description = (
        f"the model '{weights.name}' ({weights.description}), {_format_size(weights.size)}, into {weights.path.parent}"
    )
    if not yes and not may_ask:
        raise UsageError(f"this needs {description}; download it with --yes, or with: remit model fetch {weights.name}")
    if not yes:
        print(f"This needs {description}. No key or account is needed. It is downloaded once.", file=sys.stderr)
        if not typer.confirm("Download it now?", err=True):
            raise UsageError(f"the model needs its weights; set REMIT_MODEL to another, or download '{weights.name}'")
    fetch_with_progress(weights)


def fetch_with_progress(weights: LocalModel) -> Path:
    """Fetch weights and show the progress on stderr."""
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    from remit.cli.tables import make_console

    output = make_console(stderr=True)
    columns = (TextColumn("fetching {task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    try:
        if not output.is_terminal:
            return find_local_models().download(weights.name, _ProgressPrinter(weights))
        with Bars(*columns, console=output) as bars:
            task = bars.add_task(weights.name, total=weights.size)
            return find_local_models().download(weights.name, lambda done: bars.update(task, completed=done))
    except KeyboardInterrupt:
        message = f"stopped; the part already downloaded is kept; continue with: remit model fetch {weights.name}"
        raise CallCancelledError(message) from None


class _ProgressPrinter:
    """Progress for a file or a pipe: a line for each tenth."""

    def __init__(self, weights: LocalModel) -> None:
        self._weights = weights
        self._last_tenth = -1

    def __call__(self, done: int) -> None:
        tenth = done * 10 // self._weights.size
        if tenth != self._last_tenth:
            self._last_tenth = tenth
            print(f"fetching {self._weights.name}: {tenth * 10} %", file=sys.stderr, flush=True)


def _summary(weights: LocalModel, path: Path | None) -> dict[str, object]:
    return {
        "name": weights.name,
        "description": weights.description,
        "bytes": weights.size,
        "path": str(path) if path else None,
    }


def _format_size(count: int) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
