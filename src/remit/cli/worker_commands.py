"""``remit worker``: commands about worker files."""

from __future__ import annotations

from remit.cli.group import make_group
from remit.cli.worker_check import check
from remit.cli.worker_import import import_agents
from remit.cli.worker_new import new
from remit.cli.worker_run import run

commands = make_group("Run, check, create and import worker files.")
for command in (run, check, new):
    commands.command()(command)
commands.command("import")(import_agents)
