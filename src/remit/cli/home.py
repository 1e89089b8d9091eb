"""Where data lives: the folder ``$REMIT_HOME``, with the journal and the file that says who may do what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from remit.errors import SetupError
from remit.home import data_folder
from remit.journal.ports import Store


@dataclass(frozen=True, slots=True)
class HomeFolder:
    """The folder. Applications keep their own databases beside the journal."""

    folder: Path

    @property
    def journal_file(self) -> Path:
        """The database of runs."""
        return self.folder / "journal.db"

    @property
    def config_file(self) -> Path:
        """Who may do what."""
        return self.folder / "config.toml"

    @property
    def audit_folder(self) -> Path:
        """The audit logs, one for each tenant."""
        return self.folder / "audit"

    def open_store(self, url: str = "") -> Store:
        """The journal, opened when first used: the database at ``url``, or else the file in this folder.

        Raises:
            SetupError: there can be none at ``url``, or something is not installed.
        """
        try:
            from remit.journal.sql.store import SqlStore
        except ModuleNotFoundError as error:
            raise SetupError(f"the journal needs {error.name}; install it with: pip install 'remit[sql]'") from error
        return SqlStore(url) if url else SqlStore.at(self.journal_file)


def ensure_home(environ: Mapping[str, str]) -> HomeFolder:
    """The folder that the environment names, by default the user's data folder; made for its owner alone.

    Raises:
        SetupError: it cannot be made.
    """
    folder = data_folder(environ)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"the folder {folder} cannot be made: {error.strerror}; set REMIT_HOME to another") from error
    return HomeFolder(folder)
