"""Imports that do not block the event loop."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module


async def import_in_background(module: str) -> None:
    """Import a module in a thread, so that later import statements return at once.

    A vendor's library can take seconds to import. Importing a module again costs nothing.

    Raises:
        ModuleNotFoundError: the module or one of its imports is not installed.
    """
    if module not in sys.modules:
        await asyncio.to_thread(import_module, module)
