"""The permission of a server's own; those for runs and conversations are in `remit.engine`."""

from __future__ import annotations

from typing import Final

PEOPLE_PERMISSION: Final = "people:manage"
"""The permission for changing other people, and roles."""
