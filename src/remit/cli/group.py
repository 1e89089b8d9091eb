"""A group of commands: says what there is when none is named."""

from __future__ import annotations

import typer


def make_group(help_text: str) -> typer.Typer:
    """Commands under one word; ``help_text`` they are about."""
    commands = typer.Typer(help=help_text, rich_markup_mode=None)

    @commands.callback(invoke_without_command=True)
    def alone(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            print(context.get_help())

    return commands
