"""``remit worker`` and its commands: a process that drives runs; and worker files: run, check, begin one."""

from __future__ import annotations

import typer

from remit.cli.executor import executor
from remit.cli.worker_check import check
from remit.cli.worker_new import new
from remit.cli.worker_run import run

commands = typer.Typer(rich_markup_mode=None)
commands.callback(invoke_without_command=True)(executor)
for command in (run, check, new):
    commands.command()(command)
