"""Where data lives: the folder with the journal, and beside it the database of each application.

Needs the extra ``cli``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from platformdirs import user_data_path

__all__ = ["data_folder"]


def data_folder(environ: Mapping[str, str]) -> Path:
    """The folder that ``$REMIT_HOME`` names, or else the user's data folder for Remit. Nothing is made.

    An application that keeps data of its own keeps it there, so that whoever copies the folder has all of it.
    """
    configured = environ.get("REMIT_HOME")
    return Path(configured).expanduser().absolute() if configured else user_data_path("remit")
