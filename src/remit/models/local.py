"""The port to local models. The distribution `remit-local` implements it, and is found as an entry point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from remit.agent.model import Model
from remit.errors import SetupError
from remit.lazy_exports import install_hint
from remit.schemas.suggestions import suggest

ENTRY_POINT_GROUP: Final = "remit.models"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A model whose weights can be downloaded."""

    name: str
    """The ``NAME`` of ``local:NAME``."""
    description: str
    size: int
    """Bytes of the weights."""
    path: Path
    """The file of the weights, which exists once they are downloaded."""
    is_downloaded: bool


LOCAL_CONTEXT_TOKENS: Final = 8192
"""The maximum number of tokens of a request to a local model and its answer."""


class LocalModels(Protocol):
    """Finds the models whose names begin with ``local:``.

    A distribution registers one as the entry point ``local`` in the group ``remit.models``.
    """

    def downloadable(self) -> Sequence[LocalModel]:
        """The models whose weights can be downloaded."""
        ...

    def download(self, name: str, on_progress: Callable[[int], object]) -> Path:
        """Download the weights of a model in `downloadable`; ``on_progress`` receives the number of bytes so far.

        Raises:
            RemitError: a download, a digest or the disk failed. One line, with the remedy.
        """
        ...

    def check(self, name: str) -> None:
        """Check that the model ``local:name`` can be opened. ``name`` may be the path of a file.

        Raises:
            SetupError: it cannot be opened. One line, with the remedy.
        """
        ...

    def open(self, name: str) -> AbstractAsyncContextManager[Model]:
        """Load the model ``local:name`` for the duration of the block. Raises the same errors as `check`."""
        ...


def find_local_models() -> LocalModels:
    """Find the implementation of local models in this installation.

    Raises:
        SetupError: no installed distribution offers any.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415 - few programs use a local model

    for entry in entry_points(group=ENTRY_POINT_GROUP, name="local"):
        models: LocalModels = entry.load()
        return models
    how = install_hint(folder="./packages/remit-local")
    raise SetupError(f"local models need remit-local; {how}; or set REMIT_MODEL to another model")


def explain_unknown_weights(name: str) -> str:
    """How to correct the ``NAME`` of ``local:NAME``; empty for a known one, a file, or without local models."""
    try:
        names = [each.name for each in find_local_models().downloadable()]
    except SetupError:
        return ""
    if name in names or Path(name).expanduser().is_file():
        return ""
    return suggest(name, names, f"write local:{' or local:'.join(names)}, or name a GGUF file")
