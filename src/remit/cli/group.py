"""A group of commands: says what there is when none is named."""

from __future__ import annotations

import typer


def group(what: str) -> typer.Typer:
    """Commands under one word; ``what`` they are about."""
    made = typer.Typer(help=what, rich_markup_mode=None)

    @made.callback(invoke_without_command=True)
    def alone(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            print(context.get_help())

    return made
