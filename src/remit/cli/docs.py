"""``remit docs``: the reference of an application's methods and tools."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.apps import find_app, installed
from remit.cli.check import operations_of
from remit.inventory.markdown import manual


def docs(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
) -> None:
    """Print the reference of an application's methods and tools, as Markdown."""
    found = find_app(app, installed())
    print(manual(found.name, operations_of(found)), end="")
