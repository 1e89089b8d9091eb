"""``remit --version``."""

from __future__ import annotations


def print_version() -> None:
    """Print the version of the installed package."""
    from importlib.metadata import version

    print(f"remit {version('remit')}")
