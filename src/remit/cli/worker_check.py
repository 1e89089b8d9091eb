"""``remit worker check``: validate worker files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from remit.app import App
from remit.cli.apps import collect_tools, find_app, installed_apps, search_current_folder
from remit.cli.status import ExitStatus, NoSuchError
from remit.cli.text import json_text, one_line
from remit.cli.worker_reference import require_workers_extra
from remit.schemas.finding import Finding, display_path


def check(
    paths: Annotated[list[str], typer.Argument(metavar="FILE|FOLDER", help="Worker files, or folders of them.")],
    *,
    app: Annotated[
        str, typer.Option(metavar="APP", help="The application whose tools they name, or package.module:attribute.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")] = False,
) -> int:
    """Validate worker files.

    Checks keys, prompts, and the names of models, tools and workers.
    Each finding gives its location and its fix. A note names a tool that a worker lists but cannot call below another,
    because the other worker's `delegates` lacks it. Without --app, tool names are not checked. Models of workers
    further down are checked too. No model is called, and no key or weights are required.

    Exit status: 0 no findings, 1 findings, 2 usage.
    """
    with require_workers_extra():
        from remit.cli.worker_app import check_files, summarize_worker
    search_current_folder()
    files = [file for path in paths for file in _worker_files(Path(path))]
    found: App | None = find_app(app, installed_apps()) if app else None
    definitions, findings, notes = check_files(files, None if found is None else collect_tools(found), app)
    rows = [summarize_worker(each) for each in definitions]
    if as_json:
        summaries = [{"code": each.code, "where": each.where, "what": each.what, "mend": each.fix} for each in findings]
        head = {"holds": not findings, "files": len(files), "workers": rows}
        print(json_text({**head, "findings": summaries, "notes": notes}))
    else:
        _draw(rows, findings)
        for index, note in enumerate(notes):
            print(note if index else f"\n{note}")
    return ExitStatus.FAILED if findings else ExitStatus.DONE


def _worker_files(path: Path) -> list[Path]:
    """The file, or the worker files of a folder."""
    found = sorted(path.glob("*.worker")) if path.is_dir() else [path]
    if not found or not path.exists():
        raise NoSuchError(f"there is no worker file at {display_path(path)}; create one with: remit worker new NAME")
    return found


def _draw(rows: Sequence[Mapping[str, str | list[str] | None]], findings: Sequence[Finding]) -> None:
    from remit.cli.tables import make_table, print_table

    if rows:
        listing = make_table(*rows[0])
        for row in rows:
            cells = (", ".join(cell) if isinstance(cell, list) else cell for cell in row.values())
            listing.add_row(*(one_line(cell or "") for cell in cells))
        print_table(listing)
    for index, finding in enumerate(findings):
        separator = "\n" if rows or index else ""
        print(f"{separator}{finding.where}: {finding.code}: {finding.what}\n    {finding.fix}")
