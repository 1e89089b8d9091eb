"""``remit docs``: the reference of an application's methods and tools."""

from __future__ import annotations

from typing import Annotated

import typer

from remit.cli.apps import find_app, installed_apps
from remit.cli.check import require_operations
from remit.inventory.markdown import reference_page


def docs(
    app: Annotated[str, typer.Argument(metavar="APP", help="An installed application, or package.module:attribute.")],
) -> None:
    """Print the reference of an application's methods and tools, as Markdown."""
    found = find_app(app, installed_apps())
    print(reference_page(found.name, require_operations(found)), end="")
