"""All commands, and the one place that turns an error into a line and an exit status."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from remit.cli import approvals, audit, model
from remit.cli.call import call
from remit.cli.cancel import cancel
from remit.cli.check import check_app
from remit.cli.docs import docs
from remit.cli.executor import executor
from remit.cli.lock import lock
from remit.cli.replay import replay
from remit.cli.resume import resume
from remit.cli.run import run
from remit.cli.runs import runs
from remit.cli.show import show
from remit.cli.status import run_and_report
from remit.cli.stubs import stubs
from remit.cli.tools import tools
from remit.cli.worker_commands import commands as worker


class RootCommands(TyperGroup):
    """The root command. Ends the process with the exit status of the subcommand."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **__: Any) -> Any:
        """Run the command named by ``args``."""
        arguments = list(sys.argv[1:] if args is None else args)
        invoke = partial(super().main, arguments, prog_name=prog_name or "remit", standalone_mode=False)
        sys.exit(
            run_and_report(
                invoke, as_json="--json" in arguments, command=" ".join(["remit", *self._command_words(arguments)])
            )
        )

    def _command_words(self, arguments: Sequence[str]) -> list[str]:
        """The leading words of ``arguments`` that name a command and its group."""
        words: list[str] = []
        command: object = self
        for word in arguments:
            command = command.commands.get(word) if isinstance(command, TyperGroup) else None
            if command is None:
                break
            words.append(word)
        return words


remit = typer.Typer(
    cls=RootCommands,
    name="remit",
    help="The governed tool runtime for LLM agents.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@remit.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    *,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """The governed tool runtime for LLM agents."""
    if show_version:
        print(f"remit {version('remit')}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


for command in (run, call, tools, stubs, runs, show, replay, resume, cancel, executor):
    remit.command()(command)
remit.command("check")(check_app)
remit.command()(lock)
remit.command()(docs)
remit.add_typer(approvals.commands, name="approvals")
remit.add_typer(audit.commands, name="audit")
remit.add_typer(model.commands, name="model")
remit.add_typer(worker, name="worker")
