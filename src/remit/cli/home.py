"""The data folder ``$REMIT_HOME``: the journal, the configuration and the audit logs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from remit.core.files import ensure_private_folder
from remit.errors import SetupError
from remit.home import data_folder
from remit.journal.ports import Store
from remit.lazy_exports import install_hint
from remit.server.people.directory import Directory


class HomeFolder(Struct, frozen=True):
    """The data folder. Applications keep their own databases beside the journal."""

    folder: Path

    @property
    def journal_file(self) -> Path:
        """The database of runs."""
        return self.folder / "journal.db"

    @property
    def config_file(self) -> Path:
        """The configuration: users, roles and permissions."""
        return self.folder / "config.toml"

    @property
    def audit_folder(self) -> Path:
        """The audit logs, one per tenant."""
        return self.folder / "audit"

    def open_store(self, url: str = "", key_file: str = "") -> Store:
        """The journal at ``url``, or in this folder's file. The database is opened on first use.

        ``key_file`` is the key of a journal at ``url``.

        Raises:
            SetupError: ``url`` cannot be a journal, or a requirement is not installed.
        """
        try:
            from remit.journal.sql.store import SqlStore
        except ModuleNotFoundError as error:
            raise SetupError(f"the journal needs {error.name}; {install_hint('sql')}") from error
        if not url:
            return SqlStore.at(self.journal_file)
        return SqlStore(url, key_file=Path(key_file) if key_file else None)

    def open_directory(self, url: str = "", key_file: str = "") -> Directory:
        """The people of the journal at ``url``, or in this folder's file. The database is opened on first use.

        Raises:
            SetupError: as for `open_store`.
        """
        from remit.server.people.sql_directory import SqlDirectory

        if not url:
            return SqlDirectory.at(self.journal_file)
        return SqlDirectory(url, key_file=Path(key_file) if key_file else None)


def ensure_home(environ: Mapping[str, str]) -> HomeFolder:
    """The folder named by the environment, by default the user's data folder; created private to its owner.

    Raises:
        SetupError: it cannot be created, or another user owns it or can write to it.
    """
    folder = data_folder(environ)
    try:
        ensure_private_folder(folder)
    except SetupError as error:
        raise SetupError(f"{error.message}, or set REMIT_HOME to another") from error
    return HomeFolder(folder)
