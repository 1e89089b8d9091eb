"""``remit docs``: print the reference of an application's methods and tools."""

from __future__ import annotations

from remit.cli.apps import find_app, installed_apps
from remit.cli.check import require_operations
from remit.cli.options import AppArgument
from remit.inventory.markdown import reference_page


def docs(app: AppArgument) -> None:
    """Print the reference of an application as Markdown.

    The application needs an inventory, as App(operations=…) has it; remit tools APP lists the tools of any other.
    """
    found = find_app(app, installed_apps())
    print(reference_page(found.name, require_operations(found)), end="")
