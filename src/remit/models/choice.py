"""The choice of a model for all agents that name none: by the environment, or else by the operator, in a private file.

The file is in the home folder. It may hold an API key, so nothing else reads it, and no document or error repeats it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from remit.agent.model import MODEL_VARIABLE
from remit.core.files import check_trusted, sync_folder, write_private_file
from remit.engine.request import new_id
from remit.errors import NoModelError, SetupError
from remit.models.key_variable import key_variables
from remit.models.resolve import ResolvedModel, resolve_model
from remit.models.secret_key import bare_address

DEFAULT_MODEL: Final = "local:base"
"""The model that the command line uses if neither the environment nor the operator has chosen one."""

REHEARSAL: Final = "rehearsal"
"""The name of the choice to rehearse with the script of an application. It is no model."""

_FROM_ENVIRONMENT: Final = "env:"


_ADDRESS_HINT: Final = "like https://openrouter.ai/api/v1"


class ModelChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The model that an operator has chosen.

    Args:
        name: as `remit.models.resolve` reads it, or `REHEARSAL`.
        key: the API key, or the variable in which the provider expects it: ``env:NAME``, which is also the default.
        address: of the OpenAI-compatible endpoint of ``openai:NAME``. No key of the environment is sent to it.
    """

    name: str
    key: str = ""
    address: str = ""

    @property
    def key_source(self) -> str:
        """Where the key is, for people: ``env:NAME``, "kept on the server", or empty without one. Never the key."""
        return self.key if self.key.startswith(_FROM_ENVIRONMENT) or not self.key else "kept on the server"

    @property
    def bare_address(self) -> str:
        """The address for people, without what may be a secret."""
        return bare_address(self.address)

    def check(self) -> None:
        """Check that the choice reveals no secret: every user can read an address, and a key is for one endpoint.

        Raises:
            NoModelError: its key or its address is none that a model is chosen with.
        """
        model = f"the model {self.name!r}"
        if self.address and not self.name.startswith("openai:"):
            raise NoModelError(f"{model} takes no address; write openai:NAME for such an endpoint")
        if self.address:
            check_address(self.address)
        variable = self._variable
        if variable is None:
            return
        if self.address:
            raise NoModelError(f"{model} has an address, which is sent no key of the environment; give the key itself")
        known = key_variables(self.name)
        if variable not in known:
            remedy = f"write env:{known[0]}, or give the key itself" if known else "give it no key"
            raise NoModelError(f"the key of {model} is read from no variable {variable!r:.100}; {remedy}")

    def read_key(self, environ: Mapping[str, str]) -> str:
        """The key.

        Raises:
            NoModelError: the environment variable that should hold it is not set, or has other secrets.
        """
        self.check()
        variable = self._variable
        if variable is None:
            return self.key
        if not environ.get(variable):
            raise NoModelError(
                f"the key of the model {self.name!r} is in {variable}, which is not set; set it, or give a key"
            )
        return environ[variable]

    def resolve(self, environ: Mapping[str, str] = os.environ) -> ResolvedModel:
        """The model, without opening or checking it.

        Raises:
            NoModelError: its key is missing, or see `check`.
        """
        key = self.read_key(environ)
        if self.address:
            environ = {**environ, "OPENAI_BASE_URL": self.address, "OPENAI_API_KEY": ""}
        return resolve_model(self.name, environ, key=key)

    @property
    def _variable(self) -> str | None:
        """The environment variable that the key is in."""
        return self.key.removeprefix(_FROM_ENVIRONMENT) if self.key.startswith(_FROM_ENVIRONMENT) else None

    def __repr__(self) -> str:
        return f"ModelChoice(name={self.name!r}, key={self.key_source!r}, address={self.bare_address!r})"


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


def check_address(address: str) -> None:
    """Check the address of an endpoint. The errors do not repeat it.

    Raises:
        NoModelError: it is none, or it has a user, a password, a query or a fragment, which may be secrets.
    """
    try:
        parts = urlsplit(address)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and address.isprintable()
        has_more = "@" in parts.netloc or "?" in address or "#" in address
        _ = has_more or parts.port
    except ValueError:
        is_address = has_more = False
    if not is_address or " " in address:
        raise NoModelError(f"the address of the endpoint is none; write one {_ADDRESS_HINT}")
    if has_more:
        raise NoModelError(
            "the address of the endpoint has a user, a query or a fragment, which everybody could read; "
            f"write it {_ADDRESS_HINT}, and give the key as key"
        )


def find_default_model(environ: Mapping[str, str], choice: ModelChoice | None = None) -> ResolvedModel:
    """The model that ``REMIT_MODEL`` names, or the chosen one, or `DEFAULT_MODEL`. A rehearsal is no model.

    Raises:
        NoModelError: the key of the chosen one is missing.
    """
    name = environ.get(MODEL_VARIABLE)
    if name or choice is None or choice.name == REHEARSAL:
        return resolve_model(name or DEFAULT_MODEL, environ)
    return choice.resolve(environ)
