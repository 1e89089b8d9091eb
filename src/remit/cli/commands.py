"""The root command. The module of a subcommand is imported when the subcommand runs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from remit.cli.status import run_and_report
from remit.cli.version import print_version

COMMANDS: Final = {
    "run": ("remit.cli.run:run", "Talk to an application's agent, or ask it once."),
    "call": ("remit.cli.call:call", "Call one tool, and print its result as JSON."),
    "tools": ("remit.cli.tools:tools", "List an application's tools with effect and risk."),
    "stubs": ("remit.cli.stubs:stubs", "Write a .pyi file that types ctx.tools."),
    "runs": ("remit.cli.runs:runs", "List runs, newest first."),
    "show": ("remit.cli.show:show", "Show what happened in a run, and when."),
    "artifact": ("remit.cli.artifact:artifact", "Save an artifact of your runs to a file."),
    "export": ("remit.cli.conversation:export_run", "Export a run to a file; - writes to stdout."),
    "conversation": ("remit.cli.conversation:commands", "List, rename, share, export and delete conversations."),
    "replay": ("remit.cli.replay:replay", "Compare a run with what today's code would do."),
    "eval": ("remit.cli.eval:commands", "Run the tasks of an application's agent and grade them."),
    "resume": ("remit.cli.resume:resume", "Resume an interrupted or decided run."),
    "cancel": ("remit.cli.cancel:cancel", "Cancel a run, wherever it is executed."),
    "close": ("remit.cli.open_runs:close", "End an open run, and print how many calls it has made."),
    "executor": ("remit.cli.executor:executor", "Execute submitted, decided and interrupted runs."),
    "serve": ("remit.cli.serve:serve", "Serve an application over HTTP, and execute its runs."),
    "mcp": ("remit.cli.mcp:mcp", "Serve an application by MCP, over standard streams."),
    "wrap": ("remit.cli.wrap:wrap", "Put Remit between an MCP client and its server."),
    "check": ("remit.cli.check:check_app", "Compare an application's code, inventory and lock file."),
    "lock": ("remit.cli.lock:lock", "Write the lock file of an application's inventory."),
    "docs": ("remit.cli.docs:docs", "Print the reference of an application as Markdown."),
    "people": ("remit.cli.people:commands", "Add people, roles, tokens and identities, and make links."),
    "approvals": ("remit.cli.approvals:commands", "List and decide questions, and approve calls in advance."),
    "policy": ("remit.cli.policy:commands", "Test policies before they are used."),
    "sources": (
        "remit.cli.sources:commands",
        "List what servers of others offer, and accept it.",
    ),
    "audit": ("remit.cli.audit:commands", "Enter runs into the audit log, and detect later changes."),
    "model": ("remit.cli.model:commands", "List and download the weights of local models."),
    "worker": ("remit.cli.worker_commands:commands", "Run, check, create and import worker files."),
}
"""The location of each command, as ``module:attribute``, and its summary: the first paragraph of its help."""


class DeferredCommand(TyperCommand):
    """Placeholder for a command that is not imported yet; it has the name and summary that the help needs."""

    def __init__(self, name: str, location: str, summary: str) -> None:
        super().__init__(name=name, help=summary)
        self._location = location

    def load(self) -> Any:
        """Import the command, or the group of commands."""
        module, _, attribute = self._location.partition(":")
        loaded = getattr(import_module(module), attribute)
        if not isinstance(loaded, typer.Typer):
            callback, loaded = loaded, typer.Typer(add_completion=False, rich_markup_mode=None)
            loaded.command(self.name)(callback)
        return typer.main.get_command(loaded)


class RootCommands(TyperGroup):
    """The root command. Ends the process with the exit status of the subcommand."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, (location, summary) in COMMANDS.items():
            self.add_command(DeferredCommand(name, location, summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command named by the first of ``args`` and import it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, DeferredCommand) else command, rest

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, *_: Any, **__: Any) -> Any:
        """Run the command named by ``args``."""
        arguments = list(sys.argv[1:] if args is None else args)
        invoke = partial(super().main, arguments, prog_name=prog_name or "remit", standalone_mode=False)
        sys.exit(run_and_report(invoke, as_json="--json" in arguments))


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
        print_version()
    elif context.invoked_subcommand is None:
        print(context.get_help())
