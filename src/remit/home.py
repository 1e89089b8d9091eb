"""The home folder: the journal and, beside it, the database of each application.

Needs the extra ``cli``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from remit.lazy_exports import require_extra

with require_extra(__name__, "cli"):
    from platformdirs import user_data_path

from remit.core.checks import check_instance

__all__ = ["data_folder"]


def data_folder(environ: Mapping[str, str]) -> Path:
    """The folder in ``$REMIT_HOME``, or else the user's data folder for Remit. It is not created.

    Applications keep their own data there too, so that a copy of the folder is a complete backup.
    """
    check_instance("data_folder: environ", environ, Mapping, "give the environment variables, such as os.environ")
    configured = environ.get("REMIT_HOME")
    return Path(configured).expanduser().absolute() if configured else user_data_path("remit")
