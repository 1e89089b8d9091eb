"""A command group that prints its help when no subcommand is given."""

from __future__ import annotations

import typer


def make_group(help_text: str) -> typer.Typer:
    """Create a command group; ``help_text`` describes its commands."""
    commands = typer.Typer(help=help_text, add_completion=False, rich_markup_mode=None)

    @commands.callback(invoke_without_command=True)
    def alone(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            print(context.get_help())

    return commands
