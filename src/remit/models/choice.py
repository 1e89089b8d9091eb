"""The choice of a model for all agents that name none: by the environment, or else by the operator, in a private file.

The file is in the home folder. It may hold an API key, so nothing else reads it, and no document or error repeats it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from remit.agent.model import MODEL_VARIABLE
from remit.core.files import check_trusted, sync_folder, write_private_file
from remit.engine.request import new_id
from remit.errors import NoModelError, SetupError
from remit.models.resolve import ResolvedModel, resolve_model

DEFAULT_MODEL: Final = "local:base"
"""The model that the command line uses if neither the environment nor the operator has chosen one."""

REHEARSAL: Final = "rehearsal"
"""The name of the choice to rehearse with the script of an application. It is no model."""

_FROM_ENVIRONMENT: Final = "env:"
_KEY_ENDING: Final = "_API_KEY"
"""Other variables may hold other secrets, which no endpoint may be sent."""


class ModelChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The model that an operator has chosen.

    Args:
        name: as `remit.models.resolve` reads it, or `REHEARSAL`.
        key: the API key, or where it is: ``env:NAME``. By default, where the provider expects it.
        address: of the OpenAI-compatible endpoint of ``openai:NAME``. The key of the environment is not sent to it.
    """

    name: str
    key: str = ""
    address: str = ""

    @property
    def key_source(self) -> str:
        """Where the key is, for people: ``env:NAME``, "kept on the server", or empty without one. Never the key."""
        return self.key if self.key.startswith(_FROM_ENVIRONMENT) or not self.key else "kept on the server"

    def read_key(self, environ: Mapping[str, str]) -> str:
        """The key.

        Raises:
            NoModelError: the environment variable that should hold it is not set.
        """
        if not self.key.startswith(_FROM_ENVIRONMENT):
            return self.key
        name = self.key.removeprefix(_FROM_ENVIRONMENT)
        if not name.endswith(_KEY_ENDING):
            hint = f"a name that ends in {_KEY_ENDING}, such as env:OPENAI_API_KEY"
            raise NoModelError(
                f"the key of the model {self.name!r} is read from no variable {name!r:.100}; write {hint}"
            )
        if not environ.get(name):
            raise NoModelError(
                f"the key of the model {self.name!r} is in {name}, which is not set; set it, or give a key"
            )
        return environ[name]

    def resolve(self, environ: Mapping[str, str] = os.environ) -> ResolvedModel:
        """The model, without opening or checking it.

        Raises:
            NoModelError: its key is missing, or its provider takes no address.
        """
        key = self.read_key(environ)
        if self.address:
            if not self.name.startswith("openai:"):
                raise NoModelError(f"the model {self.name!r} takes no address; write openai:NAME for such an endpoint")
            environ = {**environ, "OPENAI_BASE_URL": self.address, "OPENAI_API_KEY": ""}
        return resolve_model(self.name, environ, key=key)

    def __repr__(self) -> str:
        return f"ModelChoice(name={self.name!r}, key={self.key_source!r}, address={self.address!r})"


class ChoiceFile:
    """The private file of the choice, ``model.json`` in the home folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "model.json"

    def read(self) -> ModelChoice | None:
        """The choice; None without one.

        Raises:
            SetupError: others can write to the file, or it is no choice.
        """
        try:
            content = self.path.read_bytes()
            check_trusted(self.path)
            return msgspec.json.decode(content, type=ModelChoice)
        except FileNotFoundError:
            return None
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise SetupError(
                f"{self.path} is not the choice of a model: {error}; remove it, and choose again"
            ) from error

    def write(self, choice: ModelChoice) -> None:
        """Keep a choice instead of the one before, readable for its owner alone."""
        written = self.path.with_name(f".model-{new_id()}.json")
        write_private_file(written, msgspec.json.encode(choice))
        written.replace(self.path)
        sync_folder(self.path.parent)

    def remove(self) -> None:
        """Keep no choice."""
        self.path.unlink(missing_ok=True)


def find_default_model(environ: Mapping[str, str], choice: ModelChoice | None = None) -> ResolvedModel:
    """The model that ``REMIT_MODEL`` names, or the chosen one, or `DEFAULT_MODEL`. A rehearsal is no model.

    Raises:
        NoModelError: the key of the chosen one is missing.
    """
    name = environ.get(MODEL_VARIABLE)
    if name or choice is None or choice.name == REHEARSAL:
        return resolve_model(name or DEFAULT_MODEL, environ)
    return choice.resolve(environ)
