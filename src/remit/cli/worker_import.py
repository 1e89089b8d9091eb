"""``remit worker import``: make worker files of the agent files of other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from remit.cli.apps import collect_tools, find_app, installed_apps, search_current_folder
from remit.cli.status import ExitStatus
from remit.cli.text import escape_controls
from remit.cli.worker_file import check_worker_name, write_worker_file
from remit.cli.worker_reference import require_workers_extra


def import_agents(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Agent files of other programs: .md or .toml.")],
    *,
    app: Annotated[
        str, typer.Option(metavar="APP", help="The application whose tools they keep, or package.module:attribute.")
    ] = "",
) -> int:
    """Make worker files of the agent files of other programs.

    They are those of Claude Code, OpenCode, GitHub Copilot, Gemini CLI and Codex.

    Writes NAME.worker in this folder for each, and prints its path. Description, model, tools, limit of turns, settings
    and instructions are carried over; of the tools, those that the application has. On stderr, a line names each thing
    that is left out. An existing file is not changed.

    Exit status: 0 done, 1 a worker file has findings, 2 usage.
    """
    with require_workers_extra():
        from remit.workers.foreign_agent import make_worker, read_foreign_agent
        from remit.workers.reader import inspect_file
    search_current_folder()
    tools = {each.name for each in collect_tools(find_app(app, installed_apps()))} if app else set[str]()
    status = ExitStatus.DONE
    for file in files:
        made = make_worker(read_foreign_agent(Path(file)), tools)
        check_worker_name(made.name, "; give the agent another name")
        path = write_worker_file(made.name, made.text, "remove it, or import in another folder")
        print(path)
        for line in made.left_out:
            print(f"{path}: left out: {escape_controls(line)}", file=sys.stderr)
        for finding in inspect_file(path).findings:
            print(f"{finding.where}: {finding.code}: {finding.what}\n    {finding.fix}", file=sys.stderr)
            status = ExitStatus.FAILED
    return status
