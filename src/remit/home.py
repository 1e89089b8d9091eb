"""The home folder: the journal and, beside it, the data of each application, unless they are in Postgres.

Needs the extra ``cli``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from remit.lazy_exports import require_extra

with require_extra(__name__, "cli"):
    from platformdirs import user_data_path

from remit.core.checks import check_instance, check_name
from remit.errors import SetupError
from remit.users import os_user, read_users

__all__ = ["data_folder", "data_location"]

_FILES: Final = "files"


def data_folder(environ: Mapping[str, str]) -> Path:
    """The folder in ``$REMIT_HOME``, or else the user's data folder for Remit. It is not created.

    Applications keep their own data there too, so a copy of the folder is a complete backup.
    """
    check_instance("data_folder: environ", environ, Mapping, "give the environment variables, such as os.environ")
    configured = environ.get("REMIT_HOME")
    return Path(configured).expanduser().absolute() if configured else user_data_path("remit")


def data_location(environ: Mapping[str, str], application: str) -> Path | str:
    """Where an application keeps its data: the URL of a database in Postgres, or its file in the home folder.

    ``REMIT_DATA``, or else the table ``[data]`` of ``config.toml``, is the URL of a database, or ``files``. Without
    either, the data is in the Postgres of the journal, or in files if the journal is in one.

    Raises:
        SetupError: the setting is neither, or ``config.toml`` is invalid.
    """
    check_name("data_location: application", application)
    folder = data_folder(environ)
    config = folder / "config.toml"
    users = read_users(config, os_user()) if config.exists() else None
    data = environ.get("REMIT_DATA") or (users.data_url if users else "")
    journal = environ.get("REMIT_DATABASE") or (users.journal_url if users else "")
    if data not in ("", _FILES) and not data.startswith("postgres"):
        raise SetupError(
            "REMIT_DATA, or url in [data] of config.toml, is not a location of data: "
            "write postgresql://USER:PASSWORD@HOST/DATABASE, or files"
        )
    url = data or (journal if journal.startswith("postgres") else _FILES)
    return folder / f"{application}.db" if url == _FILES else url
